import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Tables, Tx } from '../../../platform/storage/index.ts';
import { AFTER_OTHERS, PREVIEW_CHARACTERS } from './limits.ts';
import type { Lease } from './store.ts';

/** SQL for messages. Lock their queue before you change them. */

export type JobRow = Selectable<Tables['function_jobs']>;
type NewJob = Pick<
  JobRow,
  'key' | 'body' | 'bytes' | 'due_at' | 'sent_at' | 'trigger_id' | 'in_order' | 'round'
>;

export async function insertJobs(tx: Tx, functionId: number, jobs: NewJob[]): Promise<void> {
  await tx
    .insertInto('function_jobs')
    .values(jobs.map((job) => ({ ...job, function_id: functionId, tries: 0 })))
    .execute();
}

/** The first message that waits in an order, by the index of orders: very many can wait in one. */
const selectFirst = (db: Db, functionId: number, order: string) =>
  db
    .selectFrom('function_jobs')
    .select('id')
    .where('function_id', '=', functionId)
    .where('in_order', '=', order)
    .where('failed_at', 'is', null)
    .orderBy('id')
    .limit(1);

/** Those of these orders that a message waits in. */
export async function listBegun(db: Db, functionId: number, orders: string[]): Promise<string[]> {
  const begun: string[] = [];
  for (const order of orders)
    if (await selectFirst(db, functionId, order).executeTakeFirst()) begun.push(order);
  return begun;
}

/** Makes the next message of these orders due, if it waits for one that is gone. */
export async function releaseNext(
  tx: Tx,
  functionId: number,
  orders: Array<string | null>,
  now: number,
): Promise<void> {
  for (const order of new Set(orders.flatMap((each) => each ?? [])))
    await tx
      .updateTable('function_jobs')
      .set({ due_at: now })
      .where('due_at', '=', AFTER_OTHERS)
      .where('id', '=', selectFirst(tx, functionId, order))
      .execute();
}

/** Deletes the waiting messages with these keys. Returns their sizes. */
export async function deleteWithKeys(tx: Tx, functionId: number, keys: string[]): Promise<number[]> {
  if (keys.length === 0) return [];
  const deleted = await tx
    .deleteFrom('function_jobs')
    .where('function_id', '=', functionId)
    .where('key', 'in', keys)
    .returning('bytes')
    .execute();
  return deleted.map(({ bytes }) => bytes);
}

/** When the first of the waiting messages is due; null if none waits. */
export async function findFirstDue(db: Db, functionId: number): Promise<number | null> {
  const row = await db
    .selectFrom('function_jobs')
    .select('due_at')
    .where('function_id', '=', functionId)
    .where('failed_at', 'is', null)
    .orderBy('due_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? null;
}

export function listDueJobs(db: Db, functionId: number, now: number, limit: number): Promise<JobRow[]> {
  return db
    .selectFrom('function_jobs')
    .selectAll()
    .where('function_id', '=', functionId)
    .where('failed_at', 'is', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Puts messages into a batch. From now on, a new message with the key of one of them is another message. */
export async function takeJobs(tx: Tx, ids: number[], lease: string): Promise<void> {
  await tx
    .updateTable('function_jobs')
    .set((eb) => ({ tries: eb('tries', '+', 1), batch: lease, key: null }))
    .where('id', 'in', ids)
    .execute();
}

/** The messages that are still in a batch. There are none if the function was deleted meanwhile. */
export function listBatch(db: Db, { functionId, lease }: Lease): Promise<JobRow[]> {
  return db
    .selectFrom('function_jobs')
    .selectAll()
    .where('function_id', '=', functionId)
    .where('batch', '=', lease)
    .execute();
}

/** Takes the messages out of a batch that has no result. `tries` is added to the tries of each. */
export async function leaveBatch(
  tx: Tx,
  { functionId, lease }: Lease,
  { tries }: { tries: 0 | -1 },
): Promise<void> {
  await tx
    .updateTable('function_jobs')
    .set((eb) => ({ batch: null, tries: eb('tries', '+', tries) }))
    .where('function_id', '=', functionId)
    .where('batch', '=', lease)
    .execute();
}

export async function deleteJobs(tx: Tx, ids: number[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('function_jobs').where('id', 'in', ids).execute();
}

export async function updateJob(
  tx: Tx,
  id: number,
  changes: Partial<Pick<JobRow, 'due_at' | 'failed_at' | 'error' | 'batch' | 'tries' | 'cut_offs'>>,
): Promise<void> {
  await tx.updateTable('function_jobs').set(changes).where('id', '=', id).execute();
}

export function findJob(db: Db, functionId: number, id: number): Promise<JobRow | undefined> {
  return db
    .selectFrom('function_jobs')
    .selectAll()
    .where('function_id', '=', functionId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Lists messages with the beginning of their body: failed ones, the latest first; or the others, the next first. */
export function listJobs(
  db: Db,
  functionId: number,
  { state, limit, offset }: { state: 'waiting' | 'failed'; limit: number; offset: number },
): Promise<JobRow[]> {
  const isFailed = state === 'failed';
  return db
    .selectFrom('function_jobs')
    .select([
      'id',
      'function_id',
      'key',
      'bytes',
      'sent_at',
      'due_at',
      'tries',
      'cut_offs',
      'batch',
      'failed_at',
      'error',
      'trigger_id',
      'in_order',
      'round',
    ])
    .select(sql<string>`substr(body, 1, ${sql.lit(PREVIEW_CHARACTERS)})`.as('body'))
    .where('function_id', '=', functionId)
    .where('failed_at', isFailed ? 'is not' : 'is', null)
    .$if(!isFailed, (query) => query.orderBy('due_at'))
    .orderBy('id', isFailed ? 'desc' : 'asc')
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Lets failed messages be tried again as if they were new: one, or some. Returns how many there were. */
export async function reviveJobs(
  tx: Tx,
  functionId: number,
  { id, limit, now }: { id: number | undefined; limit: number; now: number },
): Promise<number> {
  const some = selectSome(tx, functionId, 'failed', limit);
  const { numUpdatedRows } = await tx
    .updateTable('function_jobs')
    .set({ failed_at: null, tries: 0, cut_offs: 0, error: null, due_at: now })
    .where('id', 'in', id === undefined ? some : some.where('id', '=', id))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Deletes some messages. Returns their sizes. */
export async function deleteSome(
  tx: Tx,
  functionId: number,
  state: 'waiting' | 'failed',
  limit: number,
): Promise<number[]> {
  const deleted = await tx
    .deleteFrom('function_jobs')
    .where('id', 'in', selectSome(tx, functionId, state, limit))
    .returning('bytes')
    .execute();
  return deleted.map(({ bytes }) => bytes);
}

/** Functions with changes of records that failed before a time. */
export async function listWithOldChanges(db: Db, before: number): Promise<number[]> {
  const rows = await db
    .selectFrom('function_jobs')
    .select('function_id')
    .distinct()
    .where('failed_at', '<', before)
    .where('in_order', 'is not', null)
    .execute();
  return rows.map(({ function_id }) => function_id);
}

/** Deletes some changes of records that failed before a time. Returns their sizes. */
export async function deleteOldChanges(
  tx: Tx,
  functionId: number,
  before: number,
  limit: number,
): Promise<number[]> {
  const old = tx
    .selectFrom('function_jobs')
    .select('id')
    .where('function_id', '=', functionId)
    .where('failed_at', '<', before)
    .where('in_order', 'is not', null)
    .orderBy('id')
    .limit(limit);
  const deleted = await tx.deleteFrom('function_jobs').where('id', 'in', old).returning('bytes').execute();
  return deleted.map(({ bytes }) => bytes);
}

/** In the order of the index of their state. */
function selectSome(tx: Tx, functionId: number, state: 'waiting' | 'failed', limit: number) {
  const isFailed = state === 'failed';
  return tx
    .selectFrom('function_jobs')
    .select('id')
    .where('function_id', '=', functionId)
    .where('failed_at', isFailed ? 'is not' : 'is', null)
    .$if(!isFailed, (query) => query.orderBy('due_at'))
    .orderBy('id')
    .limit(limit);
}

/** Makes messages due now that were sent at a time that is still to come: the clock was wrong then. */
export async function bringForward(tx: Tx, functionId: number, after: number, now: number): Promise<void> {
  await tx
    .updateTable('function_jobs')
    .set({ due_at: now, sent_at: now })
    .where('function_id', '=', functionId)
    .where('failed_at', 'is', null)
    .where('sent_at', '>', after)
    .where('due_at', '<>', AFTER_OTHERS)
    .execute();
}
