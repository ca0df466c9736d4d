import { createHash } from 'node:crypto';
import type { Difference } from './compare.ts';
import { changedMeanwhile } from './conflicts.ts';
import type { Taken } from './taken.ts';

/**
 * What decisions give up of the side that is changed, by path. A merge notes it when it begins: what somebody publishes
 * later has not been decided by anybody.
 */
export type GivenUp = Record<string, string>;

export function listGivenUp(
  differences: readonly Difference[],
  taken: Taken,
  into: 'branch' | 'main',
): GivenUp {
  const given = differences.filter((each) => isGivenUp(each, taken, into));
  return Object.fromEntries(given.map((each) => [each.path, summarize(each, into)]));
}

/** Fails if a decision would replace something that was not there when it was made. */
export async function assertDecided(
  differences: readonly Difference[],
  taken: Taken,
  { into, known }: { into: 'branch' | 'main'; known: GivenUp },
): Promise<void> {
  const unknown = differences.filter(
    (each) => isGivenUp(each, taken, into) && known[each.path] !== summarize(each, into),
  );
  if (unknown.length > 0) throw await changedMeanwhile(unknown);
}

function isGivenUp({ path, side }: Difference, taken: Taken, into: 'branch' | 'main'): boolean {
  const chosen = taken.find(path);
  return side === 'both' && chosen !== undefined && chosen !== into;
}

const summarize = (difference: Difference, into: 'branch' | 'main') =>
  createHash('sha256')
    .update(JSON.stringify(difference[into]?.key ?? null))
    .digest('base64url');
