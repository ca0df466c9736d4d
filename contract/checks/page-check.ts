import { z } from 'zod';
import { timestamp } from '../fields.ts';

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

export const CHECK_VISITORS = ['nobody', 'owner'] as const;
export type CheckVisitor = (typeof CHECK_VISITORS)[number];
export const VIEWPORTS = ['desktop', 'phone'] as const;
export type Viewport = (typeof VIEWPORTS)[number];

/** The window of each viewport in CSS pixels. `scale`: pixels of the screenshot per CSS pixel. */
export const WINDOWS: Record<Viewport, { width: number; height: number; scale: number }> = {
  desktop: { width: 1280, height: 800, scale: 1 },
  phone: { width: 390, height: 844, scale: 2 },
};

export const CheckBody = z.strictObject({
  as: z
    .enum(CHECK_VISITORS, { error: 'must be nobody or owner' })
    .default('nobody')
    .meta({ description: 'Who visits the page: someone who is not logged in, or you.' }),
  viewport: z
    .enum(VIEWPORTS, { error: 'must be desktop or phone' })
    .default('desktop')
    .meta({ description: 'The window: 1280 x 800, or 390 x 844 with touch.' }),
  draft: z
    .int('must be a whole number')
    .min(1, 'must be the id of a draft')
    .optional()
    .meta({ description: 'The draft of the page to check, as nobody.' }),
});
export type CheckBody = z.infer<typeof CheckBody>;
/** A check as clients request it: fields with a default may be left out. */
export type CheckWish = z.input<typeof CheckBody>;

const line = z.int().optional().meta({ description: 'The line of the HTML that you published.' });

export const CONSOLE_LEVELS = ['debug', 'log', 'info', 'warning', 'error'] as const;
export const ConsoleMessage = z.object({ level: z.enum(CONSOLE_LEVELS), text: z.string(), line });
export type ConsoleMessage = z.infer<typeof ConsoleMessage>;

export const PageError = z.object({
  message: z.string(),
  line,
  column: z.int().optional(),
  stack: z.string().optional(),
});
export type PageError = z.infer<typeof PageError>;

export const FailedRequest = z.object({
  url: z.string(),
  status: z.int().meta({ description: 'The HTTP status; 0 if there was no response.' }),
  reason: z.string().optional(),
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
