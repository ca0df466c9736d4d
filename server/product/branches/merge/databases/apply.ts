import { ENGLISH } from '../../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../../lib/errors.ts';
import type { SqlMerge, Stripped, ThreeDatabases } from '../../../../runtime/databases/index.ts';
import type { FunctionContent } from '../../../merge-ports.ts';
import type { BaseMoment, BranchesContext } from '../../context.ts';
import { conflictError } from '../conflicts.ts';
import type { Pair } from '../sides.ts';
import { type DatabasePair, type FoundDatabases, findStripped, swapped } from './find.ts';
import { orLeftOut, refuseDatabases } from './trial.ts';
import { bringsMigrations, type DatabaseWish, toOrder } from './wish.ts';

/** Merges databases into new snapshots. The databases themselves stay as they are. */

export interface DatabaseMerge {
  pair: Pair;
  found: FoundDatabases;
  wish: DatabaseWish;
  /** The functions as they will be, and as they are. */
  functions: Record<'wanted' | 'current', ReadonlyMap<string, FunctionContent>>;
  /** Where each database comes from. Seen from the branch. */
  read(each: DatabasePair): ThreeDatabases;
  /** The database that gets the result. */
  findTarget(each: DatabasePair): number;
  stripped?: Stripped;
}

export interface MergedSnapshots {
  replacing: Array<{ name: string; database: number; snapshot: number }>;
  /** Everything that the other side has changed is merged, so that the next comparison can begin there. */
  isComplete: boolean;
}

export async function mergeDatabases(
  context: BranchesContext,
  { pair, found, wish, functions, read, findTarget, ...options }: DatabaseMerge,
): Promise<MergedSnapshots> {
  const { into } = wish;
  const stripped = options.stripped ?? findStripped(pair, into);
  const result: MergedSnapshots = { replacing: [], isComplete: found.leftOut.length === 0 };
  try {
    for (const each of found.pairs) {
      const order = { ...toOrder(each, wish, functions.wanted), databaseId: findTarget(each), stripped };
      const files = read(each);
      const merged = await orLeftOut(each, () =>
        context.databaseMerger.merge(into === 'main' ? files : swapped(files), order),
      );
      if ('text' in merged) {
        if (bringsMigrations(each, functions)) throw cannotMigrate(ENGLISH.say(merged.text, merged.values));
        result.isComplete = false;
        continue;
      }
      if (!merged.isMerged) throw await toRefusal(each, merged, wish);
      if (merged.hasOtherRows) result.isComplete = false;
      const { snapshot } = merged;
      if (snapshot !== undefined)
        result.replacing.push({ name: each.name, database: order.databaseId, snapshot });
    }
    return result;
  } catch (error) {
    await dropSnapshots(context, result);
    throw error;
  }
}

export async function dropSnapshots(context: BranchesContext, { replacing }: MergedSnapshots): Promise<void> {
  await context.parts().snapshots.drop(replacing.map(({ snapshot }) => snapshot));
}

async function toRefusal(
  pair: DatabasePair,
  { conflicts, conflictCount, violations, drops }: Extract<SqlMerge, { isMerged: false }>,
  { into }: DatabaseWish,
): Promise<AppError> {
  if (conflictCount > 0)
    return conflictError(
      conflicts.map((open) => ({ pair, into, open })),
      conflictCount,
    );
  const paths = drops.map((path) => `databases/${pair.name}/${path}`);
  return (
    refuseDatabases(violations, paths) ??
    new AppError('CONFLICT', 'A database has changed meanwhile. Try again.')
  );
}

export const cannotMigrate = (reason: string) =>
  new AppError(
    'CONFLICT',
    '{reason} The merge brings migrations for it, so nothing was merged. Mend the database, or take the functions from main.',
    { reason },
  );

/** Two changes of a file within this time can look the same. */
const SETTLE_MS = 60;

/** What a database looked like when its snapshot was taken. */
export type Stamps = ReadonlyMap<number, string | undefined>;

/**
 * Checks that databases are as in a moment, and notes what they look like. Functions of other pages can share them, and
 * these go on during a merge. Undefined if one has changed since then.
 */
export async function readStamps(
  context: BranchesContext,
  ownerId: number,
  databases: ReadonlyArray<{ database: number; snapshot: number }>,
): Promise<Stamps | undefined> {
  const stamps = new Map<number, string | undefined>();
  for (const { database, snapshot } of databases) {
    let stamp = context.databases.readStamp(ownerId, database);
    if (stamp === undefined) {
      // It may have been written just now.
      await Bun.sleep(SETTLE_MS);
      stamp = context.databases.readStamp(ownerId, database);
    }
    const { id } = await context.parts().snapshots.take(ownerId, database, { isUrgent: true });
    if (id !== snapshot) return undefined;
    stamps.set(database, stamp);
  }
  return stamps;
}

/** Whether a database was written since its stamp was read. */
export const hasWritten = ({ databases }: BranchesContext, ownerId: number, stamps: Stamps): boolean =>
  [...stamps].some(
    ([database, stamp]) => stamp !== undefined && databases.readStamp(ownerId, database) !== stamp,
  );

/** The sides of a merge as their moments have them. */
export function fromMoments(
  { main }: Pair,
  { base, ...databases }: DatabasePair,
  moments: Record<'branch' | 'main', Pick<BaseMoment['state'], 'databases'>>,
): ThreeDatabases {
  const find = (side: 'branch' | 'main') => {
    const found = moments[side].databases.find(({ database }) => database === databases[side]);
    if (!found) throw new AppError('CONFLICT', 'A database has changed meanwhile. Try again.');
    return found.snapshot;
  };
  return { ownerId: main.owner_id, base, branch: find('branch'), main: find('main') };
}
