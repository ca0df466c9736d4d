import { sql } from 'kysely';

import { countRows, type Db, mayIdle } from '../../../platform/storage/index.ts';

/** Which databases have moved while the number of shards of a cluster changes. Those of removed functions move, too. */

export interface ShardChange {
  from: number;
  to: number;
}

const AT_ONCE = 500;

/** Databases that have not moved yet, of those that have to. */
const unmoved = (db: Db, { from, to }: ShardChange) =>
  db
    .selectFrom('function_databases')
    .where(sql<boolean>`owner_id % ${from} <> owner_id % ${to}`)
    .where((eb) => eb.or([eb('moved_to', 'is', null), eb('moved_to', '<>', to)]));

export function listUnmoved(db: Db, change: ShardChange): Promise<{ id: number; owner_id: number }[]> {
  return unmoved(db, change).select(['id', 'owner_id']).orderBy('id').limit(AT_ONCE).execute();
}

export function countUnmoved(db: Db, change: ShardChange): Promise<number> {
  return countRows(unmoved(db, change));
}

export async function noteMoved(db: Db, id: number, to: number | null): Promise<void> {
  await db.updateTable('function_databases').set({ moved_to: to }).where('id', '=', id).execute();
}

/** Databases that have moved, and that may have left something in their old place. */
export function listMoved(db: Db): Promise<{ id: number; owner_id: number }[]> {
  return db
    .selectFrom('function_databases')
    .select(['id', 'owner_id'])
    .where('moved_to', 'is not', null)
    .orderBy('id')
    .limit(AT_ONCE)
    .execute();
}

/** Forgets an earlier change, for example of the cluster that a backup is from. */
export async function forgetMoves(db: Db): Promise<void> {
  await db
    .updateTable('function_databases')
    .set({ moved_to: null })
    .where('moved_to', 'is not', null)
    .execute();
}

/** Does something if all databases have moved, while nobody can create one. Returns whether it did. */
export function whenAllMoved(db: Db, change: ShardChange, work: () => Promise<void>): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await mayIdle(tx);
    await sql`lock table function_databases in share mode`.execute(tx);
    if ((await countUnmoved(tx, change)) > 0) return false;
    await work();
    return true;
  });
}
