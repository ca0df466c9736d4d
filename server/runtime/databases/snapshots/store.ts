import type { Selectable } from 'kysely';
import type { DatabaseSnapshotsTable, Db, Tx } from '../../../platform/storage/index.ts';

/** SQL for snapshots of databases. */

export type SnapshotRow = Selectable<DatabaseSnapshotsTable>;

export async function insertSnapshot(tx: Tx, row: Omit<SnapshotRow, 'id' | 'dropped_at'>): Promise<number> {
  const { id } = await tx
    .insertInto('database_snapshots')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export function findSnapshot(db: Db, id: number): Promise<SnapshotRow | undefined> {
  return db.selectFrom('database_snapshots').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The newest snapshot of a database, also one that only later snapshots would need. */
export function findNewest(db: Db, databaseId: number): Promise<SnapshotRow | undefined> {
  return db
    .selectFrom('database_snapshots')
    .selectAll()
    .where('database_id', '=', databaseId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** A snapshot and all that it needs, from the newest to the full one. */
export function listChain(db: Db | Tx, { id, base_id }: SnapshotRow): Promise<SnapshotRow[]> {
  const query = db.selectFrom('database_snapshots').selectAll().where('id', '<=', id).orderBy('id', 'desc');
  return base_id === null
    ? query.where('id', '=', id).execute()
    : query.where((row) => row.or([row('base_id', '=', base_id), row('id', '=', base_id)])).execute();
}

/** The bytes of all segments of an owner. */
export async function sumBytes(db: Db, ownerId: number): Promise<number> {
  const row = await db
    .selectFrom('database_snapshots')
    .select(({ fn }) => fn.sum<number | string | null>('bytes').as('bytes'))
    .where('owner_id', '=', ownerId)
    .executeTakeFirst();
  return Number(row?.bytes ?? 0);
}

export async function markDropped(tx: Tx, ids: number[], now: number): Promise<void> {
  await tx
    .updateTable('database_snapshots')
    .set({ dropped_at: now })
    .where('id', 'in', ids)
    .where('dropped_at', 'is', null)
    .execute();
}

/** The chains that some snapshots belong to, by the id of the full one. */
export async function listBases(tx: Tx, ids: number[]): Promise<number[]> {
  const rows = await tx
    .selectFrom('database_snapshots')
    .select(['id', 'base_id'])
    .where('id', 'in', ids)
    .execute();
  return [...new Set(rows.map(({ id, base_id }) => base_id ?? id))];
}

/** Deletes what no snapshot of a chain needs any more, and returns the keys of the blobs. */
export async function deleteUnneeded(tx: Tx, baseId: number): Promise<string[]> {
  const chain = await tx
    .selectFrom('database_snapshots')
    .select(['id', 'blob_key', 'dropped_at'])
    .where((row) => row.or([row('base_id', '=', baseId), row('id', '=', baseId)]))
    .orderBy('id')
    .execute();
  const lastKept = chain.findLastIndex(({ dropped_at }) => dropped_at === null);
  const gone = chain.slice(lastKept + 1);
  await deleteRows(
    tx,
    gone.map(({ id }) => id),
  );
  return gone.map(({ blob_key }) => blob_key);
}

/** Some snapshots of an owner. */
export function listSome(
  tx: Tx,
  ownerId: number,
  limit: number,
): Promise<Array<{ id: number; blob_key: string }>> {
  return tx
    .selectFrom('database_snapshots')
    .select(['id', 'blob_key'])
    .where('owner_id', '=', ownerId)
    .limit(limit)
    .execute();
}

export async function deleteRows(tx: Tx, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.deleteFrom('database_snapshots').where('id', 'in', ids).execute();
}
