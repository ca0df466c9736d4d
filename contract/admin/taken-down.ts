import { z } from 'zod';
import { timestamp } from '../fields.ts';

/** When and why an administrator took down a page or function. */
export const TakenDown = z.object({ at: timestamp, reason: z.string() });
export type TakenDown = z.infer<typeof TakenDown>;
