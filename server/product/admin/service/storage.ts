import { MAX_STORAGE_USERS, type StorageReport } from '../../../../contract/admin/storage-report.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { AdminContext } from '../context.ts';

/** How long a storage report is kept. Making one reads the size of every file. */
const KEEP_MS = 60_000;

/** Creates the function that reports what fills the disk. All callers within a minute get the same report. */
export function createStorageReports(
  context: Pick<AdminContext, 'storage' | 'vitals' | 'users' | 'now'>,
): () => Promise<StorageReport> {
  let last: { at: number; report: Promise<StorageReport> } | undefined;
  return () => {
    const at = context.now();
    if (last && at - last.at < KEEP_MS && at >= last.at) return last.report;
    const report = measure(context, at);
    last = { at, report };
    report.catch(() => {
      last = undefined;
    });
    return report;
  };
}

async function measure(
  { storage, vitals, users }: Pick<AdminContext, 'storage' | 'vitals' | 'users'>,
  at: number,
): Promise<StorageReport> {
  const { externalDatabaseBytes, bucket } = storage;
  const [{ bytes, isComplete }, disk, external, largest] = await Promise.all([
    storage.folder(),
    vitals.disk(),
    externalDatabaseBytes?.().catch(() => null),
    users.list({ limit: MAX_STORAGE_USERS, offset: 0, sort: 'storage' }),
  ]);
  const parts = { database: 0, files: 0, functionDatabases: 0, backups: 0, other: 0 };
  for (const [name, size] of bytes) parts[choosePart(name)] += size;
  return {
    measuredAt: toTimestamp(at),
    disk: { freeBytes: disk.freeBytes, totalBytes: disk.totalBytes },
    parts: {
      ...parts,
      database: externalDatabaseBytes ? (external ?? null) : parts.database,
      ...(bucket !== undefined && { files: null, backups: null }),
    },
    isComplete,
    bucket: bucket ?? null,
    isDatabaseElsewhere: externalDatabaseBytes !== undefined,
    users: largest.rows
      .filter((user) => user.bytes > 0)
      .map(({ id, username, pages, functions, bytes }) => ({
        ...{ id, username, pages, functions },
        storedBytes: bytes,
      })),
  };
}

/** The part of the report that a name in the data folder belongs to. */
function choosePart(name: string): keyof StorageReport['parts'] {
  if (name.startsWith('quire.db')) return 'database';
  if (name === 'blobs') return 'files';
  if (name === 'databases' || name === 'cluster') return 'functionDatabases';
  return name === 'backups' ? 'backups' : 'other';
}
