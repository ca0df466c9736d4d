import { z } from 'zod';
import { PageCheck } from '../checks/page-check.ts';
import { MessageKey } from '../error-body.ts';
import { shortText } from '../fields.ts';
import { htmlContent } from '../pages/pages.ts';
import { MAX_BUILDER_PROMPT } from '../rules/builder-limits.ts';

/** The wire shapes of the builder, which makes and changes pages from a description. */

const prompt = shortText(MAX_BUILDER_PROMPT).refine((value) => value.trim() !== '', 'must not be empty');

export const NewBuild = z.strictObject({
  prompt: prompt.meta({ description: 'What the page is to be, in words.' }),
});
export type NewBuild = z.infer<typeof NewBuild>;

export const Build = z.strictObject({
  prompt: prompt.meta({ description: 'What to change, in words.' }),
  draft: z
    .int('must be a whole number')
    .min(1, 'must be the id of a draft')
    .optional()
    .meta({ description: 'The draft to continue with. Without it, a new draft is made.' }),
  html_content: htmlContent
    .optional()
    .meta({ description: 'The unsaved document of the editor. The draft begins with it.' }),
});
export type Build = z.infer<typeof Build>;

const BUILDER_PROBLEMS = ['demo_provider', 'no_tools'] as const;

export const BuilderStatus = z.object({
  isAvailable: z.boolean(),
  problem: z.enum(BUILDER_PROBLEMS).nullable(),
  message: z
    .string()
    .meta({ description: 'Why the builder is not available and what it needs, or what a run costs.' }),
  settings: z.array(z.string()).meta({ description: 'The settings that make the builder available.' }),
  tokensPerCredit: z.int(),
  credits: z.number().meta({ description: 'Your credits.' }),
});
export type BuilderStatus = z.infer<typeof BuilderStatus>;

const TOOL_STATES = ['writing', 'running', 'done', 'failed'] as const;
const OUTCOMES = ['finished', 'steps', 'time', 'credits', 'length', 'stopped'] as const;
export type BuilderOutcome = (typeof OUTCOMES)[number];

const EventOfPage = z.object({
  type: z.literal('page'),
  page: z.object({ id: z.int(), name: z.string(), slug: z.string() }),
});
const EventOfText = z.object({ type: z.literal('text'), content: z.string() });
const EventOfTool = z.object({
  type: z.literal('tool'),
  id: z.int().meta({ description: 'The id of the call, which all its events have.' }),
  name: z.string(),
  state: z.enum(TOOL_STATES),
  summary: z.string().meta({ description: 'What the tool works on, such as a path; can be empty.' }),
});
const EventOfDraft = z.object({ type: z.literal('draft'), draft: z.int(), revision: z.int() });
const EventOfFunction = z.object({ type: z.literal('function'), slug: z.string() });
const EventOfCheck = z.object({
  type: z.literal('check'),
  check: PageCheck.nullable(),
  reason: z.string().nullable().meta({ description: 'Why the draft was not checked.' }),
});
const EventOfEnd = z.object({
  type: z.literal('done'),
  outcome: z.enum(OUTCOMES),
  message: z.string(),
  draft: z.int().nullable().meta({ description: 'The id of the draft; null if nothing was written.' }),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), totalTokens: z.int() }),
  credits: z.object({ deducted: z.number(), remaining: z.number() }),
});
const EventOfFailure = z.object({
  type: z.literal('error'),
  error: z.string().regex(/^[a-z_]+$/),
  message: z.string(),
  ...MessageKey.shape,
  draft: z.int().nullable(),
});

/** One event of a run. `done` or `error` is the last. */
export const BuilderEvent = z.discriminatedUnion('type', [
  EventOfPage,
  EventOfText,
  EventOfTool,
  EventOfDraft,
  EventOfFunction,
  EventOfCheck,
  EventOfEnd,
  EventOfFailure,
]);
export type BuilderEvent = z.infer<typeof BuilderEvent>;
