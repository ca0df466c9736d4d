import type { Cell } from '../cells/index.ts';

/** Why a cell was ended by us, as owners and callers hear of it. */
const DEATHS: Record<NonNullable<Cell['killedFor']>, string> = {
  cpu: 'The function was stopped: it used the processor for too long.',
  memory: 'The function was stopped: it used too much memory.',
};

/** What to say of a cell that was ended for a reason; undefined when it ended by itself. */
export function deathText(reason: string | undefined): string | undefined {
  return reason === 'cpu' || reason === 'memory' ? DEATHS[reason] : undefined;
}
