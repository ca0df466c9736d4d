import type { Backup } from '../../../../contract/admin/backups.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { recordAudit } from '../../../platform/audit/index.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { Encrypt } from '../age/encrypt.ts';
import { describeRun, describeStarted, STOPPED } from './describe.ts';
import { nameBackup, readName, SCHEDULE_ID } from './names.ts';
import { type BackupPlace, type BackupWriter, NoSpaceError } from './place.ts';
import { chooseOld, type KeepBackups } from './retention.ts';
import { claimRun, deleteRun, endSilentRun, findRun, updateRun } from './store.ts';

/** How often a node reports that its backup is running, and after how long without a report it counts as failed. */
const SAY_EVERY_MS = 2_000;
export const SILENT_MS = 60_000;

const NO_SPACE = 'There is not enough space for it. Delete old backups, or free space on the disk.';
const UNKNOWN = 'Something went wrong. The log of the server says what.';

/** Who does something with backups, and from where. */
export interface BackupActor {
  user: { userId: number; username: string };
  address: string;
}

/** A backup that has been started. `ended` resolves to what went wrong; to undefined if it is complete. */
export interface StartedBackup {
  name: string;
  ended: Promise<string | undefined>;
}

interface KeptBackupsOptions {
  place: BackupPlace;
  db: Db;
  /** True if no other node has the same database. */
  isAlone: boolean;
  log: Log;
  now: () => number;
  keep: KeepBackups;
  /** Undefined if backups are not encrypted. */
  encrypt: Encrypt | undefined;
  /** The names of backups that are known to be damaged. */
  listBad(): Promise<Set<string>>;
  /** Starts an archive, or fails if another one is being made here. */
  start(): ReadableStream<Uint8Array>;
  /** Called when a backup is kept, or will not be. */
  onEnd?: ((result: 'complete' | 'failed') => void) | undefined;
}

/** Backups that the server makes in the background and keeps. */
export class KeptBackups {
  readonly #options: KeptBackupsOptions;
  #running: Promise<unknown> | undefined;
  #isStopping = false;

  constructor(options: KeptBackupsOptions) {
    this.#options = options;
  }

  /** Starts a backup for an administrator. It continues after this returns. */
  async make(actor: BackupActor): Promise<Backup> {
    const { name } = await this.begin(actor.user.userId, (tx, name) =>
      this.record(tx, actor, 'backup.make', name),
    );
    return { ...describeStarted(name), madeBy: actor.user.username };
  }

  /** Starts a backup of this user, or of the schedule. */
  async begin(
    userId: number,
    onClaimed: (tx: Tx, name: string) => Promise<void> = async () => undefined,
  ): Promise<StartedBackup> {
    const { db, now, place, start } = this.#options;
    const archive = start();
    let name = '';
    let isClaimed = false;
    try {
      name = await this.#freeName(userId);
      isClaimed = await claimRun(db, { name, now: now(), silentSince: now() - SILENT_MS });
      // List after the claim, because a backup of the same second can become complete until then.
      if (!isClaimed || (await place.list()).some((kept) => kept.name === name)) throw busy();
      await db.transaction().execute((tx) => onClaimed(tx, name));
    } catch (error) {
      await Promise.allSettled([archive.cancel(), isClaimed && deleteRun(db, name)]);
      throw error;
    }
    const ended = this.#write(name, archive).finally(() => {
      if (this.#running === ended) this.#running = undefined;
    });
    this.#running = ended;
    return { name, ended };
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
    const { db, now, place } = this.#options;
    const run = await findRun(db);
    if (run?.name === name && describeRun(run, now() - SILENT_MS).state === 'running')
      throw new AppError('CONFLICT', 'This backup is being made. Delete it when it is complete.');
    const wasKept = await place.remove(name);
    const hadFailed = await deleteRun(db, name);
    if (!wasKept && !hadFailed) throw notFound('This backup was not found.');
    if (wasKept) await db.transaction().execute((tx) => this.record(tx, actor, 'backup.delete', name));
  }

  /** A free name for a backup that starts now. Each name that is taken adds one second. */
  async #freeName(userId: number): Promise<string> {
    const { encrypt, now, place } = this.#options;
    const taken = new Set((await place.list()).map(({ name }) => name));
    const facts = { startedAt: now(), userId, isEncrypted: encrypt !== undefined };
    while (taken.has(nameBackup(facts))) facts.startedAt += 1_000;
    return nameBackup(facts);
  }

  /** Writes into the audit log that somebody did something with a backup. */
  async record(tx: Tx, { user, address }: BackupActor, action: string, name: string): Promise<void> {
    const target = { kind: 'backup', id: null, name };
    await recordAudit(tx, { actor: user, action, target, address, now: this.#options.now() });
  }

  /**
   * Marks the unfinished backup of a killed node as failed. True if the schedule had started it, on one node only.
   * `isStart` is true when this node starts: then no backup of its own can be running.
   */
  async endLost({ isStart = false } = {}): Promise<boolean> {
    const { db, isAlone, now } = this.#options;
    const silentSince = isStart && isAlone ? Number.MAX_SAFE_INTEGER : now() - SILENT_MS;
    const lost = await endSilentRun(db, { silentSince, problem: STOPPED });
    return lost !== undefined && readName(lost)?.userId === SCHEDULE_ID;
  }

  /** Waits for the running backup, which ends because its archive is aborted. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #write(name: string, archive: ReadableStream<Uint8Array>): Promise<string | undefined> {
    const { db, encrypt, log, now, onEnd, place } = this.#options;
    let bytes = 0;
    const say = () =>
      void updateRun(db, name, { seen_at: now(), bytes }).catch((error: unknown) =>
        log.warn({ err: error }, 'the progress of a backup could not be saved'),
      );
    const timer = setInterval(say, SAY_EVERY_MS);
    let writer: BackupWriter | undefined;
    let stream = archive;
    try {
      writer = await place.create(name);
      stream = encrypt ? await encrypt(archive) : archive;
      for await (const piece of stream) {
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
      onEnd?.('complete');
      await deleteRun(db, name);
      return undefined;
    } catch (error) {
      clearInterval(timer);
      await stream.cancel().catch(() => undefined);
      await archive.cancel().catch(() => undefined);
      await writer
        ?.discard()
        .catch((failure: unknown) => log.warn({ err: failure }, 'a backup is left over'));
      log.warn({ err: error, backup: name }, 'a backup could not be kept');
      onEnd?.('failed');
      const problem = this.#isStopping ? STOPPED : describeProblem(error);
      await updateRun(db, name, { seen_at: now(), bytes, problem }).catch((failure: unknown) =>
        log.warn({ err: failure }, 'the end of a backup could not be saved'),
      );
      return problem;
    }
  }

  /** Whether the backup is running. False if another node has taken it for dead, or somebody has dismissed it. */
  async #isRunning(name: string): Promise<boolean> {
    return (await findRun(this.#options.db))?.name === name;
  }

  /** Deletes old backups, and the parts of older ones that never became complete. */
  async #tidy(made: string): Promise<void> {
    const { keep, listBad, log, now, place } = this.#options;
    await place.removeRemains(made);
    const names = (await place.list()).map(({ name }) => name);
    for (const name of chooseOld(names, { made, bad: await listBad(), keep, now: now() })) {
      await place.remove(name);
      log.info({ backup: name }, 'an old backup was deleted');
    }
  }
}

const replaced = () => new Error('another backup has taken its place');

const busy = () => new AppError('CONFLICT', 'Another backup is running. Try again when it is complete.');

/** What went wrong with a backup, for administrators. */
export function describeProblem(error: unknown): string {
  if (error instanceof NoSpaceError || (error as NodeJS.ErrnoException).code === 'ENOSPC') return NO_SPACE;
  return error instanceof AppError ? error.message : UNKNOWN;
}
