import { statfsSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../lib/errors.ts';
import { createSemaphore } from '../../../lib/queues.ts';
import type { Runtime } from '../../workerd/index.ts';
import { NAMESPACE, prepareFolder } from '../folder.ts';
import { EndedError, runBoxed } from '../pages/box.ts';
import type { DatabaseSnapshots } from '../snapshots/snapshots.ts';
import {
  type CompareOptions,
  DatabaseMergeError,
  type DatabaseMerger,
  type MergeOrder,
  type SqlComparison,
  type SqlMerge,
  type ThreeSnapshots,
} from './port.ts';
import { type CompareTask, type MergeTask, SqlReport } from './tasks.ts';
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

interface Scratch {
  folder: string;
  /** The bytes of the three databases. */
  bytes: number;
}

/** Compares and merges databases in a process that has nothing but copies of them. */
export class SnapshotMerger implements DatabaseMerger {
  private readonly inTurn = createSemaphore(AT_ONCE, MAX_WAITING);

  constructor(
    private readonly options: {
      runtime: Runtime;
      snapshots: Pick<DatabaseSnapshots, 'writeFile' | 'sumBytes' | 'add' | 'scratch'>;
      deadlineMs?: number;
    },
  ) {}

  async compare(
    files: ThreeSnapshots,
    { table, offset = 0, limit = DEFAULT_LIMIT, rows = true }: CompareOptions = {},
  ): Promise<SqlComparison> {
    const task: CompareTask = { kind: 'compare', table, offset, limit: Math.min(limit, MAX_LIMIT), rows };
    return this.withFiles(files, async (scratch) => {
      const report = await this.run(scratch, task);
      if (!('compared' in report)) throw new Error('a comparison of databases reported something else');
      return report.compared;
    });
  }

  merge(files: ThreeSnapshots, order: MergeOrder): Promise<SqlMerge> {
    const { tables, take, confirm, databaseId } = order;
    return this.withFiles(files, async (scratch) => {
      const packed = { segment: join(scratch.folder, 'segment'), hashes: join(scratch.folder, 'hashes') };
      const report = await this.run(scratch, { kind: 'merge', tables, take, confirm }, packed);
      if (!('merged' in report)) throw new Error('a merge of databases reported something else');
      const { merged, packed: pages } = report;
      if (!merged.isMerged) return { ...merged, violations: merged.violations.map(toSentence) };
      if (!pages) throw new Error('a merge of databases has no result');
      const { ownerId } = files;
      const snapshot = await this.options.snapshots.add(ownerId, databaseId, { report: pages, ...packed });
      const bytes = pages.pageBytes * pages.pageCount;
      return { isMerged: true, snapshot, bytes, isSame: merged.isSame, tables: merged.tables };
    });
  }

  private withFiles<T>(files: ThreeSnapshots, use: (scratch: Scratch) => Promise<T>): Promise<T> {
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

  private async writeFiles({ ownerId, ...files }: ThreeSnapshots, folder: string): Promise<number> {
    const { snapshots } = this.options;
    const expected = await snapshots.sumBytes(Object.values(files).filter((id) => id !== undefined));
    const { bavail, bsize } = statfsSync(folder);
    // The copies, the rows that change, and the merged database twice.
    if (bavail * bsize < 3 * expected + SPARE_BYTES)
      throw new DatabaseMergeError(
        'There is not enough space on the disk of this server to compare these databases. Ask the people who run it.',
      );
    let bytes = 0;
    for (const side of ['base', 'branch', 'main'] as const) {
      const id = files[side];
      const path = join(folder, NAMESPACE, `${side}.sqlite`);
      if (id === undefined || !(await snapshots.writeFile(ownerId, id, path))) continue;
      bytes += statSync(path).size;
    }
    return bytes;
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
