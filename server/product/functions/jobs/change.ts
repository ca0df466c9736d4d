import { AppError, notFound } from '../../../lib/errors.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { deleteFailed, deleteJobs, findFirstDue, findJob, type JobRow, reviveJobs } from './message-store.ts';
import { lockQueue, type QueueRow, updateQueue } from './store.ts';

/** What owners do with the jobs of their functions. */

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
  return withQueue(db, functionId, async (tx, queue) => {
    if (id !== undefined && (await requireJob(tx, functionId, id)).failed_at === null)
      throw new AppError('CONFLICT', 'This job has not failed. It is tried again by itself.');
    const count = queue ? await reviveJobs(tx, functionId, id, now()) : 0;
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
export function deleteJob({ db, chargeUsage }: ChangeContext, functionId: number, id: number): Promise<void> {
  return withQueue(db, functionId, async (tx, queue) => {
    const job = await requireJob(tx, functionId, id);
    if (!queue) return;
    if (job.batch !== null)
      throw new AppError('CONFLICT', 'This job is running now. Delete it when the function has finished it.');
    await deleteJobs(tx, [id]);
    await updateQueue(tx, functionId, {
      ...(job.failed_at === null ? { waiting: queue.waiting - 1 } : { failed: queue.failed - 1 }),
      bytes: queue.bytes - job.bytes,
      due_at: await findFirstDue(tx, functionId),
    });
    await chargeUsage(tx, queue.owner_id, { bytes: -job.bytes });
  });
}

/** Deletes all failed jobs. Returns how many there were. */
export function deleteFailedJobs({ db, chargeUsage }: ChangeContext, functionId: number): Promise<number> {
  return withQueue(db, functionId, async (tx, queue) => {
    if (!queue) return 0;
    const { count, bytes } = await deleteFailed(tx, functionId);
    await updateQueue(tx, functionId, { failed: queue.failed - count, bytes: queue.bytes - bytes });
    await chargeUsage(tx, queue.owner_id, { bytes: -bytes });
    return count;
  });
}

/** Does something while the queue of a function is locked. It has none until the first message is sent. */
function withQueue<T>(
  db: Db,
  functionId: number,
  work: (tx: Tx, queue: QueueRow | undefined) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (tx) => work(tx, await lockQueue(tx, functionId)));
}
