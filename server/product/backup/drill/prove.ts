import { createHash } from 'node:crypto';
import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { diskBlobs } from '../../../platform/blobs/index.ts';
import {
  MIGRATION_NAMES,
  type PlainRow,
  type Storage,
  startStorage,
} from '../../../platform/storage/index.ts';
import { openDatabaseFiles } from '../../../runtime/databases/index.ts';
import { decryptArchive } from '../age/decrypt.ts';
import { ArchiveError } from '../archive/archive-error.ts';
import { sumUp } from '../database-sums.ts';
import { NoSpaceError } from '../kept/place.ts';
import type { ArchiveContents } from '../read.ts';
import { type Restored, restoreArchive } from '../restore.ts';
import { countRows } from '../store.ts';
import { inScratch } from './scratch.ts';
import { findDamage } from './store.ts';

/** Free space that a drill leaves, or else stops: without space, everybody's writes fail. */
const LEAVE_BYTES = 256 * 1024 * 1024;

export interface DrillOptions {
  /** A folder in it is filled and removed again. */
  dataFolder: string;
  /** The operator's own key, if there is one. */
  secret?: string | undefined;
  identities?: string[] | undefined;
  onEntry?: (entries: number) => void;
  signal?: AbortSignal;
  leaveBytes?: number;
}

/** What a drill has seen. */
export interface Proven extends ArchiveContents {
  /** Rows in the databases of functions. */
  databaseRows: number;
  /** The page that was read; null if there is none. */
  page: { slug: string; bytes: number } | null;
}

/** Restores an archive into an empty folder, reads everything there, and removes it. Fails with what is wrong. */
export async function proveArchive(
  stream: ReadableStream<Uint8Array>,
  { dataFolder, secret, identities, onEntry, signal, leaveBytes = LEAVE_BYTES }: DrillOptions,
): Promise<Proven> {
  return inScratch(dataFolder, async (folder) => {
    const plain = await decryptArchive(stream, identities);
    const restored = await restoreArchive(
      plain.stream,
      { dataFolder: folder, secret },
      {
        ...(signal && { signal }),
        onEntry(entries) {
          signal?.throwIfAborted();
          assertSpace(folder, leaveBytes);
          onEntry?.(entries);
        },
      },
    );
    const page = await readRows(restored, folder);
    await readBlobs(restored, folder);
    const databaseRows = await readDatabases(restored, folder, signal);
    const { manifest, totals, entries } = restored;
    return { manifest, totals, entries, databaseRows, page };
  });
}

function assertSpace(folder: string, leaveBytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < leaveBytes)
    throw new NoSpaceError(
      `There is not enough space in ${folder} to restore the backup. Free space, or run the drill on another machine.`,
    );
}

/** Opens the database as a server does. */
async function readRows(restored: Restored, folder: string): Promise<Proven['page']> {
  const storage = await startStorage({ dataFolder: folder });
  try {
    const [damage] = await findDamage(storage.db);
    if (damage !== undefined) throw new ArchiveError(`The restored database is damaged: ${damage}`);
    await compareCounts(restored, storage);
    const page = await readNewestPage(storage);
    if (!page && (restored.totals.rows.pages ?? 0) > 0)
      throw new ArchiveError('The restored database has pages, but the newest of them cannot be read.');
    return page;
  } finally {
    await storage.stop();
  }
}

/** The page that was changed last, with its document. Reads every version. Null if there is no page. */
async function readNewestPage(storage: Storage): Promise<Proven['page']> {
  const snapshot = await storage.snapshot();
  try {
    let newest: PlainRow | undefined;
    for await (const page of snapshot.rows('pages'))
      if (!newest || Number(page.updated_at) >= Number(newest.updated_at)) newest = page;
    if (!newest) return null;
    /** The version that has the document of each version, and the size of its own document. */
    const versions = new Map<unknown, { html: unknown; bytes: number }>();
    for await (const { page_id, version, html_version, html_content } of snapshot.rows('page_versions'))
      if (page_id === newest.id)
        versions.set(version, {
          html: html_version ?? version,
          bytes: Buffer.byteLength(String(html_content)),
        });
    const document = versions.get(versions.get(newest.version)?.html);
    return document ? { slug: String(newest.slug), bytes: document.bytes } : null;
  } finally {
    await snapshot.end();
  }
}

/** Later migrations can change how many rows there are. The restore has counted them before. */
async function compareCounts({ manifest, totals }: Restored, { db }: Storage): Promise<void> {
  if (manifest.migration !== MIGRATION_NAMES.at(-1)) return;
  for (const [table, expected] of Object.entries(totals.rows)) {
    const found = await countRows(db, table);
    if (found !== expected)
      throw new ArchiveError(`${table} should have ${expected} rows and has ${found} after the restore.`);
  }
}

async function readBlobs({ blobs: sums }: Restored, folder: string): Promise<void> {
  const blobs = diskBlobs(join(folder, 'blobs'));
  for (const [key, sum] of sums) {
    const bytes = await blobs.get(key);
    if (!bytes || createHash('sha256').update(bytes).digest('hex') !== sum)
      throw new ArchiveError(`The restored file ${key} is not what it was.`);
  }
}

/** Reads every row of the databases of functions, in their sandbox. Returns how many there are. */
async function readDatabases(
  { databases, totals }: Restored,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  // A database that nobody has used yet has no file.
  if (!existsSync(join(folder, 'databases'))) return 0;
  const missing = new Set(totals.missing);
  const files = await openDatabaseFiles(join(folder, 'databases'));
  let rows = 0;
  try {
    for (const { ownerId, id } of databases) {
      signal?.throwIfAborted();
      if (missing.has(`databases/${ownerId}/${id}`)) continue;
      const { tables } = await readDatabase(files, ownerId, id);
      for (const table of Object.values(tables)) rows += table.rows;
    }
  } finally {
    await files.stop();
  }
  return rows;
}

async function readDatabase(
  files: Awaited<ReturnType<typeof openDatabaseFiles>>,
  ownerId: number,
  id: number,
) {
  try {
    return await sumUp(await files.read(ownerId, id));
  } catch (error) {
    throw new ArchiveError(`The restored database ${id} of a function cannot be read.`, { cause: error });
  }
}
