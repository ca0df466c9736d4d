import { open, readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Destination } from '../destination/destination.ts';
import {
  type ContentFacts,
  type ContentSource,
  deleteContent,
  groupPieces,
  isPieceName,
  putContent,
} from '../format/content.ts';
import { FILES } from '../format/names.ts';
import { readGone, writeGone } from './gone.ts';
import { KEEP_MS } from './retention.ts';

/** Which files were deleted, and when. */
const GONE = 'deleted-files';

/** If so many cannot be copied, the others cannot either. */
const MAX_FAILURES = 10;

/** Files that never change: each is copied when it appears, and kept for a week after it was deleted. */
export class ReplicaFiles {
  readonly #waiting = new Set<string>();
  #known = new Set<string>();
  #gone: Record<string, number> = {};

  constructor(
    private readonly destination: Destination,
    private readonly folder: string,
  ) {}

  get waiting(): number {
    return this.#waiting.size;
  }

  /** A file was written. */
  note(key: string): void {
    if (!this.#known.has(key)) this.#waiting.add(key);
  }

  /** Compares the folder with the replica: what is missing is copied, what is gone is kept for a week. */
  async compare(now: number): Promise<void> {
    const stored = await this.destination.list(FILES);
    this.#known = new Set(stored.filter((key) => !isPieceName(key)).map((key) => key.slice(FILES.length)));
    const before = await readGone(this.destination, GONE);
    const local = await listFiles(this.folder);
    for (const key of local) this.note(key);
    const gone = [...this.#known].filter((key) => !local.has(key));
    this.#gone = Object.fromEntries(gone.map((key) => [key, before[key] ?? now]));
    const pieces = groupPieces(stored);
    for (const [key, at] of Object.entries(this.#gone)) {
      if (at > now - KEEP_MS) continue;
      await deleteContent(this.destination, FILES + key, pieces);
      this.#known.delete(key);
      delete this.#gone[key];
    }
    if (Object.keys(this.#gone).length + Object.keys(before).length > 0)
      await writeGone(this.destination, GONE, this.#gone);
  }

  /**
   * Copies what waits. One that has been deleted in the meantime is not needed, and one that cannot be copied does not
   * hold up the others.
   */
  async ship(isStopping: () => boolean): Promise<void> {
    const failures: unknown[] = [];
    for (const key of this.#waiting) {
      if (isStopping()) return;
      try {
        await putFile(this.destination, FILES + key, join(this.folder, key));
      } catch (error) {
        failures.push(error);
        if (failures.length >= MAX_FAILURES) break;
        continue;
      }
      this.#waiting.delete(key);
      this.#known.add(key);
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Copies a file, and returns the checksum of its object; undefined if the file does not exist. */
export async function putFile(
  destination: Destination,
  key: string,
  path: string,
  facts: ContentFacts = {},
): Promise<string | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (!file) return undefined;
  try {
    const source: ContentSource = {
      bytes: (await file.stat()).size,
      async read(from, bytes) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, from);
        return buffer.subarray(0, bytesRead);
      },
    };
    return await putContent(destination, key, source, facts);
  } finally {
    await file.close();
  }
}

async function listFiles(folder: string): Promise<Set<string>> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  if (!isThere) return new Set();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name))),
  );
}
