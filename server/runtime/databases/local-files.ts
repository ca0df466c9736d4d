import { existsSync, lstatSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_PATHS } from '../../../workers/protocol.ts';
import type { BoxUser, Runtime } from '../workerd/index.ts';
import { databaseFile, NAMESPACE, prepareFolder, toFileName } from './folder.ts';
import { runTask } from './pages/box.ts';
import type { PackOrder, Report } from './pages/tasks.ts';
import type { Send } from './placement.ts';

/** Two changes of a file within one tick of the kernel's clock have the same time. */
const TICK_MS = 50;
/** A host that runs one long statement does not respond. It has the database open, or nobody has written since. */
const OPEN_MS = 3_000;
/** What a copy can be longer than the files it is made from: what cannot be compressed, and what was just written. */
const SLACK_BYTES = 256 * 1024 * 1024;

interface LocalFilesOptions {
  runtime: Runtime;
  /** The user that owns the files. */
  user: BoxUser | undefined;
  /** The folder of one owner. */
  folder: string;
  isHostUp: boolean;
}

/** The files of one owner's databases on this machine, which a running host writes. */
export class LocalFiles {
  constructor(private readonly options: LocalFilesOptions) {}

  /** Copies a database as it is at one moment, into a folder that does not exist yet. Writers do not wait. */
  async copy(databaseId: number, send: Send, to: string): Promise<void> {
    const output = databaseFile(to, toFileName(databaseId));
    await mkdir(join(to, NAMESPACE), { recursive: true, mode: 0o700 });
    const { pageCount } = await this.run(databaseId, send, { kind: 'copy' }, { output });
    // Nobody has ever written to it.
    if (pageCount === 0) await rm(output);
  }

  /** Packs pages of a database into a segment. */
  pack(databaseId: number, send: Send, { segment, hashes, since, isUrgent }: PackOrder): Promise<Report> {
    const known = since && { position: since.position, pageBytes: since.pageBytes };
    return this.run(
      databaseId,
      send,
      { kind: 'pack', ...(known && { since: known }) },
      { output: segment, hashes, isUrgent, ...(since && { input: since.hashes }) },
    );
  }

  /** The sizes and times of a database and its log; undefined if a change may still get the same time. */
  readStamp(databaseId: number): string | undefined {
    const path = this.locate(databaseId);
    const parts: string[] = [];
    for (const suffix of ['', '-wal']) {
      const found = lstatSync(path + suffix, { bigint: true, throwIfNoEntry: false });
      if (found && Date.now() - Number(found.mtimeMs) < TICK_MS) return undefined;
      // A log that its host has opened and not written is as good as none.
      parts.push(found && found.size > 0n ? `${found.ino} ${found.size} ${found.mtimeNs}` : 'none');
    }
    return parts.join(' ');
  }

  private async run(
    databaseId: number,
    send: Send,
    task: { kind: 'copy' } | { kind: 'pack'; since?: NonNullable<PackTask['since']> },
    files: { output: string; hashes?: string; input?: string; isUrgent?: boolean | undefined },
  ): Promise<Report> {
    const { runtime, user, folder, isHostUp } = this.options;
    const path = this.locate(databaseId);
    if (!isHostUp && existsSync(folder)) prepareFolder(folder, user);
    if (readSize(`${path}-wal`) > 0) await openAtHost(send);
    const maxBytes = 2 * (readSize(path) + readSize(`${path}-wal`)) + SLACK_BYTES;
    return runTask({
      runtime,
      user,
      task: { ...task, file: join(NAMESPACE, `${toFileName(databaseId)}.sqlite`) },
      ...(existsSync(folder) && { folder }),
      ...files,
      maxBytes,
    });
  }

  private locate(databaseId: number): string {
    return databaseFile(this.options.folder, toFileName(databaseId));
  }
}

type PackTask = Extract<Parameters<typeof runTask>[0]['task'], { kind: 'pack' }>;

const readSize = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** A host that was killed has left a log without an index that can be trusted. A host that opens it makes a new one. */
async function openAtHost(send: Send): Promise<void> {
  const body = JSON.stringify({ sql: 'SELECT 1' });
  const signal = AbortSignal.timeout(OPEN_MS);
  try {
    const response = await send(DATABASE_PATHS.query, { body, signal });
    await response.arrayBuffer();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
