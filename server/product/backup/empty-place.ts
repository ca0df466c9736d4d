import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isBucketEmpty, type S3Settings } from '../../platform/blobs/index.ts';
import { type Db, NODE_TABLES, startStorage } from '../../platform/storage/index.ts';
import { ArchiveError } from './archive/archive-error.ts';
import { dropTables, hasRows, listTables } from './store.ts';

/** The folder that a restore writes to until it is complete. A server ignores it. */
export const UNFINISHED = '.restoring';

/** Names that are allowed in an empty folder: the remains of a killed restore, and what file systems create. */
const NOTHING = [UNFINISHED, 'lock', 'lost+found'];

/** Fails if the folder contains anything that could be lost. */
export async function assertEmptyFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (names.every((name) => NOTHING.includes(name))) return;
  throw new ArchiveError(
    `${folder} is not empty, and restoring would overwrite it. Move it away, or set QUIRE_DATA to another folder.`,
  );
}

/** Fails if the bucket contains blobs. */
export async function assertEmptyBucket(s3: S3Settings): Promise<void> {
  const isEmpty = await isBucketEmpty(s3).catch((error: Error) => {
    const why = error.cause instanceof Error ? error.cause.message : error.message;
    throw new ArchiveError(`The bucket at S3_BUCKET cannot be read: ${why}`, { cause: error });
  });
  if (isEmpty) return;
  throw new ArchiveError(
    'The bucket at S3_BUCKET already has files of Quire. Use another bucket, or delete everything below blobs/ in it.',
  );
}

/** Fails if a PostgreSQL database contains anything. Empty tables of ours are dropped. */
export async function clearEmptyDatabase(databaseUrl: string, dataFolder: string): Promise<void> {
  const { db, engine, stop } = await startStorage({ dataFolder, databaseUrl, migrateTo: 'as they are' });
  try {
    const tables = await listTables({ db, engine });
    if (await isUsed(db, tables)) {
      throw new ArchiveError(
        'The database at DATABASE_URL is not empty, and restoring would overwrite it. Create another, and set DATABASE_URL to it.',
      );
    }
    await dropTables(db, tables);
  } finally {
    await stop();
  }
}

async function isUsed(db: Db, tables: string[]): Promise<boolean> {
  if (tables.length === 0) return false;
  if (!tables.includes('kysely_migration')) return true;
  const counting = tables.filter((table) => !table.startsWith('kysely_') && !NODE_TABLES.includes(table));
  for (const table of counting) if (await hasRows(db, table)) return true;
  return false;
}

/** A path in the folder that a restore is filling. */
export function unfinished(dataFolder: string, ...names: string[]): string {
  return join(dataFolder, UNFINISHED, ...names);
}
