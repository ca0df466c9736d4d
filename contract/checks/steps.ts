import { z } from 'zod';

/** What somebody does on a page during a check, and their limits. */

/** The most steps of a check. */
export const MAX_CHECK_STEPS = 20;
/** The most visitors of a check. */
export const MAX_CHECK_VISITORS = 3;
/** How long a step may take, without those before it. */
export const CHECK_STEP_SECONDS = 4;
/** Characters of a text that a step types. */
const MAX_STEP_TEXT = 2_000;
const MAX_STEP_NAME = 200;

const name = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_STEP_NAME, `must have at most ${MAX_STEP_NAME} characters`);
const text = z.string().max(MAX_STEP_TEXT, `must have at most ${MAX_STEP_TEXT} characters`);

/** An element, by what people and screen readers know of it, and a text for it. */
const StepElement = z.strictObject({ role: name.optional(), name: name.optional(), text: text.optional() });
export type StepElement = z.infer<typeof StepElement>;

/** What a step can do. */
export const STEP_ACTIONS = ['click', 'type', 'select', 'press', 'wait'] as const;

export const CheckStep = z
  .strictObject({
    by: z.int('must be a whole number').min(1, 'must be 1 or more').optional(),
    click: StepElement.optional(),
    type: StepElement.optional(),
    select: StepElement.optional(),
    press: name.optional(),
    wait: StepElement.optional(),
  })
  .superRefine((step, context) => {
    const problem = findProblem(step);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });
export type CheckStep = z.infer<typeof CheckStep>;

function findProblem(step: z.infer<typeof CheckStep>): string | undefined {
  const [action, ...others] = STEP_ACTIONS.filter((each) => step[each] !== undefined);
  if (action === undefined || others.length > 0)
    return 'must have exactly one of click, type, select, press and wait';
  const { click, type, select, wait } = step;
  if (type && type.text === undefined) return 'must have the text to type';
  if (select && select.text === undefined) return 'must have the text of the option';
  const element = click ?? wait;
  return element && Object.keys(element).length === 0 ? 'must have a role, a name or a text' : undefined;
}

/** What became of a step. */
export const StepResult = z.object({
  step: z.string().meta({ description: 'What was to be done, in words.' }),
  by: z.int().optional(),
  state: z.enum(['done', 'failed', 'skipped']),
  reason: z.string().optional().meta({ description: 'Why not, and what was there instead.' }),
});
export type StepResult = z.infer<typeof StepResult>;
