import { createHash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Destination } from '../destination/destination.ts';
import { DATABASES, databaseCopyKey, parseDatabaseCopy } from '../format/names.ts';
import { putFile } from './files.ts';

/** Copies a database of a function as it is at one moment. The server does this, because the database's host must help. */
export type CopyDatabase = (
  ownerId: number,
  file: string,
) => Promise<{ folder: string; end(): Promise<void> } | undefined>;

/** A database that changes all the time is copied this often, and less often if it is large. */
const EVERY_MS = 10_000;
const EVERY_MS_PER_MEGABYTE = 2_000;

interface Seen {
  ownerId: number;
  file: string;
  /** The sizes and times of the database's files when they were last looked at. */
  stamp: string;
  /** The stamp of the last copy; undefined before the first. */
  copied: string | undefined;
  bytes: number;
  /** When it may be copied again, on the clock of the process. */
  nextAt: number;
  /** Why the last copy failed. */
  problem?: string | undefined;
}

/** The databases of functions. Each is copied as a whole when it has changed. */
export class ReplicaDatabases {
  readonly #seen = new Map<string, Seen>();

  constructor(
    private readonly options: {
      destination: Destination;
      /** Has a folder for each owner. */
      folder: string;
      /** The folder with the files, inside the owner's. */
      inner: string;
      copy: CopyDatabase;
      now: () => number;
    },
  ) {}

  get waiting(): number {
    return [...this.#seen.values()].filter(({ stamp, copied }) => stamp !== copied).length;
  }

  /** Finds out what the replica already has. */
  async start(): Promise<void> {
    for (const key of await this.options.destination.list(DATABASES)) {
      const copy = parseDatabaseCopy(key);
      if (!copy) continue;
      const { ownerId, file, stamp } = copy;
      this.#seen.set(file, { ownerId, file, stamp, copied: stamp, bytes: 0, nextAt: 0 });
    }
  }

  /** Looks at all files, and copies databases that have changed. */
  async ship(isStopping: () => boolean): Promise<void> {
    await this.#look();
    for (const seen of this.#seen.values()) {
      if (isStopping()) return;
      if (seen.stamp === seen.copied || performance.now() < seen.nextAt) continue;
      await this.#copy(seen);
    }
    const failed = [...this.#seen.values()].find(({ problem }) => problem !== undefined);
    if (failed) throw new Error(`the database ${failed.ownerId}/${failed.file}: ${failed.problem}`);
  }

  async #copy(seen: Seen): Promise<void> {
    const { destination, copy, now } = this.options;
    const { ownerId, file, stamp } = seen;
    seen.nextAt = performance.now() + Math.max(EVERY_MS, (seen.bytes / 1024 ** 2) * EVERY_MS_PER_MEGABYTE);
    seen.problem = undefined;
    // A host that does not respond now may do so the next time.
    const copied = await copy(ownerId, file).catch((error: Error) => {
      seen.problem = error.message;
    });
    // It was deleted, or cannot be copied.
    if (!copied) return;
    try {
      const key = databaseCopyKey({ ownerId, file, at: now(), stamp });
      const path = join(copied.folder, `${file}.sqlite`);
      // The log comes first: the copy exists once its own object does.
      const hasLog = await putFile(destination, `${key}-wal`, `${path}-wal`);
      if (await putFile(destination, key, path, { hasLog })) seen.copied = stamp;
    } finally {
      await copied.end();
    }
  }

  async #look(): Promise<void> {
    const { folder, inner } = this.options;
    const found = new Set<string>();
    for (const owner of await namesIn(folder)) {
      if (!/^\d+$/.test(owner)) continue;
      for (const name of await namesIn(join(folder, owner, inner))) {
        const [, file] = /^([0-9a-f]{64})\.sqlite$/.exec(name) ?? [];
        if (file === undefined) continue;
        found.add(file);
        const { stamp, bytes } = await readStamp(join(folder, owner, inner, name));
        const known = this.#seen.get(file);
        this.#seen.set(file, {
          ...{ ownerId: Number(owner), file, stamp, bytes },
          copied: known?.copied,
          problem: known?.problem,
          nextAt: known?.nextAt ?? 0,
        });
      }
    }
    for (const file of this.#seen.keys()) if (!found.has(file)) this.#seen.delete(file);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}

/** Changes whenever a database is written. Empty logs count as none, because hosts remove them when they end. */
async function readStamp(path: string): Promise<{ stamp: string; bytes: number }> {
  const hash = createHash('sha256');
  let total = 0;
  for (const suffix of ['', '-wal']) {
    const found = await lstat(path + suffix).catch(() => undefined);
    if (!found || found.size === 0) continue;
    hash.update(`${suffix} ${found.size} ${found.mtimeMs}\n`);
    total += found.size;
  }
  return { stamp: hash.digest('hex').slice(0, 16), bytes: total };
}
