import type { Log } from '../http/index.ts';

/** When the last backup of each result, `complete` or `failed`, ended, in milliseconds. */
export type BackupTimes = Record<string, number>;

/** A drill: when a backup was restored to prove it, and what was wrong. */
interface BackupProof {
  at: number;
  duration_ms: number;
  problem: string | null;
}

const LOOK_EVERY_MS = 15_000;
/** A schedule that is so late has not just waited for its turn. */
const DELAYED_MS = 60_000;

interface ReportsOptions {
  now: () => number;
  log: Log;
  readBackups(): Promise<BackupTimes>;
  saveBackups(times: BackupTimes): Promise<void>;
  /** The last drill; undefined if there was none. */
  readProof(): Promise<BackupProof | undefined>;
  /** The next scheduled backup, and how many in a row have failed; undefined if there is no schedule. */
  readBackupPlan(): Promise<{ due_at: number; failures: number } | undefined>;
  /** How many schedules should have run before a time. */
  countSchedulesDueBefore(time: number): Promise<number>;
  /** The messages of all queues, and when the first was due that nobody has begun; null if none is. */
  readJobs(): Promise<{ waiting: number; failed: number; dueAt: number | null }>;
  /** How many reports of pages no administrator has decided. */
  countOpenPageReports(): Promise<number>;
}

/** What operators want to know and only the database can say, as it was a few seconds ago. */
export class Reports {
  #backups: BackupTimes = {};
  #delayedSchedules = 0;
  #proof: BackupProof | undefined;
  #plan: { due_at: number; failures: number } | undefined;
  #jobs = { waiting: 0, failed: 0, delaySeconds: 0 };
  #openPageReports = 0;
  #work: Promise<void> = Promise.resolve();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(private readonly options: ReportsOptions) {
    this.refresh();
    this.#timer = setInterval(() => this.refresh(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Reads the database again: other nodes make backups too, and run schedules. */
  refresh(): Promise<void> {
    const { now, readBackups, readProof, readBackupPlan, countSchedulesDueBefore, readJobs } = this.options;
    const { countOpenPageReports } = this.options;
    return this.#next(async () => {
      this.#backups = await readBackups();
      this.#proof = await readProof();
      this.#plan = await readBackupPlan();
      this.#delayedSchedules = await countSchedulesDueBefore(now() - DELAYED_MS);
      this.#openPageReports = await countOpenPageReports();
      const { dueAt, ...messages } = await readJobs();
      this.#jobs = { ...messages, delaySeconds: dueAt === null ? 0 : this.#age(dueAt) };
    });
  }

  /** A backup has ended. */
  noteBackup(result: 'complete' | 'failed'): void {
    const { now, readBackups, saveBackups } = this.options;
    void this.#next(async () => {
      this.#backups = { ...(await readBackups()), [result]: now() };
      await saveBackups(this.#backups);
    });
  }

  get delayedSchedules(): number {
    return this.#delayedSchedules;
  }

  /** Messages to functions, and how late the first of them is. */
  get jobs(): { waiting: number; failed: number; delaySeconds: number } {
    return this.#jobs;
  }

  get openPageReports(): number {
    return this.#openPageReports;
  }

  get backupFailures(): number {
    return this.#plan?.failures ?? 0;
  }

  /** How late the scheduled backup is that should have begun. */
  get backupDelaySeconds(): number {
    return this.#plan ? this.#age(this.#plan.due_at) : 0;
  }

  /** Seconds since the last backup of each result. */
  backupAges(): Record<string, number> {
    const ages = Object.entries(this.#backups).map(([result, time]) => [result, this.#age(time)]);
    return Object.fromEntries(ages);
  }

  /** Seconds since the last drill, by what came of it. Empty if there was none. */
  proofAges(): Record<string, number> {
    const proof = this.#proof;
    return proof ? { [proof.problem === null ? 'proven' : 'failed']: this.#age(proof.at) } : {};
  }

  /** How long the last drill took. */
  proofSeconds(): number {
    return (this.#proof?.duration_ms ?? 0) / 1000;
  }

  /** The last backup, whatever came of it. */
  lastBackup(): { ageSeconds: number; result: string } | null {
    const [last] = Object.entries(this.backupAges()).sort(([, a], [, b]) => a - b);
    return last ? { ageSeconds: last[1], result: last[0] } : null;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }

  #age(time: number): number {
    return Math.max(0, Math.round((this.options.now() - time) / 1000));
  }

  /** Runs work one after the other. While the database is unavailable, the last known values stay. */
  #next(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      this.options.log.debug({ err: error }, 'figures for operators could not be read or saved');
    });
    return this.#work;
  }
}
