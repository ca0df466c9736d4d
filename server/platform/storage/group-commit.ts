import { keepSpan, outsideSpan } from '../traces/index.ts';
import { storageFailure } from './failures.ts';
import type { Db, Tx } from './handles.ts';
import { isReadTimeout } from './postgres-messages.ts';

const MAX_GROUP = 200;

interface Job {
  /** Jobs with the same key are done in one call; those without a key, in a call each. */
  key: string | undefined;
  item: unknown;
  work(tx: Tx, items: unknown[]): Promise<unknown[]>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  alone: boolean;
}

/**
 * Lets writes that arrive together share one transaction, and so one disk sync. They run in order of arrival. If one
 * fails, the transaction is rolled back and each runs again in its own; if the connection is lost before the commit,
 * all run again. So work may run twice, and must change nothing but the database.
 */
export class GroupCommit {
  private waiting: Job[] = [];
  private isRunning = false;

  constructor(
    private readonly db: Db,
    private readonly isTraced = false,
  ) {}

  /** Runs work in a transaction that it may share with others. Use `alone` for work that is large or likely to fail. */
  run<T>(work: (tx: Tx) => Promise<T>, { alone } = { alone: false }): Promise<T> {
    return this.add({ key: undefined, item: undefined, work: async (tx) => [await work(tx)], alone });
  }

  /**
   * Runs work that costs less for many items at once. Items with the same key that arrive together are passed
   * to one call, which returns a result for each. It takes the place of the first of them. With `alone`, that call has
   * a transaction of its own.
   */
  runBatched<Item, T>(
    key: string | undefined,
    item: Item,
    work: (tx: Tx, items: Item[]) => Promise<T[]>,
    { alone } = { alone: false },
  ): Promise<T> {
    return this.add({ key, item, work: work as Job['work'], alone });
  }

  private add<T>(job: Omit<Job, 'resolve' | 'reject'>): Promise<T> {
    return new Promise((resolve, reject) => {
      const work = this.isTraced ? keepSpan(job.work) : job.work;
      this.waiting.push({ ...job, work, resolve: resolve as (value: unknown) => void, reject });
      // Wait for the next turn of the event loop, so that writes from this turn are included.
      if (!this.isRunning) {
        this.isRunning = true;
        setImmediate(() => outsideSpan(() => this.runAll()));
      }
    });
  }

  private async runAll(): Promise<void> {
    while (this.waiting.length > 0) await this.runGroup(this.nextGroup());
    this.isRunning = false;
  }

  private nextGroup(): Job[] {
    const [first] = this.waiting;
    if (first?.alone) return this.takeLike(first);
    const loner = this.waiting.findIndex(({ alone }) => alone);
    const together = loner < 0 ? this.waiting.length : loner;
    return this.waiting.splice(0, Math.min(together, MAX_GROUP));
  }

  /** Takes a job that runs alone, and those that can be done in the same call. */
  private takeLike(first: Job): Job[] {
    const isLike = ({ alone, key }: Job) => alone && key !== undefined && key === first.key;
    const jobs = this.waiting.filter((job) => job === first || isLike(job)).slice(0, MAX_GROUP);
    const taken = new Set(jobs);
    this.waiting = this.waiting.filter((job) => !taken.has(job));
    return jobs;
  }

  private async runGroup(jobs: Job[], isRepeated = false): Promise<void> {
    const batches = toBatches(jobs);
    let isCommitting = false;
    try {
      const results = await this.db.transaction().execute(async (tx) => {
        const done: unknown[][] = [];
        for (const batch of batches) {
          const items = batch.map(({ item }) => item);
          done.push((await batch[0]?.work(tx, items)) ?? []);
        }
        isCommitting = true;
        return done;
      });
      for (const [at, batch] of batches.entries()) {
        for (const [index, job] of batch.entries()) job.resolve(results[at]?.[index]);
      }
    } catch (error) {
      if (storageFailure(error) === 'unreachable') {
        // A connection that is lost before the commit has changed nothing; during the commit, nobody knows.
        if (!isCommitting && !isRepeated && !isReadTimeout(error)) return this.runGroup(jobs, true);
        for (const { reject } of jobs) reject(error);
        return;
      }
      if (jobs.length === 1) return jobs[0]?.reject(error);
      for (const job of jobs) await this.runGroup([job]);
    }
  }
}

function toBatches(jobs: Job[]): Job[][] {
  const batches: Job[][] = [];
  const byKey = new Map<string, Job[]>();
  for (const job of jobs) {
    const known = job.key === undefined ? undefined : byKey.get(job.key);
    if (known) {
      known.push(job);
      continue;
    }
    const batch = [job];
    batches.push(batch);
    if (job.key !== undefined) byKey.set(job.key, batch);
  }
  return batches;
}
