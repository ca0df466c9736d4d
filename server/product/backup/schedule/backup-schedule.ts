import type { BackupList } from '../../../../contract/admin/backups.ts';
import { AppError } from '../../../lib/errors.ts';
import { nextMoment, parseCron } from '../../../lib/formats/cron.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import { STOPPED } from '../kept/describe.ts';
import { describeProblem, type StartedBackup } from '../kept/kept-backups.ts';
import { BackupSettingError } from '../setting-error.ts';
import { addFailure, changePlan, claimPlan, findPlan, type PlanRow, savePlan } from './store.ts';

/** How often the clock is looked at: it can be set, or the machine can sleep. */
const TICK_MS = 1_000;
/** How often the database is asked at least: another node can have made the backup, or died. */
const LOOK_EVERY_MS = 60_000;
/** How far the clock can be set back until the next backup is planned again. */
const SET_BACK_MS = 3600 * 1000;
/** How long to wait if somebody makes a backup by hand just then. */
const BUSY_MS = 60_000;
/** When to try again after a failure. Each further failure doubles the time. */
const RETRY_MS = 10 * 60_000;
const MAX_RETRY_MS = 6 * 3600 * 1000;

interface ScheduleOptions {
  cron: string;
  db: Db;
  now: () => number;
  log: Log;
  /** Starts a backup, or fails if one is running. */
  begin(): Promise<StartedBackup>;
  /** Ends the backup of a node that was killed. True if the schedule had started it. */
  endLost(): Promise<boolean>;
  /** Whether a backup of the schedule was running when this node was killed. */
  wasLost: boolean;
  /** Called once when backups begin to fail. */
  warn(tx: Tx, failure: { at: number; problem: string; nextAt: number }): Promise<void>;
  /** Proves a backup that was just made, if the server can. */
  prove(name: string): Promise<void>;
}

/** Makes backups at certain times. Every node has one; the database decides which node makes a backup. */
export class BackupSchedule {
  readonly #options: ScheduleOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #nextAt = 0;
  /** When the database was asked, by a clock that nobody can set. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #working: Promise<void> = Promise.resolve();
  #isStopped = false;
  #wasLost: boolean;

  private constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#wasLost = options.wasLost;
  }

  /** Plans the next backup, if none is planned, and waits for it. */
  static async start(options: ScheduleOptions): Promise<BackupSchedule> {
    await assertMoments(options.cron);
    const schedule = new BackupSchedule(options);
    await schedule.#plan();
    schedule.#arm();
    return schedule;
  }

  /** What administrators see of the schedule. */
  async read(): Promise<BackupList['schedule']> {
    const { cron, db, now } = this.#options;
    const plan = await findPlan(db);
    const nextAt = plan?.due_at ?? (await this.#next(now()));
    const { failures = 0, failed_at = null, problem = null } = plan ?? {};
    return {
      ...{ cron, failures, problem },
      nextAt: toTimestamp(nextAt),
      failedAt: failed_at === null ? null : toTimestamp(failed_at),
    };
  }

  /** Whether the two backups that should follow one of this time are missing. */
  async isLate(newestAt: number | undefined): Promise<boolean> {
    if (newestAt === undefined) return false;
    return (await this.#next(await this.#next(newestAt))) < this.#options.now();
  }

  /** Starts no more backups, so that other nodes can. */
  drain(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async stop(): Promise<void> {
    this.drain();
    await this.#working;
  }

  #next(after: number): Promise<number> {
    return nextMoment({ cron: this.#options.cron, timezone: 'UTC' }, after);
  }

  #arm(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  #tick(): void {
    const isTime = this.#options.now() >= this.#nextAt || performance.now() - this.#lookedAt >= LOOK_EVERY_MS;
    if (!isTime) {
      this.#arm();
      return;
    }
    this.#lookedAt = performance.now();
    this.#working = this.#look()
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'the schedule of backups could not be read; trying again');
        this.#nextAt = Number.POSITIVE_INFINITY;
      })
      .finally(() => this.#arm());
  }

  async #look(): Promise<void> {
    const { db, endLost, now } = this.#options;
    if ((await endLost()) || this.#wasLost) await this.#fail(STOPPED);
    this.#wasLost = false;
    const plan = await this.#plan();
    if (plan.due_at <= now() && !this.#isStopped) {
      const next = { due_at: await this.#next(now()), planned_at: now() };
      if (await claimPlan(db, plan, next)) await this.#make();
    }
    this.#nextAt = (await findPlan(db))?.due_at ?? 0;
  }

  /** The plan, made anew if the schedule is another one, or if the clock was far ahead when it was made. */
  async #plan(): Promise<PlanRow> {
    const { cron, db, now } = this.#options;
    const plan = await findPlan(db);
    if (plan?.cron === cron && plan.planned_at <= now() + SET_BACK_MS) return plan;
    await savePlan(db, { cron, due_at: await this.#next(now()), planned_at: now() });
    const saved = await findPlan(db);
    if (!saved) throw new Error('the schedule of backups was not saved');
    return saved;
  }

  async #make(): Promise<void> {
    const { begin, db, log, now, prove } = this.#options;
    let name: string;
    try {
      const started = await begin();
      name = started.name;
      const problem = await started.ended;
      if (problem !== undefined) return await this.#fail(problem);
    } catch (error) {
      const isBusy = error instanceof AppError && error.code === 'CONFLICT';
      if (isBusy) return await changePlan(db, { due_at: now() + BUSY_MS, planned_at: now() });
      log.warn({ err: error }, 'a scheduled backup could not start');
      return await this.#fail(describeProblem(error));
    }
    await changePlan(db, { failures: 0, failed_at: null, problem: null });
    await prove(name);
  }

  /** Counts the failure, and tries again before the next moment of the schedule. */
  async #fail(problem: string): Promise<void> {
    const { db, now, warn } = this.#options;
    const at = now();
    const regular = await this.#next(at);
    await db.transaction().execute(async (tx) => {
      const failures = await addFailure(tx, { failed_at: at, problem });
      if (failures === undefined) return;
      const retryMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.min(10, failures - 1));
      const nextAt = Math.min(regular, at + retryMs);
      await changePlan(tx, { due_at: nextAt, planned_at: at });
      if (failures === 1) await warn(tx, { at, problem, nextAt });
    });
  }
}

/** Fails if the schedule is not one: the server does not start then. */
async function assertMoments(cron: string): Promise<void> {
  const next = await parseCron({ cron, timezone: 'UTC' }).then(
    (parsed) => parsed.nextRun(),
    () => null,
  );
  if (next === null)
    throw new BackupSettingError(
      'QUIRE_BACKUP_SCHEDULE',
      `${cron} names no moment. Use five fields: minute, hour, day of the month, month and day of the week`,
    );
}
