import { type Backup, type BackupList, MAX_BACKUPS } from '../../../../contract/admin/backups.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { recordAudit } from '../../../platform/audit/index.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import { nameBackup, readName } from './names.ts';
import { type BackupPlace, type BackupWriter, NoSpaceError } from './place.ts';
import { claimRun, deleteRun, findRun, type RunRow, updateRun } from './store.ts';

/** How often a node reports that its backup is running, and after how long without a report it counts as failed. */
const SAY_EVERY_MS = 2_000;
const SILENT_MS = 60_000;

const STOPPED = 'The server stopped before it was complete.';
const NO_SPACE = 'There is not enough space for it. Delete old backups, or free space on the disk.';
const UNKNOWN = 'Something went wrong. The log of the server says what.';

/** Who does something with backups, and from where. */
export interface BackupActor {
  user: { userId: number; username: string };
  address: string;
}

interface KeptBackupsOptions {
  place: BackupPlace;
  db: Db;
  /** True if no other node has the same database. */
  isAlone: boolean;
  log: Log;
  now: () => number;
  readUsernames(userIds: number[]): Promise<Map<number, string>>;
  /** Starts an archive, or fails if another one is being made here. */
  start(): ReadableStream<Uint8Array>;
}

/** Backups that the server makes in the background and keeps. */
export class KeptBackups {
  readonly #options: KeptBackupsOptions;
  #running: Promise<void> | undefined;
  #isStopping = false;

  constructor(options: KeptBackupsOptions) {
    this.#options = options;
  }

  /** Starts a backup, which continues after this returns. */
  async make(actor: BackupActor): Promise<Backup> {
    const { db, now, place, start } = this.#options;
    const archive = start();
    let name = '';
    let isClaimed = false;
    try {
      name = await this.#freeName(actor.user.userId);
      isClaimed = await claimRun(db, { name, now: now(), silentSince: now() - SILENT_MS });
      // List after the claim, because a backup of the same second can become complete until then.
      if (!isClaimed || (await place.list()).some((kept) => kept.name === name)) throw busy();
      await db.transaction().execute((tx) => this.record(tx, actor, 'backup.make', name));
    } catch (error) {
      await Promise.allSettled([archive.cancel(), isClaimed && deleteRun(db, name)]);
      throw error;
    }
    const running = this.#write(name, archive).finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return {
      ...this.#describe(name),
      state: 'running',
      bytes: 0,
      madeBy: actor.user.username,
      problem: null,
    };
  }

  async list(): Promise<BackupList> {
    const { db, place } = this.#options;
    // Read the run before the list, so that a backup that becomes complete meanwhile is in at least one of them.
    const run = await findRun(db);
    const kept = await place.list();
    const shownRun = run && this.#describeRun(run);
    const isLeftOver = shownRun?.state === 'failed' && kept.some(({ name }) => name === shownRun.name);
    const isShown = shownRun && !isLeftOver;
    const complete = kept.filter(({ name }) => !isShown || name !== shownRun.name);
    const backups = complete.map((each) => ({
      ...this.#describe(each.name),
      ...{ state: 'complete' as const, bytes: each.bytes, problem: null },
    }));
    const all = [...(isShown ? [shownRun] : []), ...backups];
    const newestFirst = all.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
    const users = await this.#options.readUsernames(all.map(({ name }) => readUserId(name)));
    return {
      backups: newestFirst.map((each) => ({ ...each, madeBy: users.get(readUserId(each.name)) ?? null })),
      maxBackups: MAX_BACKUPS,
      place: place.title,
      isBucket: place.isBucket,
    };
  }

  async open(
    name: string,
    actor: BackupActor,
  ): Promise<{ bytes: number; body: Blob | ReadableStream<Uint8Array> }> {
    const { db, place } = this.#options;
    const found = await place.open(name);
    if (!found) throw notFound('This backup was not found.');
    await db.transaction().execute((tx) => this.record(tx, actor, 'backup.download', name));
    return found;
  }

  /** Removes a backup, or the record of one that failed. */
  async remove(name: string, actor: BackupActor): Promise<void> {
    const { db, place } = this.#options;
    const run = await findRun(db);
    if (run?.name === name && this.#describeRun(run).state === 'running')
      throw new AppError('CONFLICT', 'This backup is being made. Delete it when it is complete.');
    const wasKept = await place.remove(name);
    const hadFailed = await deleteRun(db, name);
    if (!wasKept && !hadFailed) throw notFound('This backup was not found.');
    if (wasKept) await db.transaction().execute((tx) => this.record(tx, actor, 'backup.delete', name));
  }

  /** A free name for a backup that starts now. Each name that is taken adds one second. */
  async #freeName(userId: number): Promise<string> {
    const { now, place } = this.#options;
    const taken = new Set((await place.list()).map(({ name }) => name));
    let startedAt = now();
    while (taken.has(nameBackup(startedAt, userId))) startedAt += 1_000;
    return nameBackup(startedAt, userId);
  }

  /** Writes into the audit log that somebody did something with a backup. */
  async record(tx: Tx, { user, address }: BackupActor, action: string, name: string): Promise<void> {
    const target = { kind: 'backup', id: null, name };
    await recordAudit(tx, { actor: user, action, target, address, now: this.#options.now() });
  }

  /** Marks the unfinished backup of a killed server as failed. */
  async recover(): Promise<void> {
    const { db, isAlone, now } = this.#options;
    const run = isAlone ? await findRun(db) : undefined;
    if (run?.problem === null)
      await updateRun(db, run.name, { seen_at: now(), bytes: run.bytes, problem: STOPPED });
  }

  /** Waits for the running backup, which ends because its archive is aborted. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #write(name: string, archive: ReadableStream<Uint8Array>): Promise<void> {
    const { db, log, now, place } = this.#options;
    let bytes = 0;
    const say = () =>
      void updateRun(db, name, { seen_at: now(), bytes }).catch((error: unknown) =>
        log.warn({ err: error }, 'the progress of a backup could not be saved'),
      );
    const timer = setInterval(say, SAY_EVERY_MS);
    let writer: BackupWriter | undefined;
    try {
      writer = await place.create(name);
      for await (const piece of archive) {
        await writer.write(piece);
        bytes += piece.length;
      }
      // Another node may have taken this node for dead, and removed parts of its backup.
      if (!(await this.#isRunning(name))) throw replaced();
      await writer.finish();
      // From here on the backup is complete, whatever else happens.
      writer = undefined;
      // Another node could still remove parts of the backup until here.
      if (!(await this.#isRunning(name))) {
        await place.remove(name);
        throw replaced();
      }
      await this.#tidy(name).catch((error: unknown) => log.warn({ err: error }, 'old backups are left over'));
      clearInterval(timer);
      await deleteRun(db, name);
    } catch (error) {
      clearInterval(timer);
      await archive.cancel().catch(() => undefined);
      await writer
        ?.discard()
        .catch((failure: unknown) => log.warn({ err: failure }, 'a backup is left over'));
      log.warn({ err: error, backup: name }, 'a backup could not be kept');
      const problem = this.#isStopping ? STOPPED : describeProblem(error);
      await updateRun(db, name, { seen_at: now(), bytes, problem }).catch((failure: unknown) =>
        log.warn({ err: failure }, 'the end of a backup could not be saved'),
      );
    }
  }

  /** Whether the backup is running. False if another node has taken it for dead, or somebody has dismissed it. */
  async #isRunning(name: string): Promise<boolean> {
    return (await findRun(this.#options.db))?.name === name;
  }

  /** Deletes all but the newest backups, and the parts of older ones that never became complete. */
  async #tidy(newest: string): Promise<void> {
    const { log, place } = this.#options;
    await place.removeRemains(newest);
    const byAge = (await place.list()).map(({ name }) => name).sort();
    for (const name of byAge.slice(0, Math.max(0, byAge.length - MAX_BACKUPS))) {
      await place.remove(name);
      log.info({ backup: name }, 'an old backup was deleted');
    }
  }

  #describe(name: string): Pick<Backup, 'name' | 'createdAt' | 'madeBy'> {
    return { name, createdAt: toTimestamp(readName(name)?.startedAt ?? 0), madeBy: null };
  }

  #describeRun(run: RunRow): Backup {
    const isSilent = run.seen_at < this.#options.now() - SILENT_MS;
    const problem = run.problem ?? (isSilent ? STOPPED : null);
    const state = problem === null ? 'running' : 'failed';
    return { ...this.#describe(run.name), state, bytes: run.bytes, problem };
  }
}

const readUserId = (name: string) => readName(name)?.userId ?? 0;

const replaced = () => new Error('another backup has taken its place');

const busy = () => new AppError('CONFLICT', 'Another backup is running. Try again when it is complete.');

function describeProblem(error: unknown): string {
  if (error instanceof NoSpaceError || (error as NodeJS.ErrnoException).code === 'ENOSPC') return NO_SPACE;
  return error instanceof AppError ? error.message : UNKNOWN;
}
