import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The files of one database when they were last looked at. */
export interface SeenDatabase {
  ownerId: number;
  file: string;
  /** Changes whenever the database is written. Empty if it has no file. */
  stamp: string;
  /** With the log. */
  bytes: number;
}

interface Folder {
  path: string;
  ownerId: number;
  /** When it had changed, as it was when it was last listed. */
  stamp: number | undefined;
  /** Its databases without endings, and those that somebody has open. */
  files: string[];
  open: string[];
}

/** Two changes of a folder within one tick of the kernel's clock have the same time. */
const TICK_MS = 1_000;

/**
 * Looks at the files of databases. There can be thousands, so it looks only at those that somebody has open: whoever
 * opens a database makes its log, which changes the folder.
 */
export class DatabaseLook {
  readonly #owners = new Map<string, Folder>();
  #stamp: number | undefined;

  /** `folder` has a folder for each owner, and in it is one with the files, `inner`. */
  constructor(
    private readonly folder: string,
    private readonly inner: string,
  ) {}

  /** Databases whose files may have changed since the last look, also those that have gone. */
  look(): SeenDatabase[] {
    this.#listOwners();
    const seen: SeenDatabase[] = [];
    const now = Date.now();
    for (const known of this.#owners.values()) {
      const stamp = readFolderStamp(known.path, now);
      const isListed = stamp !== undefined && stamp === known.stamp;
      const names = isListed ? known.open : list(known, stamp);
      for (const file of names) seen.push(readFiles(known, file));
    }
    return seen;
  }

  #listOwners(): void {
    const stamp = readFolderStamp(this.folder, Date.now());
    if (stamp !== undefined && stamp === this.#stamp) return;
    this.#stamp = stamp;
    const owners = new Set(namesIn(this.folder).filter((name) => /^\d+$/.test(name)));
    for (const owner of owners)
      if (!this.#owners.has(owner)) {
        const path = join(this.folder, owner, this.inner);
        const folder = { path, ownerId: Number(owner), stamp: undefined, files: [], open: [] };
        this.#owners.set(owner, folder);
      }
    // The databases of an owner who has gone are named once more.
    for (const [owner, { files }] of this.#owners)
      if (!owners.has(owner) && files.length === 0) this.#owners.delete(owner);
  }
}

/** Lists a folder that has changed. Returns the files that it has, and those that it had. */
function list(folder: Folder, stamp: number | undefined): Iterable<string> {
  const names = new Set(namesIn(folder.path));
  const before = folder.files;
  folder.files = [...names].flatMap((name) => /^([0-9a-f]{64})\.sqlite$/.exec(name)?.[1] ?? []);
  folder.open = folder.files.filter((file) => names.has(`${file}.sqlite-wal`));
  folder.stamp = stamp;
  return new Set([...before, ...folder.files]);
}

/** Undefined if the folder is not there, or may still change without looking so. */
function readFolderStamp(path: string, now: number): number | undefined {
  const changedAt = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return changedAt === undefined || Math.abs(now - changedAt) < TICK_MS ? undefined : changedAt;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** Empty logs count as none, because hosts remove them when they end. */
function readFiles({ path, ownerId }: Folder, file: string): SeenDatabase {
  const parts: string[] = [];
  let bytes = 0;
  for (const suffix of ['.sqlite', '.sqlite-wal']) {
    const found = lstatSync(join(path, file + suffix), { bigint: true, throwIfNoEntry: false });
    if (!found || found.size === 0n) continue;
    parts.push(`${suffix} ${found.ino} ${found.size} ${found.mtimeNs}`);
    bytes += Number(found.size);
  }
  return { ownerId, file, stamp: parts.join(' '), bytes };
}
