import { phrase, type Text } from '../rules/texts/fill.ts';
import type { RepairOutcome, RepairStep } from './kinds.ts';

/** What each outcome means. */
export const OUTCOME_WORDS: Record<RepairOutcome, Text> = {
  repaired: phrase(
    'The error happened on a copy, and does not happen after the repair. Look at the copy, then bring the change to the page.',
  ),
  not_reproduced: phrase('The error did not happen on a copy, so nothing was changed. The copy is deleted.'),
  not_repaired: phrase(
    'The builder changed the copy, and that does not prove a repair. Look at what it did.',
  ),
  unchanged: phrase('The builder changed nothing. The copy is deleted.'),
  failed: phrase('The repair could not be finished.'),
  cancelled: phrase('The repair was stopped. The copy is deleted.'),
  lost: phrase('The server was stopped during the repair. The copy is deleted. Start it again.'),
};

/** What a repair does in each step. */
export const STEP_WORDS: Record<RepairStep, Text> = {
  branch: phrase('Copies the page'),
  before: phrase('Makes the error happen on the copy'),
  build: phrase('The builder repairs the copy'),
  after: phrase('Tries the same again'),
  check: phrase('Checks the page'),
  attack: phrase('Attacks the page'),
};

/** Why a changed copy is not a proven repair. */
export const DOUBT_WORDS = {
  still: phrase('The error still happens.'),
  steps: phrase('A step that worked before does not work any more.'),
  errors: phrase('There are errors that were not there before.'),
  attack: phrase('The attack found something new that is serious.'),
  unattacked: phrase('The attack could not be made.'),
  builder: phrase('The builder did not finish.'),
} satisfies Record<string, Text>;
