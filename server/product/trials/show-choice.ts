import type { AppError } from '../../lib/errors.ts';
import type { Choice } from './choose.ts';
import type { TrialsContext, Visitor } from './context.ts';
import { readTrialState } from './trial-state.ts';
import type { Trials } from './trials.ts';
import { tryScreen } from './try-screen.ts';

/** Shows somebody what they chose, and what went wrong when it was to be made. */
export async function showChoice(
  context: TrialsContext,
  trials: Trials,
  choice: Choice,
  visitor: Visitor,
  problem?: AppError,
): Promise<Response> {
  const { registration, offersBuilder, baseUrl } = context;
  const { actor } = visitor;
  return tryScreen({
    choice,
    baseUrl,
    mode: await registration(),
    isLoggedIn: actor !== undefined,
    canBuild: await offersBuilder(actor?.userId),
    ...(await readTrialState(context, trials, choice, visitor)),
    ...(problem && { problem }),
  });
}
