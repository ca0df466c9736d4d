import type { Cell } from '../cells/index.ts';

/** Why a cell was ended by us, as owners and callers hear of it. */
const DEATHS: Record<NonNullable<Cell['killedFor']>, string> = {
  cpu: 'The function was stopped: it used the processor for too long.',
  memory: 'The function was stopped: it used too much memory.',
  place:
    'The function was stopped after 10 seconds: all places for functions were taken, and its owner had most of them.',
};

/** What to say of a cell that was ended for a reason; undefined when it ended by itself. */
export function deathText(reason: string | undefined): string | undefined {
  return reason !== undefined && Object.hasOwn(DEATHS, reason)
    ? DEATHS[reason as keyof typeof DEATHS]
    : undefined;
}
