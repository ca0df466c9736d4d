import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Tables, Tx } from '../../../platform/storage/index.ts';

/** SQL for the queues of functions. `message-store.ts` has that for their messages. */

export type QueueRow = Selectable<Tables['function_queues']>;

/** What a node needs to know of a queue that has work. */
export type DueQueue = Pick<QueueRow, 'function_id' | 'owner_id'>;

/** The batch of a queue that is in progress. */
export interface Lease {
  functionId: number;
  lease: string;
}

export function findQueue(db: Db, functionId: number): Promise<QueueRow | undefined> {
  return db
    .selectFrom('function_queues')
    .selectAll()
    .where('function_id', '=', functionId)
    .executeTakeFirst();
}

/** Locks the queue of a function. All who change its messages do this first. */
export function lockQueue(tx: Tx, functionId: number): Promise<QueueRow | undefined> {
  return tx
    .updateTable('function_queues')
    .set({ function_id: functionId })
    .where('function_id', '=', functionId)
    .returningAll()
    .executeTakeFirst();
}

/** Locks the queue of a function, which may be its first use. */
export function openQueue(tx: Tx, functionId: number, ownerId: number): Promise<QueueRow> {
  return tx
    .insertInto('function_queues')
    .values({ function_id: functionId, owner_id: ownerId, waiting: 0, failed: 0, bytes: 0, running: 0 })
    .onConflict((conflict) => conflict.column('function_id').doUpdateSet({ function_id: functionId }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateQueue(
  tx: Tx,
  functionId: number,
  changes: Partial<Omit<QueueRow, 'function_id' | 'owner_id'>>,
): Promise<void> {
  await tx.updateTable('function_queues').set(changes).where('function_id', '=', functionId).execute();
}

/** The messages of all functions of an owner, waiting and failed. */
export async function countOwnersMessages(db: Db, ownerId: number): Promise<number> {
  const { count } = await db
    .selectFrom('function_queues')
    .select(sql<number>`coalesce(sum(waiting + failed), 0)`.as('count'))
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The functions of an owner with jobs that have failed, those with most first. */
export function listFailing(
  db: Db,
  ownerId: number,
  limit: number,
): Promise<Array<{ slug: string; jobs: number }>> {
  return db
    .selectFrom('function_queues')
    .innerJoin('functions', 'functions.id', 'function_queues.function_id')
    .select(['functions.slug', 'function_queues.failed as jobs'])
    .where('function_queues.owner_id', '=', ownerId)
    .where('function_queues.failed', '>', 0)
    .orderBy('function_queues.failed', 'desc')
    .orderBy('functions.slug')
    .limit(limit)
    .execute();
}

/** Queues with work, of functions that can be called. */
const runnable = (db: Db, exceptOwners: number[]) =>
  db
    .selectFrom('function_queues')
    .innerJoin('functions', 'functions.id', 'function_queues.function_id')
    .where('functions.taken_down_at', 'is', null)
    .where('functions.owner_blocked_at', 'is', null)
    .where('running_until', 'is', null)
    .$if(exceptOwners.length > 0, (query) => query.where('function_queues.owner_id', 'not in', exceptOwners));

/** The queues whose messages are due, the longest waiting first. Those of some owners are left out. */
export function listDue(
  db: Db,
  { now, exceptOwners, limit }: { now: number; exceptOwners: number[]; limit: number },
): Promise<DueQueue[]> {
  return runnable(db, exceptOwners)
    .select(['function_queues.function_id', 'function_queues.owner_id'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute();
}

/** When the next message is due, apart from those of some owners. */
export async function findNextDue(db: Db, exceptOwners: number[]): Promise<number | undefined> {
  const row = await runnable(db, exceptOwners)
    .select('due_at')
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? undefined;
}

/** The messages of all queues, and when the first was due that nobody has begun; null if none is. */
export async function countAllMessages(
  db: Db,
): Promise<{ waiting: number; failed: number; dueAt: number | null }> {
  const { waiting, failed } = await db
    .selectFrom('function_queues')
    .select([
      sql<number>`coalesce(sum(waiting), 0)`.as('waiting'),
      sql<number>`coalesce(sum(failed), 0)`.as('failed'),
    ])
    .executeTakeFirstOrThrow();
  return { waiting: Number(waiting), failed: Number(failed), dueAt: (await findNextDue(db, [])) ?? null };
}

/** Claims a queue for this node. False if another node was faster, or nothing is due any more. */
export async function claim(
  tx: Tx,
  { functionId, lease }: Lease,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const claimed = await tx
    .updateTable('function_queues')
    .set({ running_until: until, lease })
    .where('function_id', '=', functionId)
    .where('running_until', 'is', null)
    .where('due_at', '<=', now)
    .returning('function_id')
    .executeTakeFirst();
  return claimed !== undefined;
}

/** Keeps a queue for longer. */
export async function renew(db: Db, { functionId, lease }: Lease, until: number): Promise<void> {
  await db
    .updateTable('function_queues')
    .set({ running_until: until })
    .where('function_id', '=', functionId)
    .where('lease', '=', lease)
    .execute();
}

/** The batches whose node must have been lost. */
export async function listLost(db: Db, now: number): Promise<Lease[]> {
  const rows = await db
    .selectFrom('function_queues')
    .select(['function_id', 'lease'])
    .where('running_until', '<=', now)
    .limit(100)
    .execute();
  return rows.map((row) => ({ functionId: row.function_id, lease: row.lease ?? '' }));
}

/** When the first of the batches in progress has to be renewed. */
export async function findNextEnd(db: Db, exceptFunctions: number[]): Promise<number | undefined> {
  const row = await db
    .selectFrom('function_queues')
    .select('running_until')
    .where('running_until', 'is not', null)
    .$if(exceptFunctions.length > 0, (query) => query.where('function_id', 'not in', exceptFunctions))
    .orderBy('running_until')
    .limit(1)
    .executeTakeFirst();
  return row?.running_until ?? undefined;
}

/** The queues whose first message is due after this time. */
export async function listDueAfter(db: Db, time: number): Promise<number[]> {
  const rows = await db
    .selectFrom('function_queues')
    .select('function_id')
    .where('due_at', '>', time)
    .execute();
  return rows.map((row) => row.function_id);
}
