import { setImmediate } from 'node:timers/promises';
import type { ChangeAction, ChangeSide } from '../../../../contract/pages/branches/changes.ts';
import { type FieldChange, mergeFields } from '../../../lib/three-way/fields.ts';
import { mergeLines } from '../../../lib/three-way/lines.ts';
import { type Content, findCommon, type Leaf, type Replacement, toJson, toLeaves } from './leaves.ts';
import type { Taken } from './taken.ts';

/** Three states of an application. */
export interface Sides {
  base: Content;
  branch: Content;
  main: Content;
}

/** A part that a branch and its page have differently. */
export interface Difference {
  path: string;
  kind: Leaf['kind'];
  action: ChangeAction;
  side: ChangeSide;
  conflict: boolean;
  base: Leaf | undefined;
  branch: Leaf | undefined;
  main: Leaf | undefined;
  /** What both changes make together, if they do not conflict. */
  merged?: string;
  fields?: FieldChange[];
}

/** Compares two states with the one that they began with. */
export async function compare(sides: Sides): Promise<Difference[]> {
  const common = findCommon([sides.base, sides.branch, sides.main]);
  const [base, branch, main] = [sides.base, sides.branch, sides.main].map((side) => toLeaves(side, common));
  const paths = new Set([...(branch?.keys() ?? []), ...(main?.keys() ?? [])]);
  const found: Difference[] = [];
  for (const path of [...paths].sort()) {
    const difference = await compareOne(path, base?.get(path), branch?.get(path), main?.get(path));
    if (!difference) continue;
    found.push(difference);
    // Comparing texts takes some milliseconds, and others wait.
    await setImmediate();
  }
  return found;
}

async function compareOne(
  path: string,
  base: Leaf | undefined,
  branch: Leaf | undefined,
  main: Leaf | undefined,
): Promise<Difference | undefined> {
  if (branch?.key === main?.key) return undefined;
  const side = main?.key === base?.key ? 'branch' : branch?.key === base?.key ? 'main' : 'both';
  const now = side === 'main' ? main : branch;
  const known = branch ?? main ?? base;
  if (!known) return undefined;
  const difference: Difference = {
    ...{ path, kind: known.kind, side, base, branch, main },
    action: base === undefined ? 'added' : now === undefined ? 'deleted' : 'changed',
    conflict: side === 'both',
  };
  if (typeof known.how === 'object') await compareFields(difference, known.how.depth);
  else if (side === 'both' && known.how === 'lines') await compareLines(difference);
  return difference;
}

async function compareLines(difference: Difference): Promise<void> {
  const [base, branch, main] = await readAll(difference);
  if (base === undefined || branch === undefined || main === undefined) return;
  const merged = await mergeLines(base, branch, main);
  if (!merged || !('text' in merged)) return;
  difference.merged = merged.text;
  difference.conflict = false;
}

async function compareFields(difference: Difference, depth: number): Promise<void> {
  const [base = '{}', branch = '{}', main = '{}'] = await readAll(difference);
  const { changes, merged } = mergeFields(JSON.parse(base), JSON.parse(branch), JSON.parse(main), depth);
  difference.fields = changes;
  if (difference.side !== 'both' || !difference.branch || !difference.main) return;
  difference.conflict = changes.some(({ conflict }) => conflict);
  if (!difference.conflict) difference.merged = toJson(merged);
}

const readAll = ({ base, branch, main }: Difference) =>
  Promise.all([base, branch, main].map((leaf) => leaf?.read()));

/**
 * What a merge replaces in main, and the differences that nobody has decided. A decision for the other side does not undo
 * what only the side that is changed has: the other knows nothing of it.
 */
export function decide(
  differences: readonly Difference[],
  take: Taken,
  { sides, into }: { sides: Sides; into: 'branch' | 'main' },
): { replaced: Map<string, Replacement>; conflicts: Difference[] } {
  const replaced = new Map<string, Replacement>();
  const conflicts: Difference[] = [];
  for (const difference of differences) {
    const { path, side, merged, conflict } = difference;
    const taken = side === into ? undefined : take.find(path);
    if (taken === 'main' || (side === 'main' && taken === undefined)) continue;
    if (taken === 'branch' || side === 'branch') replaced.set(path, { from: sides.branch });
    else if (conflict || merged === undefined) conflicts.push(difference);
    else replaced.set(path, { text: merged });
  }
  return { replaced, conflicts };
}
