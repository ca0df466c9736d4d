import { setImmediate } from 'node:timers/promises';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { FAILED_CHANGES_KEPT_MS } from './limits.ts';
import {
  deleteJobs,
  deleteOldChanges,
  deleteSome,
  findFirstDue,
  findJob,
  type JobRow,
  listWithOldChanges,
  releaseNext,
  reviveJobs,
} from './message-store.ts';
import { lockQueue, type QueueRow, updateQueue } from './store.ts';

/** What owners do with the jobs of their functions. */

/** Messages that are changed in one transaction: few, because other requests wait, and each can have 128 KB. */
const MANY = 100;

interface ChangeContext {
  db: Db;
  now: () => number;
  chargeUsage: ChargeUsage;
}

/** Finds a job. It can have been done a moment ago. */
export async function requireJob(db: Db, functionId: number, id: number): Promise<JobRow> {
  const job = await findJob(db, functionId, id);
  if (!job) throw notFound('This job was not found. It may be done, or deleted.');
  return job;
}

/** Sends one failed job again, or all. Returns how many. */
export function retryJobs({ db, now }: ChangeContext, functionId: number, id?: number): Promise<number> {
  return inPieces(db, functionId, async (tx, queue) => {
    if (id !== undefined && (await requireJob(tx, functionId, id)).failed_at === null)
      throw new AppError('CONFLICT', 'This job has not failed. It is tried again by itself.');
    const count = queue ? await reviveJobs(tx, functionId, { id, limit: MANY, now: now() }) : 0;
    if (!queue || count === 0) return 0;
    await updateQueue(tx, functionId, {
      failed: queue.failed - count,
      waiting: queue.waiting + count,
      due_at: await findFirstDue(tx, functionId),
    });
    return count;
  });
}

/** Deletes a job that is not running. */
export function deleteJob(
  { db, now, chargeUsage }: ChangeContext,
  functionId: number,
  id: number,
): Promise<void> {
  return withQueue(db, functionId, async (tx, queue) => {
    const job = await requireJob(tx, functionId, id);
    if (!queue) return;
    if (job.batch !== null)
      throw new AppError('CONFLICT', 'This job is running now. Delete it when the function has finished it.');
    await deleteJobs(tx, [id]);
    await releaseNext(tx, functionId, [job.in_order], now());
    await updateQueue(tx, functionId, {
      ...(job.failed_at === null ? { waiting: queue.waiting - 1 } : { failed: queue.failed - 1 }),
      bytes: queue.bytes - job.bytes,
      due_at: await findFirstDue(tx, functionId),
    });
    await chargeUsage(tx, queue.owner_id, { bytes: -job.bytes });
  });
}

/** Deletes all failed jobs. Returns how many there were. */
export function deleteFailedJobs(context: ChangeContext, functionId: number): Promise<number> {
  return deleteAll(context, functionId, 'failed');
}

/** Deletes changes of records that have failed long ago, with what visitors wrote. */
export async function purgeFailedChanges({ db, now, chargeUsage }: ChangeContext): Promise<void> {
  const before = now() - FAILED_CHANGES_KEPT_MS;
  for (const functionId of await listWithOldChanges(db, before))
    await deletePieces({ db, chargeUsage }, functionId, 'failed', (tx) =>
      deleteOldChanges(tx, functionId, before, MANY),
    );
}

/** Deletes the jobs of a function that is about to be deleted. */
export async function emptyQueue(
  context: Pick<ChangeContext, 'db' | 'chargeUsage'>,
  functionId: number,
): Promise<void> {
  for (const state of ['failed', 'waiting'] as const) await deleteAll(context, functionId, state);
}

const deleteAll = (
  context: Pick<ChangeContext, 'db' | 'chargeUsage'>,
  functionId: number,
  state: 'waiting' | 'failed',
): Promise<number> =>
  deletePieces(context, functionId, state, (tx) => deleteSome(tx, functionId, state, MANY));

function deletePieces(
  { db, chargeUsage }: Pick<ChangeContext, 'db' | 'chargeUsage'>,
  functionId: number,
  state: 'waiting' | 'failed',
  deletePiece: (tx: Tx) => Promise<number[]>,
): Promise<number> {
  return inPieces(db, functionId, async (tx, queue) => {
    if (!queue) return 0;
    const sizes = await deletePiece(tx);
    const bytes = sizes.reduce((sum, each) => sum + each, 0);
    await updateQueue(tx, functionId, {
      [state]: queue[state] - sizes.length,
      bytes: queue.bytes - bytes,
      due_at: await findFirstDue(tx, functionId),
    });
    await chargeUsage(tx, queue.owner_id, { bytes: -bytes });
    return sizes.length;
  });
}

/** Changes messages until a piece of work had fewer than it could have. Returns how many there were. */
async function inPieces(
  db: Db,
  functionId: number,
  work: (tx: Tx, queue: QueueRow | undefined) => Promise<number>,
): Promise<number> {
  for (let total = 0; ; await setImmediate()) {
    const count = await withQueue(db, functionId, work);
    total += count;
    if (count < MANY) return total;
  }
}

function withQueue<T>(
  db: Db,
  functionId: number,
  work: (tx: Tx, queue: QueueRow | undefined) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (tx) => work(tx, await lockQueue(tx, functionId)));
}
