import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceKey } from '../../lib/secrets.ts';
import type { KeptBlobs } from '../../platform/blobs/index.ts';
import type { PlainRow, Snapshot, Storage } from '../../platform/storage/index.ts';
import {
  type DatabaseCopies,
  type Databases,
  UnreadableDatabaseError,
} from '../../runtime/databases/index.ts';
import { FORMAT, fingerprint, type Manifest, type Totals } from './archive/manifest.ts';
import { numbered } from './archive/names.ts';
import { type ArchiveEntry, entry } from './archive/pack.ts';

/** The dependencies of a backup. */
export interface BackupContext {
  storage: Pick<Storage, 'engine' | 'snapshot'>;
  kept: Pick<KeptBlobs, 'open' | 'lock'>;
  databases: Pick<Databases, 'beginCopies'>;
  /** Tables with a blob for each row, and how to find its key. */
  blobKeys: Record<string, (row: PlainRow) => string | undefined>;
  /** Whether a row must not outlive this day, and so must not be in a backup. */
  isLeftOut(table: string, row: PlainRow): boolean;
  /** The service's own key, and whether the operator sets it. */
  key: ServiceKey;
  isKeyGiven: boolean;
  version: string;
  baseUrl: string;
  /** Where files are stored. */
  files: 'folder' | 'bucket';
  now: () => number;
  /** Called when an archive has been read to its end, or was aborted. */
  onEnd?(result: 'complete' | 'failed'): void;
}

/** The approximate size of the files that rows are written to. */
const ROWS_BYTES = 256 * 1024;

/** All data, as files of an archive, in the order in which they can be restored. */
export async function* backupEntries(context: BackupContext): AsyncGenerator<ArchiveEntry> {
  // 1. Lock deletions, so that everything that the rows refer to exists.
  const releaseBlobs = await context.kept.lock();
  const copies = context.databases.beginCopies();
  let snapshot: Snapshot | undefined;
  try {
    // 2. Take the snapshot.
    snapshot = await context.storage.snapshot();
    const totals: Totals = { rows: {}, sequences: {}, blobs: 0, databases: 0, missing: [] };
    yield entry('manifest.json', JSON.stringify(toManifest(context, snapshot.migration), null, 2));
    if (!context.isKeyGiven) yield entry('secret', context.key.inUse.bytes);

    // 3. Write the rows, then the blobs and databases that they refer to.
    const databases: Array<{ ownerId: number; id: number }> = [];
    for (const table of snapshot.tables) {
      totals.rows[table] = 0;
      yield* rowEntries(table, snapshot.rows(table), (row) => {
        if (context.isLeftOut(table, row)) return false;
        totals.rows[table] = (totals.rows[table] ?? 0) + 1;
        if (table === 'function_databases' && row.deleted_at === null)
          databases.push({ ownerId: Number(row.owner_id), id: Number(row.id) });
        return true;
      });
    }
    totals.sequences = await snapshot.sequences();
    yield* blobEntries(context, snapshot, totals);
    await snapshot.end();
    snapshot = undefined;
    for (const { ownerId, id } of databases) yield* databaseEntries(copies, ownerId, id, totals);
    yield entry('totals.json', JSON.stringify(totals, null, 2));
  } finally {
    await snapshot?.end();
    await copies.end();
    await releaseBlobs();
  }
}

function toManifest(context: BackupContext, migration: string): Manifest {
  return {
    format: FORMAT,
    quire: context.version,
    engine: context.storage.engine,
    files: context.files,
    migration,
    createdAt: new Date(context.now()).toISOString(),
    baseUrl: context.baseUrl,
    secret: {
      kept: context.isKeyGiven ? 'setting' : 'archive',
      fingerprint: fingerprint(context.key.inUse.bytes),
    },
  };
}

async function* rowEntries(
  table: string,
  rows: AsyncIterable<PlainRow>,
  /** Whether the row is written. */
  see: (row: PlainRow) => boolean,
): AsyncGenerator<ArchiveEntry> {
  let lines: string[] = [];
  let size = 0;
  let files = 0;
  const file = () => {
    const content = lines.join('');
    lines = [];
    size = 0;
    return entry(`tables/${table}/${numbered(++files)}.ndjson`, content);
  };
  for await (const row of rows) {
    if (!see(row)) continue;
    const line = `${JSON.stringify(row)}\n`;
    lines.push(line);
    size += line.length;
    if (size >= ROWS_BYTES) yield file();
  }
  if (lines.length > 0) yield file();
}

async function* blobEntries(
  { blobKeys, kept }: BackupContext,
  snapshot: Snapshot,
  totals: Totals,
): AsyncGenerator<ArchiveEntry> {
  for (const [table, toKey] of Object.entries(blobKeys)) {
    for await (const row of snapshot.rows(table)) {
      const key = toKey(row);
      if (key === undefined) continue;
      const blob = await kept.open(key);
      if (!blob) {
        totals.missing.push(key);
        continue;
      }
      totals.blobs++;
      yield { name: `blobs/${key}`, ...blob };
    }
  }
}

/** Copies databases. A database that cannot be copied does not stop the backup of others. */
async function* databaseEntries(
  copies: DatabaseCopies,
  ownerId: number,
  id: number,
  totals: Totals,
): AsyncGenerator<ArchiveEntry> {
  const folder = await copies.take(ownerId, id).catch((error: unknown) => {
    if (!(error instanceof UnreadableDatabaseError)) throw error;
    totals.missing.push(`databases/${ownerId}/${id}`);
  });
  if (folder === undefined) return;
  totals.databases++;
  for (const file of await readdir(folder)) {
    const path = join(folder, file);
    const { size } = await stat(path);
    yield { name: `databases/${ownerId}/${file}`, size, bytes: readPieces(path) };
  }
  await copies.discard(id);
}

/** Opens the file only when it is read, so that an unread file is never left open. */
async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}
