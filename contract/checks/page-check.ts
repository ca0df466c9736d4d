import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { CheckStep, MAX_CHECK_STEPS, MAX_CHECK_VISITORS, StepResult } from './steps.ts';

/** The wire shapes of page checks, and their limits. */

/** How long a check may take, without the time it waits for its turn. */
export const CHECK_SECONDS = 20;
/** The most items of each list in the response. */
export const MAX_CONSOLE_MESSAGES = 100;
export const MAX_PAGE_ERRORS = 50;
export const MAX_FAILED_REQUESTS = 50;
export const MAX_FINDINGS = 50;
export const MAX_NOTES = 20;
/** Characters of a message in the response. */
export const MAX_CHECK_TEXT = 2_000;
/** Characters of a URL in the response. */
export const MAX_CHECK_URL = 500;
/** The most elements that a finding names. */
export const MAX_FINDING_ELEMENTS = 5;

/** Who can visit a page in a check, beside the roles and the members of its team. */
export const CHECK_VISITORS = ['nobody', 'owner', 'visitor'] as const;
/** The width of a window in CSS pixels. */
const MIN_CHECK_WIDTH = 320;
const MAX_CHECK_WIDTH = 1920;
const MAX_VISITOR_NAME = 100;
const MAX_CHECK_PATH = 500;

export const VIEWPORTS = ['desktop', 'phone'] as const;
export type Viewport = (typeof VIEWPORTS)[number];

/** A window in CSS pixels. */
export interface CheckWindow {
  width: number;
  height: number;
  /** Pixels of the screenshot per CSS pixel. */
  scale: number;
  /** Whether it is touched, and shows pages as phones do. */
  isPhone: boolean;
}
export const WINDOWS: Record<Viewport, CheckWindow> = {
  desktop: { width: 1280, height: 800, scale: 1, isPhone: false },
  phone: { width: 390, height: 844, scale: 2, isPhone: true },
};

const visitor = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_VISITOR_NAME, `must have at most ${MAX_VISITOR_NAME} characters`);

export const CheckBody = z.strictObject({
  as: z
    .union(
      [
        visitor,
        z
          .array(visitor)
          .min(1, 'must not be empty')
          .max(MAX_CHECK_VISITORS, `must have at most ${MAX_CHECK_VISITORS} visitors`),
      ],
      { error: `must be a visitor, or a list of at most ${MAX_CHECK_VISITORS}` },
    )
    .default('nobody')
    .meta({
      description:
        'Who visits: nobody, owner, visitor (invented), a role or a member of the team (an invented member with that role), or a list of these.',
    }),
  viewport: z
    .enum(VIEWPORTS, { error: 'must be desktop or phone' })
    .default('desktop')
    .meta({ description: 'The window: 1280 x 800, or 390 x 844 with touch.' }),
  width: z
    .int('must be a whole number')
    .min(MIN_CHECK_WIDTH, `must be at least ${MIN_CHECK_WIDTH}`)
    .max(MAX_CHECK_WIDTH, `must be at most ${MAX_CHECK_WIDTH}`)
    .optional()
    .meta({ description: 'Another width of the window.' }),
  path: z
    .string()
    .max(MAX_CHECK_PATH, `must have at most ${MAX_CHECK_PATH} characters`)
    .optional()
    .meta({ description: 'Another page of the site, such as about.html.' }),
  steps: z
    .array(CheckStep)
    .max(MAX_CHECK_STEPS, `must have at most ${MAX_CHECK_STEPS} steps`)
    .optional()
    .meta({
      description:
        'Done in order: {"click":{"role":"button","name":"Add"}}, {"type":{"name":"Title","text":"…"}}, {"select":{"name":"Size","text":"L"}}, {"press":"Enter"}, {"wait":{"text":"Saved"}}. by: which of as does it (1 is the first).',
    }),
  draft: z
    .int('must be a whole number')
    .min(1, 'must be the id of a draft')
    .optional()
    .meta({ description: 'The draft of the page to check, as nobody.' }),
});
export type CheckBody = z.infer<typeof CheckBody>;
/** A check as clients request it: fields with a default may be left out. */
export type CheckWish = z.input<typeof CheckBody>;

/** Which of several visitors it happened to. */
const by = z.int().optional();
const line = z.int().optional().meta({ description: 'The line of the HTML that you published.' });

export const CONSOLE_LEVELS = ['debug', 'log', 'info', 'warning', 'error'] as const;
export const ConsoleMessage = z.object({ level: z.enum(CONSOLE_LEVELS), text: z.string(), line, by });
export type ConsoleMessage = z.infer<typeof ConsoleMessage>;

export const PageError = z.object({
  message: z.string(),
  line,
  column: z.int().optional(),
  stack: z.string().optional(),
  by,
});
export type PageError = z.infer<typeof PageError>;

/** Characters of a response that failed. */
export const MAX_RESPONSE_TEXT = 200;

export const FailedRequest = z.object({
  url: z.string(),
  status: z.int().meta({ description: 'The HTTP status; 0 if there was no response.' }),
  reason: z.string().optional(),
  text: z
    .string()
    .optional()
    .meta({
      description: `The first ${MAX_RESPONSE_TEXT} characters of the response, if it is text. Others than you may have written it.`,
    }),
  by,
});
export type FailedRequest = z.infer<typeof FailedRequest>;

export const IMPACTS = ['minor', 'moderate', 'serious', 'critical'] as const;
export const AccessibilityFinding = z.object({
  rule: z.string(),
  impact: z.enum(IMPACTS).nullable(),
  help: z.string(),
  helpUrl: z.string(),
  count: z.int().meta({ description: 'How many elements have this problem.' }),
  elements: z.array(z.string()).meta({ description: 'Selectors of the first elements with this problem.' }),
});
export type AccessibilityFinding = z.infer<typeof AccessibilityFinding>;

/** What a browser saw when it opened the page. All texts are the page's own. */
export const PageCheck = z
  .object({
    screenshot: z
      .object({ url: z.string(), width: z.int(), height: z.int(), expiresAt: timestamp })
      .nullable()
      .meta({ description: 'The screenshot; null if the page could not be drawn; errors says why.' }),
    title: z.string(),
    console: z.array(ConsoleMessage),
    errors: z.array(PageError),
    failedRequests: z.array(FailedRequest),
    accessibility: z.array(AccessibilityFinding),
    notes: z.array(z.string()).meta({
      description: 'What the page did that the browser did not allow, and what the response leaves out.',
    }),
    durationMs: z.int(),
    steps: z
      .array(StepResult)
      .optional()
      .meta({ description: 'What became of each step. After one that failed, the others are skipped.' }),
  })
  .meta({ id: 'PageCheck' });
export type PageCheck = z.infer<typeof PageCheck>;

/** The address of a screenshot. */
export const screenshotParams = z.object({
  file: z
    .string()
    .regex(/^[0-9a-f]{64}\.png$/)
    .transform((name) => name.slice(0, -'.png'.length)),
});
