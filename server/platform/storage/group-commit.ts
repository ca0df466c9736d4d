import type { Db, Tx } from '../handles.ts';

const MAX_GROUP = 200;

interface Job {
  work(tx: Tx): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  alone: boolean;
}

/** Runs work in a transaction that it may share with others. Use `alone` for work that is large or likely to fail. */
export type GroupCommit = <T>(work: (tx: Tx) => Promise<T>, options?: { alone: boolean }) => Promise<T>;

/**
 * Lets writes that arrive together share one transaction, and so one disk sync. They run in order of arrival. If one
 * fails, the transaction is rolled back and each runs again in its own. So work may run twice, and must change nothing
 * but the database.
 */
export function createGroupCommit(db: Db): GroupCommit {
  const waiting: Job[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) await runGroup(nextGroup());
    isRunning = false;
  }

  function nextGroup(): Job[] {
    const loner = waiting.findIndex(({ alone }) => alone);
    const together = loner < 0 ? waiting.length : Math.max(loner, 1);
    return waiting.splice(0, Math.min(together, MAX_GROUP));
  }

  async function runGroup(jobs: Job[]): Promise<void> {
    try {
      const results = await db.transaction().execute(async (tx) => {
        const done: unknown[] = [];
        for (const job of jobs) done.push(await job.work(tx));
        return done;
      });
      for (const [index, job] of jobs.entries()) job.resolve(results[index]);
    } catch (error) {
      if (jobs.length === 1) return jobs[0]?.reject(error);
      for (const job of jobs) await runGroup([job]);
    }
  }

  return (work, { alone } = { alone: false }) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve: resolve as (value: unknown) => void, reject, alone });
      // Wait for the next turn of the event loop, so that writes from this turn are included.
      if (!isRunning) {
        isRunning = true;
        setImmediate(run);
      }
    });
}
