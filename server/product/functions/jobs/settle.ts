import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { type Batch, FREE } from './batch.ts';
import { backoffMs, cutOffDelayMs, MAX_CUT_OFFS, MAX_TRIES } from './limits.ts';
import { deleteJobs, findFirstDue, type JobRow, listBatch, releaseNext, updateJob } from './message-store.ts';
import { lockQueue, updateQueue } from './store.ts';

/** What a function did with the messages of a batch. */
export interface BatchResult {
  done: ReadonlySet<number>;
  /** The delay that the function asked for, for those that it wants again. */
  delays: ReadonlyMap<number, number>;
  /** Why the others failed. */
  error: string;
  /** Whether the function was cut off because others waited. Then it is not to blame, unless this happens very often. */
  madePlace: boolean;
}

interface SettleContext {
  db: Db;
  now: () => number;
  chargeUsage: ChargeUsage;
}

/** How many messages are done, are tried again, and have failed for good. */
export interface Settled {
  done: number;
  again: number;
  failed: number;
}

/** Stores the result of a batch. Undefined if the batch counted as lost: its messages are sent again. */
export function settle(
  { db, now, chargeUsage }: SettleContext,
  batch: Batch,
  result: BatchResult,
): Promise<Settled | undefined> {
  return db.transaction().execute(async (tx) => {
    const queue = await lockQueue(tx, batch.functionId);
    if (queue?.lease !== batch.lease) return undefined;
    const jobs = await listBatch(tx, batch);
    const done = jobs.filter(({ id }) => result.done.has(id));
    const left = jobs.filter(({ id }) => !result.done.has(id));
    const failed = left.filter((job) => job.tries >= MAX_TRIES && !isFree(job, result));
    await deleteJobs(
      tx,
      done.map(({ id }) => id),
    );
    for (const job of left) await storeFailure(tx, job, result, now());
    const over = [...done, ...failed].map((job) => job.in_order);
    await releaseNext(tx, batch.functionId, over, now());
    const bytes = done.reduce((sum, job) => sum + job.bytes, 0);
    await updateQueue(tx, batch.functionId, {
      ...FREE,
      waiting: queue.waiting - done.length - failed.length,
      failed: queue.failed + failed.length,
      bytes: queue.bytes - bytes,
      due_at: await findFirstDue(tx, batch.functionId),
    });
    if (bytes > 0) await chargeUsage(tx, queue.owner_id, { bytes: -bytes });
    return { done: done.length, again: left.length - failed.length, failed: failed.length };
  });
}

/** True if the try does not count. */
const isFree = ({ cut_offs }: JobRow, { madePlace }: BatchResult) => madePlace && cut_offs < MAX_CUT_OFFS;

async function storeFailure(tx: Tx, job: JobRow, result: BatchResult, now: number): Promise<void> {
  const { delays, error } = result;
  const { tries, cut_offs } = job;
  if (isFree(job, result)) {
    const again = { tries: tries - 1, cut_offs: cut_offs + 1, due_at: now + cutOffDelayMs(cut_offs) };
    return updateJob(tx, job.id, { batch: null, error, ...again });
  }
  if (tries >= MAX_TRIES) return updateJob(tx, job.id, { batch: null, failed_at: now, error });
  const delay = delays.get(job.id);
  const due_at = now + (delay === undefined ? backoffMs(tries) : delay * 1000);
  return updateJob(tx, job.id, { batch: null, due_at, error });
}
