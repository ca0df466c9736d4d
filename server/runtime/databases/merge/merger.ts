import { existsSync, statfsSync, statSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../lib/errors.ts';
import { createSemaphore } from '../../../lib/queues.ts';
import type { Runtime } from '../../workerd/index.ts';
import type { Databases } from '../databases.ts';
import { NAMESPACE, prepareFolder, toFileName } from '../folder.ts';
import { EndedError, runBoxed } from '../pages/box.ts';
import type { DatabaseSnapshots } from '../snapshots/snapshots.ts';
import {
  type CompareOptions,
  DatabaseMergeError,
  type DatabaseMerger,
  type MergeOrder,
  type Source,
  type SqlComparison,
  type SqlMerge,
  type SqlTrial,
  type ThreeDatabases,
} from './port.ts';
import { type CompareTask, EMPTY_COPY, type MergeTask, SqlReport } from './tasks.ts';
import { toSentence } from './violations.ts';

/** Each takes a processor and up to half a gigabyte of memory. */
const AT_ONCE = 1;
const MAX_WAITING = 20;
/** A million rows that both sides have changed take half a minute on a busy machine. */
const DEADLINE_MS = 2 * 60_000;
const MEMORY_BYTES = 1024 ** 3;
const MESSAGE_BYTES = 16 * 1024 ** 2;
/** What is left free on the disk, and what a small database may need. */
const SPARE_BYTES = 256 * 1024 ** 2;
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
const MAX_COMPARED = 8;

interface Scratch {
  folder: string;
  /** The bytes of the three databases. */
  bytes: number;
}

/** Compares and merges databases in a process that has nothing but copies of them. */
export class SnapshotMerger implements DatabaseMerger {
  private readonly inTurn = createSemaphore(AT_ONCE, MAX_WAITING);
  /** The last comparisons, because people look at one in several pieces. */
  private readonly compared = new Map<string, SqlComparison>();

  constructor(
    private readonly options: {
      runtime: Runtime;
      databases: Pick<Databases, 'copyOut' | 'readSize' | 'readStamp'>;
      snapshots: Pick<DatabaseSnapshots, 'writeFile' | 'sumBytes' | 'add' | 'scratch'>;
      deadlineMs?: number;
    },
  ) {}

  async compare(
    files: ThreeDatabases,
    { offset = 0, limit = DEFAULT_LIMIT, rows = true, isOwn = false, ...more }: CompareOptions = {},
  ): Promise<SqlComparison> {
    const pages = { offset, limit: Math.min(limit, MAX_LIMIT) };
    const task: CompareTask = { kind: 'compare', ...pages, rows, isOwn, ...more };
    const key = this.toCacheKey(files, task);
    const known = key === undefined ? undefined : this.compared.get(key);
    if (known) return known;
    const compared = await this.compareNow(files, task);
    if (key !== undefined) this.compared.set(key, compared);
    for (const old of [...this.compared.keys()].slice(0, -MAX_COMPARED)) this.compared.delete(old);
    return compared;
  }

  private compareNow(files: ThreeDatabases, task: CompareTask): Promise<SqlComparison> {
    return this.withFiles(files, async (scratch) => {
      const report = await this.run(scratch, task);
      if (!('compared' in report)) throw new Error('a comparison of databases reported something else');
      return report.compared;
    });
  }

  tryOut(files: ThreeDatabases, order: MergeOrder): Promise<SqlTrial> {
    return this.withFiles(files, async (scratch) => {
      const { merged } = await this.runMerge(scratch, { ...order, isTrial: true });
      return merged;
    });
  }

  merge(files: ThreeDatabases, order: MergeOrder & { databaseId: number }): Promise<SqlMerge> {
    const { databaseId, ...task } = order;
    return this.withFiles(files, async (scratch) => {
      const packed = { segment: join(scratch.folder, 'segment'), hashes: join(scratch.folder, 'hashes') };
      const { merged, report } = await this.runMerge(scratch, { ...task, isTrial: false }, packed);
      if (!merged.isMerged) return merged;
      if (merged.isSame) return { ...merged, snapshot: undefined };
      if (!report) throw new Error('a merge of databases has no result');
      const snapshot = await this.options.snapshots.add(files.ownerId, databaseId, { report, ...packed });
      return { ...merged, snapshot };
    });
  }

  /** Undefined if nobody can see from outside whether a database has changed. */
  private toCacheKey({ ownerId, ...files }: ThreeDatabases, task: CompareTask): string | undefined {
    const sources = Object.values(files);
    const stamps = sources.flatMap((source) =>
      typeof source === 'object' ? [this.options.databases.readStamp(ownerId, source.database)] : [],
    );
    return stamps.includes(undefined) ? undefined : JSON.stringify([ownerId, files, stamps, task]);
  }

  private async runMerge(
    scratch: Scratch,
    order: MergeOrder & { isTrial: boolean },
    packed?: { segment: string; hashes: string },
  ): Promise<{ merged: SqlTrial; report: Extract<SqlReport, { merged: unknown }>['packed'] }> {
    const found = await this.run(scratch, { kind: 'merge', ...order }, packed);
    if (!('merged' in found)) throw new Error('a merge of databases reported something else');
    const { merged, packed: report } = found;
    if (merged.isMerged) return { merged, report };
    return { merged: { ...merged, violations: merged.violations.map(toSentence) }, report };
  }

  private withFiles<T>(files: ThreeDatabases, use: (scratch: Scratch) => Promise<T>): Promise<T> {
    const busy = () =>
      new AppError('UNAVAILABLE', 'Many databases are being compared right now. Try again in a minute.');
    return this.inTurn(async () => {
      const folder = this.options.snapshots.scratch();
      try {
        await mkdir(join(folder, NAMESPACE), { recursive: true, mode: 0o700 });
        const bytes = await this.writeFiles(files, folder);
        return await use({ folder, bytes });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }, busy);
  }

  private async writeFiles({ ownerId, ...files }: ThreeDatabases, folder: string): Promise<number> {
    const expected = await this.sumBytes(ownerId, Object.values(files));
    const { bavail, bsize } = statfsSync(folder);
    // The copies, the rows that change, and the merged database twice.
    if (bavail * bsize < 3 * expected + SPARE_BYTES)
      throw new DatabaseMergeError(
        'There is not enough space on the disk of this server to compare these databases. Ask the people who run it.',
      );
    let bytes = 0;
    for (const side of ['base', 'branch', 'main'] as const) {
      const source = files[side];
      const path = join(folder, NAMESPACE, `${side}.sqlite`);
      if (source !== undefined) await this.writeSource(ownerId, source, path);
      for (const suffix of ['', '-wal'])
        bytes += statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0;
    }
    return bytes;
  }

  private async sumBytes(ownerId: number, sources: Array<Source | undefined>): Promise<number> {
    const { snapshots, databases } = this.options;
    let bytes = await snapshots.sumBytes(sources.filter((source) => typeof source === 'number'));
    for (const source of sources)
      if (typeof source === 'object') bytes += await databases.readSize(ownerId, source.database);
    return bytes;
  }

  /** Writes a database into a file. An empty one has none. */
  private async writeSource(ownerId: number, source: Source, path: string): Promise<void> {
    const { snapshots, databases } = this.options;
    if (typeof source === 'number') return void (await snapshots.writeFile(ownerId, source, path));
    const copy = await databases.copyOut(ownerId, source.database);
    try {
      const file = join(copy.folder, `${toFileName(source.database)}.sqlite`);
      for (const suffix of ['', '-wal'])
        if (existsSync(file + suffix)) await rename(file + suffix, path + suffix);
    } finally {
      await copy.end();
    }
  }

  private async run(
    { folder, bytes }: Scratch,
    task: CompareTask | MergeTask,
    packed?: { segment: string; hashes: string },
  ): Promise<SqlReport> {
    const { runtime, deadlineMs: timeoutMs = DEADLINE_MS } = this.options;
    const user = runtime.sandbox.users?.next();
    prepareFolder(folder, user);
    const startedAt = performance.now();
    try {
      return await runBoxed({
        ...{ runtime, user, folder, isUrgent: true, maxBytes: 2 * bytes + SPARE_BYTES },
        ...(packed && { output: packed.segment, hashes: packed.hashes }),
        module: new URL('./merge.process.ts', import.meta.url),
        toTask: (inBox) => ({ ...task, folder: join(inBox ?? '', NAMESPACE) }),
        report: SqlReport,
        limits: {
          timeoutMs,
          memoryBytes: MEMORY_BYTES,
          messageBytes: MESSAGE_BYTES,
          isWritable: true,
        },
      });
    } catch (error) {
      throw explain(error as Error, performance.now() - startedAt >= timeoutMs, timeoutMs / 1000);
    }
  }
}

/** SQLite says what it cannot do. A process that was killed says nothing. */
function explain(error: Error, isLate: boolean, seconds: number): Error {
  if (isLate)
    return new DatabaseMergeError(
      'Comparing these databases takes more than {seconds} seconds. Merge fewer tables, or look for triggers, checks and computed columns that do much work.',
      { seconds },
      error,
    );
  if ((error as { code?: string }).code === EMPTY_COPY)
    return new DatabaseMergeError(
      'The tables of this database could not be copied to the branch without their rows, so that there is nothing to compare.',
      {},
      error,
    );
  if (error instanceof EndedError || (error as { code?: string }).code === 'SQLITE_NOMEM')
    return new DatabaseMergeError(
      'Comparing these databases needs more memory or disk space than a server gives for it.',
      {},
      error,
    );
  return new DatabaseMergeError(
    'These databases cannot be compared: {message}',
    { message: error.message.slice(0, 300) },
    error,
  );
}
