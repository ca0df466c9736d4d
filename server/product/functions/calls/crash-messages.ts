import type { Cell } from '../../../runtime/cells/index.ts';

/** Messages for owners and callers of a function that has used up its memory. */
export function outOfMemoryText(megabytes: number): string {
  return `The function ran out of memory (${megabytes} MB).`;
}

/** The message about a cell that was ended for a reason; undefined if it ended by itself. */
export function deathText(reason: Cell['killedFor'] | 'crash', megabytes: number): string | undefined {
  if (reason === 'cpu') return 'The function was stopped: it used the processor for too long.';
  if (reason === 'place')
    return 'The function was stopped after 10 seconds: all places for functions were taken, and its owner had most of them.';
  return reason === 'memory' ? outOfMemoryText(megabytes) : undefined;
}
