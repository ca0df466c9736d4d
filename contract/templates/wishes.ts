import { z } from 'zod';
import { MAX_PAGE_NAME } from '../rules/limits.ts';
import { RequestKey } from './templates.ts';

/** What somebody wants to make, and trying it before there is an account. */

/** More is cut off, and never refused. */
export const MAX_WISH_LETTERS = 500;

/** How long a trial lasts, with everything in it. */
export const TRIAL_SECONDS = 120;
/** How many trials there can be on the whole server at a time. */
export const MAX_TRIALS = 20;
export const MAX_TRIAL_BYTES = 50 * 1024 * 1024;
/** What the visitor of one trial can send to be stored, so that nobody fills the space of all. */
export const TRIAL_SENT_BYTES = 1024 * 1024;
/** How many trials one address can have in ten minutes. */
export const TRIALS_PER_ADDRESS = 6;
export const TRIALS_WINDOW_SECONDS = 600;

const cut = (letters: number) =>
  z
    .string()
    .transform((text) => text.slice(0, letters).toWellFormed().trim())
    .default('');

/** What a person has said so far. Nothing of it is refused: screens make the best of it. */
export const TryQuery = z.object({
  wish: cut(MAX_WISH_LETTERS),
  template: cut(50),
  name: cut(MAX_PAGE_NAME),
  /** The key of the request to publish, so that a button that is pressed twice makes one page. */
  key: RequestKey.optional().catch(undefined),
});
export type TryQuery = z.infer<typeof TryQuery>;
