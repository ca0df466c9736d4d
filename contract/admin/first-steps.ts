import { z } from 'zod';

/** The wire shapes of what the administrator of a new server does first. */

const FIRST_STEPS = ['look', 'model', 'mail', 'backup', 'administrator'] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

export const FirstSteps = z.object({
  steps: z.array(
    z.object({
      name: z.enum(FIRST_STEPS),
      isDone: z.boolean(),
    }),
  ),
  isHidden: z.boolean().meta({ description: 'Whether an administrator has hidden the list.' }),
});
export type FirstSteps = z.infer<typeof FirstSteps>;

export const HideFirstSteps = z.strictObject({ isHidden: z.boolean() });
