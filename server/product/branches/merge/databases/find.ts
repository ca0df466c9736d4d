import { phrase, type Text } from '../../../../../contract/rules/texts/fill.ts';
import type { Stripped, ThreeDatabases } from '../../../../runtime/databases/index.ts';
import type { FunctionState } from '../../../moment-ports.ts';
import type { BaseMoment, BranchesContext } from '../../context.ts';
import { type Pair, requireMoment } from '../sides.ts';

/** The databases that a branch and its page both have. */

/** A database of a branch and the one of its page. Functions that share it have one of these. */
export interface DatabasePair {
  /** The function that paths name: the first of those that share it. */
  name: string;
  /** All of them, as the page calls them. */
  functions: string[];
  /** The snapshot that both are compared with. Undefined if there was no database yet. */
  base: number | undefined;
  branch: number;
  main: number;
}

export interface FoundDatabases {
  pairs: DatabasePair[];
  leftOut: Text[];
}

/** The functions of each side, with their databases. */
export type FunctionsOfSides = Record<'branch' | 'main', readonly FunctionState[]>;

export async function findDatabases(
  context: BranchesContext,
  pair: Pair,
  sides: FunctionsOfSides,
): Promise<FoundDatabases> {
  const [branch, main] = [byName(sides.branch), byName(sides.main)];
  const names = [...main.keys()].filter((name) => branch.has(name)).sort();
  const found: FoundDatabases = { pairs: [], leftOut: [] };
  if (names.length === 0) return found;
  const { state } = await requireMoment(context, pair.bases.databases);
  const base = byName(state.functions);
  for (const name of names) {
    const now = { branch: branch.get(name) ?? 0, main: main.get(name) ?? 0 };
    const known = found.pairs.find((each) => each.branch === now.branch || each.main === now.main);
    if (known?.branch === now.branch && known.main === now.main) known.functions.push(name);
    else if (known) found.leftOut.push(sharedInAnotherWay(name));
    else {
      const snapshot = findSnapshot(state, base.get(name));
      if (snapshot === 'lost') found.leftOut.push(lostBase(name));
      else found.pairs.push({ name, functions: [name], base: snapshot, ...now });
    }
  }
  return found;
}

/** The databases of functions, by the name that the page calls them by. */
function byName(states: readonly FunctionState[]): Map<string, number> {
  return new Map(
    states.flatMap(
      ({ slug, branchSlug = slug, database }): Array<[string, number]> =>
        database === null ? [] : [[branchSlug, database]],
    ),
  );
}

function findSnapshot(
  { databases }: BaseMoment['state'],
  database: number | undefined,
): number | undefined | 'lost' {
  if (database === undefined) return undefined;
  return databases.find((each) => each.database === database)?.snapshot ?? 'lost';
}

/** Both databases as they are now, with their base. */
export function asTheyAre(pair: Pair, { base, branch, main }: DatabasePair): ThreeDatabases {
  return { ownerId: pair.main.owner_id, base, branch: { database: branch }, main: { database: main } };
}

/** The same databases, seen from the page. */
export const swapped = ({ branch, main, ...rest }: ThreeDatabases): ThreeDatabases => ({
  ...rest,
  branch: main,
  main: branch,
});

/** Whether the rows of the branch are those of its page. Those of a masked one have other texts. */
export const hasRows = ({ row }: Pair) => row.data === 'all';

export const findStripped = (pair: Pair, into: 'branch' | 'main'): Stripped =>
  hasRows(pair) ? undefined : into === 'main' ? 'branch' : 'main';

const sharedInAnotherWay = (name: string) =>
  phrase('The database of {name} is not merged: other functions share it on the branch than on the page.', {
    name,
  });
const lostBase = (name: string) =>
  phrase('The database of {name} is not merged: there is no copy of it from the base.', { name });
