import { z } from 'zod';
import { PageCheck } from '../checks/page-check.ts';
import { MessageKey } from '../error-body.ts';
import { shortText, timestamp } from '../fields.ts';
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
  underWay: z
    .array(z.object({ id: z.int(), name: z.string() }))
    .meta({ description: 'Your pages that the builder is working on.' }),
});
export type BuilderStatus = z.infer<typeof BuilderStatus>;

const TOOL_STATES = ['writing', 'running', 'done', 'failed'] as const;
const OUTCOMES = ['finished', 'steps', 'time', 'credits', 'length', 'stopped'] as const;
export type BuilderOutcome = (typeof OUTCOMES)[number];

const pageFields = z.object({ id: z.int(), name: z.string(), slug: z.string() });
const draftFields = { draft: z.int(), revision: z.int() };
const ms = z.int().meta({ description: 'Milliseconds since the run began.' });

const EventOfPage = z.object({
  type: z.literal('page'),
  page: pageFields.meta({ description: 'The page. Its name and slug follow the title of the document.' }),
});
const EventOfText = z.object({ type: z.literal('text'), content: z.string() });
const EventOfHtml = z.object({
  type: z.literal('html'),
  content: z.string().meta({ description: 'The next piece of the document that the model is writing.' }),
  isFirst: z.boolean().meta({ description: 'True if a new document begins with it.' }),
});
const EventOfTool = z.object({
  type: z.literal('tool'),
  id: z.int().meta({ description: 'The id of the call, which all its events have.' }),
  name: z.string(),
  state: z.enum(TOOL_STATES),
  summary: z.string().meta({ description: 'What the tool works on, such as a path; can be empty.' }),
  ms,
});
const EventOfDraft = z.object({ type: z.literal('draft'), ...draftFields });
const EventOfFunction = z.object({ type: z.literal('function'), slug: z.string() });
const changedFunction = {
  slug: z.string(),
  from: z.int().meta({ description: 'The version before the first change.' }),
  to: z.int().meta({ description: 'The version after the last change.' }),
};
const EventOfChange = z.object({ type: z.literal('change'), ...changedFunction });
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

const PROBLEM_KINDS = ['script', 'console', 'request', 'drawing'] as const;
const BuilderProblem = z.object({
  kind: z.enum(PROBLEM_KINDS),
  text: z.string(),
  status: z.int().optional(),
  line: z.int().optional(),
});
export type BuilderProblem = z.infer<typeof BuilderProblem>;

const BuilderEntry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({
    kind: z.literal('step'),
    id: z.int(),
    name: z.string(),
    state: z.enum(TOOL_STATES),
    summary: z.string(),
    startedMs: ms,
    endedMs: ms.nullable(),
    problems: z
      .array(BuilderProblem)
      .nullable()
      .meta({ description: 'What a browser found, if the step is a check that worked.' }),
  }),
]);
export type BuilderEntry = z.infer<typeof BuilderEntry>;

const RUN_STATES = ['running', 'done', 'failed', 'lost'] as const;

/** The last run on a page, with everything that has happened in it. */
export const BuilderRun = z.object({
  id: z.string(),
  state: z
    .enum(RUN_STATES)
    .meta({ description: '`lost`: its server stopped. What was saved by then is in the draft.' }),
  page: pageFields,
  isNamedByTitle: z
    .boolean()
    .meta({ description: 'True if the name and slug of the page follow the title of its document.' }),
  prompt: z.string(),
  message: z.int().nullable().meta({ description: 'The message of the thread that has the prompt.' }),
  startedAt: timestamp,
  ms,
  entries: z.array(BuilderEntry),
  html: z
    .string()
    .nullable()
    .meta({ description: 'The document so far, while the model writes one that is not in the draft yet.' }),
  draft: z.object(draftFields).nullable().meta({ description: 'The draft, if there is something in it.' }),
  functions: z.array(z.string()),
  changes: z
    .array(z.object(changedFunction))
    .optional()
    .meta({ description: 'Functions of a branch that were changed for the draft; missing if none was.' }),
  reason: z.string().nullable().meta({ description: 'Why the last check was not made.' }),
  end: EventOfEnd.nullable(),
  failure: EventOfFailure.nullable(),
});
export type BuilderRun = z.infer<typeof BuilderRun>;

const EventOfRun = z.object({
  type: z.literal('run'),
  run: BuilderRun.nullable().meta({ description: 'Everything so far; null if there was no run yet.' }),
});

/** One event of a run. `done` or `error` is the last. */
export const BuilderEvent = z.discriminatedUnion('type', [
  EventOfRun,
  EventOfPage,
  EventOfText,
  EventOfHtml,
  EventOfTool,
  EventOfDraft,
  EventOfFunction,
  EventOfChange,
  EventOfCheck,
  EventOfEnd,
  EventOfFailure,
]);
export type BuilderEvent = z.infer<typeof BuilderEvent>;
