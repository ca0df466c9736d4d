import { randomBytes } from 'node:crypto';
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NAMESPACE, shrinkLogs, startDatabaseHost } from './database-host.ts';
import type { Runtime } from './runtime.ts';

/** Databases of a cluster on their way to files and back: they may be at another node, so they travel as statements. */
export interface ClusterCopies {
  /** Copies a database as it is at one moment: those who write wait until it has been read. */
  copy(ownerId: number, databaseId: number, to: string): Promise<void>;
  /** Fills an empty database with what a copy has. */
  put(ownerId: number, databaseId: number, folder: string): Promise<void>;
}

/** Thrown when a database is there, but what is in it cannot be read out, or not be made again: owners write schemas. */
export class UnreadableDatabaseError extends Error {}

const TRIES = 3;

export function createClusterCopies(options: {
  runtime: Runtime;
  key: string;
  name(databaseId: number): string;
  ask(ownerId: number, databaseId: number, path: string, init?: RequestInit): Promise<Response>;
  onLine(line: string): void;
}): ClusterCopies {
  /** Asks a database in files of ours, at a host that runs for it alone: they have been written by owners. */
  async function withHost<T>(
    dataFolder: string,
    databaseId: number,
    work: (ask: (path: string, init?: RequestInit) => Promise<Response>) => Promise<T>,
  ): Promise<T> {
    const { process, socket } = await startDatabaseHost({
      runtime: options.runtime,
      name: `copy-${randomBytes(6).toString('hex')}`,
      dataFolder,
      key: options.key,
      limitBytes: Number.POSITIVE_INFINITY,
      onLine: options.onLine,
    });
    try {
      return await work(async (path, init) => {
        const headers = { 'x-quire-database': options.name(databaseId), 'x-quire-key': options.key };
        return fetch(`http://database${path}`, {
          method: 'POST',
          ...init,
          headers,
          unix: socket,
        } as RequestInit);
      });
    } finally {
      process.kill();
      await process.exited;
      await rm(dirname(socket), { recursive: true, force: true });
    }
  }

  /** Writes the database's statements into a file; it is not whole when somebody may have written meanwhile. */
  async function download(ownerId: number, databaseId: number, file: string) {
    const ask = (path: string, init?: RequestInit) => options.ask(ownerId, databaseId, path, init);
    const { token } = (await required(await ask('/hold')).json()) as { token: string };
    let isRead = false;
    try {
      await Bun.write(file, required(await ask('/export-lines')));
      isRead = true;
    } catch (error) {
      options.onLine(`a database could not be read: ${error}`);
    }
    const released = required(await ask('/release', { body: JSON.stringify({ token }) }));
    const { isHeld } = (await released.json()) as { isHeld: boolean };
    return { isHeld, isRead };
  }

  return {
    async copy(ownerId, databaseId, to) {
      const folder = join(to, NAMESPACE);
      const lines = join(to, 'statements');
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (let tries = 1; ; tries++) {
        const { isHeld, isRead } = await download(ownerId, databaseId, lines);
        if (isHeld && isRead) break;
        if (tries < TRIES) continue;
        // It was there all the while, and did not tell what it has.
        if (isHeld) throw new UnreadableDatabaseError(`database ${databaseId} cannot be read out`);
        throw new Error('the database could not be held for long enough to copy it');
      }
      await withHost(to, databaseId, async (ask) => assertDone(await ask('/import-lines', bodyOf(lines))));
      await rm(lines);
      await shrinkLogs(to);
      for (const file of await readdir(folder))
        if (!/^[0-9a-f]{64}\.sqlite(-wal)?$/.test(file))
          await rm(join(folder, file), { recursive: true, force: true });
    },

    async put(ownerId, databaseId, folder) {
      // A host writes beside the files it reads.
      const own = join(options.runtime.folder, `put-${randomBytes(6).toString('hex')}`);
      try {
        await cp(folder, join(own, NAMESPACE), { recursive: true });
        await withHost(own, databaseId, async (ask) => {
          const { file } = (await required(await ask('/hold')).json()) as { file: string };
          if (!(await readdir(folder)).includes(`${file}.sqlite`))
            throw new Error(`the copy is not of database ${databaseId}`);
          const exported = required(await ask('/export-lines'));
          await assertDone(await options.ask(ownerId, databaseId, '/import-lines', { body: exported.body }));
        });
      } finally {
        await rm(own, { recursive: true, force: true });
      }
    },
  };
}

function bodyOf(file: string): RequestInit {
  return { body: Bun.file(file).stream() };
}

function required(response: Response): Response {
  if (!response.ok) throw new Error(`the database host answered with ${response.status}`);
  return response;
}

async function assertDone(response: Response): Promise<void> {
  if (response.ok) return;
  const { error } = (await response.json()) as { error?: string };
  throw new UnreadableDatabaseError(`the database could not be filled: ${error}`);
}
