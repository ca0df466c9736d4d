import { randomUUID } from 'node:crypto';
import type { Db } from '../../../platform/storage/index.ts';
import { MAX_BATCH } from './limits.ts';
import { findFirstDue, type JobRow, leaveBatch, listDueJobs, takeJobs } from './message-store.ts';
import { claim, type Lease, listLost, lockQueue, updateQueue } from './store.ts';

/** Messages that this node has claimed. */
export interface Batch extends Lease {
  jobs: JobRow[];
}

/** The queue is free again. */
export const FREE = { running: 0, running_until: null, lease: null };

/**
 * Claims the messages of a function that are due. A message that has failed or was cut off before is alone in its batch,
 * so that it takes no others along. Undefined if another node was faster, or nothing is due.
 */
export function claimBatch(
  db: Db,
  functionId: number,
  { now, until }: { now: number; until: number },
): Promise<Batch | undefined> {
  const lease = randomUUID();
  return db.transaction().execute(async (tx) => {
    if (!(await claim(tx, { functionId, lease }, { now, until }))) return undefined;
    const jobs = chooseJobs(await listDueJobs(tx, functionId, now, MAX_BATCH));
    if (jobs.length === 0) {
      await updateQueue(tx, functionId, { ...FREE, due_at: await findFirstDue(tx, functionId) });
      return undefined;
    }
    await takeJobs(
      tx,
      jobs.map(({ id }) => id),
      lease,
    );
    await updateQueue(tx, functionId, { running: jobs.length });
    const taken = jobs.map((job) => ({ ...job, tries: job.tries + 1, batch: lease, key: null }));
    return { functionId, lease, jobs: taken };
  });
}

/**
 * The messages to take together: what goes to URLs is not mixed with what the function gets, and what the function does
 * for a batch counts as one round.
 */
function chooseJobs(due: JobRow[]): JobRow[] {
  const [first] = due;
  if (!first) return [];
  if (first.trigger_id !== null) return due.filter((job) => job.trigger_id !== null);
  const alike = due.filter((job) => job.trigger_id === null && job.round === first.round);
  const again = alike.findIndex(({ tries, error }) => tries > 0 || error !== null);
  return again < 0 ? alike : alike.slice(0, Math.max(again, 1));
}

/** Gives back the messages of a batch that the function did not get: no try is counted. They are tried again after a time. */
export function giveBack(db: Db, batch: Lease, dueAt: number): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const queue = await lockQueue(tx, batch.functionId);
    if (queue?.lease !== batch.lease) return;
    await leaveBatch(tx, batch, { tries: -1 });
    await updateQueue(tx, batch.functionId, { ...FREE, due_at: dueAt });
  });
}

/**
 * Ends the batches whose node was lost, apart from those of some functions. Their messages are sent again at once: the
 * function is not to blame. Returns the functions.
 */
export async function endLost(
  db: Db,
  before: number,
  exceptFunctions: ReadonlySet<number>,
): Promise<number[]> {
  const ended: number[] = [];
  for (const lost of await listLost(db, before)) {
    if (exceptFunctions.has(lost.functionId)) continue;
    const isEnded = await db.transaction().execute(async (tx) => {
      const queue = await lockQueue(tx, lost.functionId);
      if (queue?.lease !== lost.lease || (queue.running_until ?? Infinity) > before) return false;
      await leaveBatch(tx, lost, { tries: 0 });
      await updateQueue(tx, lost.functionId, FREE);
      return true;
    });
    if (isEnded) ended.push(lost.functionId);
  }
  return ended;
}
