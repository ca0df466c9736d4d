import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogPosition } from '../../../lib/formats/sqlite-log.ts';
import { createKeyedQueue, createSemaphore } from '../../../lib/queues.ts';
import type { KeptBlobs } from '../../../platform/blobs/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Databases } from '../databases.ts';
import { NAMESPACE, toFileName } from '../folder.ts';
import type { Report } from '../pages/tasks.ts';
import { UnreadableDatabaseError } from '../unreadable.ts';
import type { SnapshotKeeper, TakenSnapshot, TakeOptions } from './port.ts';
import {
  deleteRows,
  deleteUnneeded,
  findNewest,
  findSnapshot,
  insertSnapshot,
  listBases,
  listChain,
  listSome,
  markDropped,
  type SnapshotRow,
  sumBytes,
} from './store.ts';

interface SnapshotsOptions {
  databases: Pick<Databases, 'copyEveryMs' | 'readStamp' | 'pack' | 'rebuild' | 'replace' | 'folder'>;
  db: Db;
  kept: Pick<KeptBlobs, 'keepSome' | 'open' | 'release'>;
  now: () => number;
}

/** How many databases are read at the same time. */
const AT_ONCE = 2;
/** A longer chain takes long to read from a bucket. */
const MAX_CHAIN = 1_000;
const ROWS_AT_ONCE = 100;
/** What a file that is not finished begins with. */
const UNFINISHED = 'new-';
const KEY_PREFIX = 'database-snapshots/';

/** Snapshots of databases: segments in the file store, and a row for each. */
export class DatabaseSnapshots implements SnapshotKeeper {
  /**
   * Has the hashes of all pages at the newest snapshot of each database, by the name of its segment. Without them, the
   * next snapshot is a full one.
   */
  private readonly folder: string;
  /** The newest snapshot of a database, and what its files looked like before it was taken. */
  private readonly stamps = new Map<number, string>();
  /** When databases were copied and found to be as in a snapshot, if they are not copied at any time. */
  private readonly looks = new Map<number, { id: number; at: number }>();
  /** When databases were replaced. */
  private readonly replaced = new Map<number, number>();
  private readonly inTurn = createKeyedQueue();
  private readonly limited = createSemaphore(AT_ONCE, Number.POSITIVE_INFINITY);

  constructor(private readonly options: SnapshotsOptions) {
    this.folder = join(options.databases.folder, 'snapshots');
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    // A server that was killed may have left these.
    for (const name of readdirSync(this.folder))
      if (name.startsWith(UNFINISHED)) rmSync(join(this.folder, name), { recursive: true, force: true });
  }

  take(ownerId: number, databaseId: number, options: TakeOptions = {}): Promise<TakenSnapshot> {
    const take = () => this.takeNow(ownerId, databaseId, options);
    return this.inTurn(String(databaseId), () => this.limited(take, () => new Error('too many snapshots')));
  }

  async rebuild(snapshotId: number, to: string): Promise<void> {
    const row = await this.require(snapshotId);
    await mkdir(join(to, NAMESPACE), { recursive: true, mode: 0o700 });
    await this.rebuildFile(row, join(to, NAMESPACE, `${toFileName(row.database_id)}.sqlite`));
  }

  async replace(
    ownerId: number,
    databaseId: number,
    snapshotId: number,
    onReady?: () => Promise<void>,
  ): Promise<void> {
    const row = await this.requireOwn(ownerId, snapshotId);
    const file = this.scratch();
    try {
      const isFile = await this.rebuildFile(row, file);
      await onReady?.();
      await this.options.databases.replace(ownerId, databaseId, isFile ? file : undefined);
      this.stamps.delete(databaseId);
      this.replaced.set(databaseId, this.options.now());
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Writes the database as it was into a file; false if it was empty. */
  async writeFile(ownerId: number, snapshotId: number, file: string): Promise<boolean> {
    return this.rebuildFile(await this.requireOwn(ownerId, snapshotId), file);
  }

  /** The bytes of the databases of some snapshots. */
  async sumBytes(snapshotIds: number[]): Promise<number> {
    const rows = await Promise.all(snapshotIds.map((id) => this.require(id)));
    return rows.reduce((sum, { page_bytes, page_count }) => sum + page_bytes * page_count, 0);
  }

  /** Keeps what was packed elsewhere as a snapshot of a database, which stays as it is. */
  add(
    ownerId: number,
    databaseId: number,
    { report, segment, hashes }: { report: Report; segment: string; hashes: string },
  ): Promise<number> {
    const at = this.options.now();
    const keep = () => this.keep({ ownerId, databaseId, at, newest: undefined, report, segment, hashes });
    return this.inTurn(String(databaseId), keep);
  }

  async drop(snapshotIds: number[]): Promise<void> {
    const { db, kept, now } = this.options;
    const gone: string[] = [];
    for (let at = 0; at < snapshotIds.length; at += ROWS_AT_ONCE) {
      const ids = snapshotIds.slice(at, at + ROWS_AT_ONCE);
      await db.transaction().execute(async (tx) => {
        await markDropped(tx, ids, now());
        for (const base of await listBases(tx, ids)) {
          const keys = await deleteUnneeded(tx, base);
          if (keys.length > 0) await kept.release(tx, keys);
          gone.push(...keys);
        }
      });
    }
    await this.forgetHashes(gone);
  }

  bytes(ownerId: number): Promise<number> {
    return sumBytes(this.options.db, ownerId);
  }

  async forgetOwner(ownerId: number): Promise<void> {
    const { db, kept } = this.options;
    const gone: string[] = [];
    for (let isMore = true; isMore; )
      isMore = await db.transaction().execute(async (tx) => {
        const some = await listSome(tx, ownerId, ROWS_AT_ONCE);
        if (some.length > 0)
          await kept.release(
            tx,
            some.map(({ blob_key }) => blob_key),
          );
        await deleteRows(
          tx,
          some.map(({ id }) => id),
        );
        gone.push(...some.map(({ blob_key }) => blob_key));
        return some.length > 0;
      });
    await this.forgetHashes(gone);
  }

  /** Removes what this node knows of the pages of snapshots that are gone. */
  private async forgetHashes(keys: readonly string[]): Promise<void> {
    const gone = new Set(keys.map(toKeyName));
    for (const name of await readdir(this.folder))
      if (gone.has(name.slice(name.indexOf('-') + 1))) await rm(join(this.folder, name), { force: true });
  }

  private async takeNow(ownerId: number, databaseId: number, options: TakeOptions): Promise<TakenSnapshot> {
    const { databases, db, now } = this.options;
    const { isUrgent = false } = options;
    const newest = await findNewest(db, databaseId);
    const asOf = newest && !isUrgent && this.findLastLook(newest, options);
    if (asOf) {
      const copiedAgainAt = asOf + databases.copyEveryMs;
      return { id: newest.id, at: newest.at, isNew: false, bytes: 0, asOf, copiedAgainAt };
    }
    const stamp = databases.readStamp(ownerId, databaseId);
    if (newest && stamp !== undefined && this.stamps.get(databaseId) === toStamp(newest.id, stamp))
      return { id: newest.id, at: newest.at, isNew: false, bytes: 0 };
    const since = newest && (await this.findSince(newest));
    const [segment, hashes] = [this.scratch(), this.scratch()];
    try {
      const order = { segment, hashes, since, isUrgent };
      const report = await databases.pack(ownerId, databaseId, order);
      const isSame = newest && !report.isFull && report.pages === 0 && report.pageCount === newest.page_count;
      // The process that read the database has the clock of this machine, which may differ from that of all nodes.
      const at = report.at + now() - Date.now();
      const taken = isSame
        ? { id: newest.id, at: newest.at, isNew: false, bytes: 0 }
        : {
            id: await this.keep({ ownerId, databaseId, at, newest, report, segment, hashes }),
            at,
            isNew: true,
            bytes: report.bytes ?? 0,
          };
      if (stamp !== undefined) this.stamps.set(databaseId, toStamp(taken.id, stamp));
      if (databases.copyEveryMs > 0) this.looks.set(databaseId, { id: taken.id, at });
      return taken;
    } finally {
      for (const file of [segment, hashes]) await rm(file, { force: true });
    }
  }

  /** When the database was last copied, or found to be as it was; undefined if it may be copied again without need. */
  private findLastLook({ id, at, database_id }: SnapshotRow, { notBefore = 0 }: TakeOptions) {
    const { databases, now } = this.options;
    const look = this.looks.get(database_id);
    const lookedAt = look?.id === id ? look.at : at;
    if (lookedAt <= Math.max(notBefore, this.replaced.get(database_id) ?? 0)) return undefined;
    return lookedAt + databases.copyEveryMs > now() ? lookedAt : undefined;
  }

  /** What the next snapshot can build on; undefined if it must be a full one. */
  private async findSince(newest: SnapshotRow) {
    const hashes = join(this.folder, toHashesName(newest));
    if (statSync(hashes, { throwIfNoEntry: false })?.size !== 8 * newest.page_count) return undefined;
    const chain = await listChain(this.options.db, newest);
    const full = chain.at(-1);
    const later = chain.slice(0, -1).reduce((sum, { bytes }) => sum + bytes, 0);
    if (!full || full.base_id !== null || later > full.bytes || chain.length >= MAX_CHAIN) return undefined;
    const position =
      newest.log_position === null ? undefined : (JSON.parse(newest.log_position) as LogPosition);
    return { hashes, position, pageBytes: newest.page_bytes };
  }

  /** Stores a segment and its row. */
  private async keep(taken: {
    ownerId: number;
    databaseId: number;
    at: number;
    newest: SnapshotRow | undefined;
    report: Report;
    segment: string;
    hashes: string;
  }): Promise<number> {
    const { databaseId, at, newest, report } = taken;
    const key = `${KEY_PREFIX}${randomBytes(16).toString('hex')}`;
    const row = {
      owner_id: taken.ownerId,
      database_id: databaseId,
      at,
      base_id: report.isFull || !newest ? null : (newest.base_id ?? newest.id),
      blob_key: key,
      bytes: report.bytes ?? 0,
      checksum: report.checksum ?? '',
      page_count: report.pageCount,
      page_bytes: report.pageBytes,
      log_position: report.position ? JSON.stringify(report.position) : null,
    };
    const name = toHashesName(row);
    await rename(taken.hashes, join(this.folder, name));
    const blob = { key, content: { path: taken.segment } };
    const id = await this.options.kept.keepSome([blob], async (tx, takeKeys) => {
      await takeKeys([key]);
      return insertSnapshot(tx, row);
    });
    for (const other of await readdir(this.folder))
      if (other.startsWith(`${databaseId}-`) && other !== name) await rm(join(this.folder, other));
    return id;
  }

  /** Writes the database as it was; false if it was empty. */
  private async rebuildFile(row: SnapshotRow, output: string): Promise<boolean> {
    const chain = await listChain(this.options.db, row);
    if (chain.at(-1)?.base_id !== null)
      throw new UnreadableDatabaseError(`a part of snapshot ${row.id} is missing`);
    if (row.page_count === 0) return false;
    const { databases, kept } = this.options;
    const segments = chain.map(({ bytes, checksum }) => ({ bytes, checksum }));
    async function* read() {
      for (const { id, blob_key } of chain) {
        const blob = await kept.open(blob_key);
        if (!blob) throw new UnreadableDatabaseError(`the segment of snapshot ${id} is missing`);
        yield* blob.bytes;
      }
    }
    const task = { pageBytes: row.page_bytes, pageCount: row.page_count, segments };
    await databases.rebuild(task, read(), output);
    return true;
  }

  private async require(snapshotId: number): Promise<SnapshotRow> {
    const row = await findSnapshot(this.options.db, snapshotId);
    if (!row) throw new Error(`there is no snapshot ${snapshotId}`);
    return row;
  }

  private async requireOwn(ownerId: number, snapshotId: number): Promise<SnapshotRow> {
    const row = await this.require(snapshotId);
    if (row.owner_id !== ownerId) throw new Error(`snapshot ${snapshotId} belongs to somebody else`);
    return row;
  }

  /** A path for something unfinished. The next start removes what a killed server leaves there. */
  scratch(): string {
    return join(this.folder, `${UNFINISHED}${randomBytes(6).toString('hex')}`);
  }
}

const toStamp = (id: number, stamp: string) => `${id} ${stamp}`;

const toHashesName = ({ database_id, blob_key }: Pick<SnapshotRow, 'database_id' | 'blob_key'>) =>
  `${database_id}-${toKeyName(blob_key)}`;

const toKeyName = (key: string) => key.slice(KEY_PREFIX.length);
