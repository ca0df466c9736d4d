import { type Sizes, toSizes } from '../../lib/sizes.ts';
import type { Db, MomentRow, Tx } from '../../platform/storage/index.ts';

/** SQL for moments. */

export type NewMoment = Omit<MomentRow, 'id'>;

export async function insertMoment(tx: Tx, moment: NewMoment, snapshots: readonly number[]): Promise<void> {
  const { id } = await tx.insertInto('moments').values(moment).returning('id').executeTakeFirstOrThrow();
  const rows = [...new Set(snapshots)].map((snapshot_id) => ({ moment_id: id, snapshot_id }));
  if (rows.length > 0) await tx.insertInto('moment_snapshots').values(rows).execute();
}

/** Keeps more snapshots as long as a moment. */
export async function keepSnapshots(
  tx: Tx,
  moment_id: number,
  databases: ReadonlyArray<{ snapshot: number }>,
): Promise<void> {
  const ids = new Set(databases.map(({ snapshot }) => snapshot));
  const rows = [...ids].map((snapshot_id) => ({ moment_id, snapshot_id }));
  if (rows.length === 0) return;
  await tx
    .insertInto('moment_snapshots')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['moment_id', 'snapshot_id']).doNothing())
    .execute();
}

/** The last moment of a page, at or before a time. */
export function findMoment(db: Db, pageId: number, upTo: number): Promise<MomentRow | undefined> {
  return db
    .selectFrom('moments')
    .selectAll()
    .where('page_id', '=', pageId)
    .where('at', '<=', upTo)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function findLastTime(db: Db, pageId: number): Promise<number> {
  return (await findMoment(db, pageId, Number.MAX_SAFE_INTEGER))?.at ?? 0;
}

/** The time of the last moment of each page. */
export async function listLastTimes(db: Db): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('moments')
    .select((eb) => ['page_id', eb.fn.max('at').as('at')])
    .groupBy('page_id')
    .execute();
  return new Map(rows.map(({ page_id, at }) => [page_id, Number(at)]));
}

/** A moment, with the username of the person who caused it. */
export type ListedMoment = Awaited<ReturnType<typeof listMoments>>[number];

/** Moments of a span, the latest first. */
export function listMoments(
  db: Db,
  pageId: number,
  { from, to, limit }: { from: number; to: number; limit: number },
) {
  return db
    .selectFrom('moments')
    .leftJoin('users', 'users.id', 'moments.cause_by')
    .selectAll('moments')
    .select('users.username as by')
    .where('page_id', '=', pageId)
    .where('at', '>=', from)
    .where('at', '<=', to)
    .orderBy('at', 'desc')
    .limit(limit)
    .execute();
}

/** The moments of a span that were kept for something, the latest first. */
export function listCaused(db: Db, pageId: number, { from, to }: { from: number; to: number }) {
  return db
    .selectFrom('moments')
    .select(['at', 'cause_kind'])
    .where('page_id', '=', pageId)
    .where('at', '>', from)
    .where('at', '<=', to)
    .where('cause_kind', 'is not', null)
    .orderBy('at', 'desc')
    .execute();
}

export async function findOldestTime(db: Db, pageId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('moments')
    .select('at')
    .where('page_id', '=', pageId)
    .orderBy('at')
    .limit(1)
    .executeTakeFirst();
  return row?.at;
}

export function findNamed(db: Db, pageId: number) {
  return db
    .selectFrom('moments')
    .select(['id', 'name', 'at'])
    .where('page_id', '=', pageId)
    .where('name', 'is not', null)
    .execute();
}

/** Makes a moment one without a name. */
export async function forgetName(db: Db, id: number): Promise<void> {
  await db
    .updateTable('moments')
    .set({ name: null, cause_kind: null, cause_by: null, cause_text: '' })
    .where('id', '=', id)
    .execute();
}

/** Everything that decides which moments of a page are kept, the oldest first. */
export function listTimes(db: Db, pageId: number) {
  return db
    .selectFrom('moments')
    .select(['id', 'at', 'name', 'cause_kind', 'size'])
    .where('page_id', '=', pageId)
    .orderBy('at')
    .execute();
}

export function listStates(db: Db, pageId: number): Promise<Array<{ state: string }>> {
  return db.selectFrom('moments').select('state').distinct().where('page_id', '=', pageId).execute();
}

/** Pages with moments, after this one. */
export async function listPagesWithMoments(db: Db, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('moments')
    .select('page_id')
    .distinct()
    .where('page_id', '>', after)
    .orderBy('page_id')
    .limit(limit)
    .execute();
  return rows.map(({ page_id }) => page_id);
}

/** Deletes moments. Returns the snapshots that no moment needs any longer. */
export async function deleteMoments(tx: Tx, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const had = await tx
    .selectFrom('moment_snapshots')
    .select('snapshot_id')
    .distinct()
    .where('moment_id', 'in', ids)
    .execute();
  await tx.deleteFrom('moments').where('id', 'in', ids).execute();
  const snapshots = had.map(({ snapshot_id }) => snapshot_id);
  if (snapshots.length === 0) return [];
  const needed = await listNeededSnapshots(tx, snapshots);
  return snapshots.filter((id) => !needed.has(id));
}

/** Which of these snapshots moments need. */
async function listNeededSnapshots(db: Db, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('moment_snapshots')
    .select('snapshot_id')
    .distinct()
    .where('snapshot_id', 'in', ids)
    .execute();
  return new Set(rows.map(({ snapshot_id }) => snapshot_id));
}

/** The bytes of all moments of these pages. */
export const countBytes = async (db: Db, pageIds: readonly number[]): Promise<number> =>
  (await measureMoments(db, pageIds)).values().reduce((sum, bytes) => sum + bytes, 0);

/** The bytes of the moments of each of these pages. */
export async function measureMoments(db: Db, pageIds: readonly number[]): Promise<Sizes> {
  if (pageIds.length === 0) return new Map();
  const query = db
    .selectFrom('moments')
    .select((eb) => ['page_id as id', eb.fn.sum<number | string>('size').as('bytes')]);
  return toSizes(await query.where('page_id', 'in', pageIds).groupBy('page_id').execute());
}

/** The oldest moment with a name of each page that has one. */
export async function listNamedSince(db: Db): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('moments')
    .select((eb) => ['page_id', eb.fn.min('at').as('at')])
    .where('name', 'is not', null)
    .groupBy('page_id')
    .execute();
  return new Map(rows.map(({ page_id, at }) => [page_id, Number(at)]));
}
