import { createHash } from 'node:crypto';
import { s3Blobs } from '../../platform/blobs/index.ts';
import { startStorage } from '../../platform/storage/index.ts';
import type { Restored, RestorePlace } from './restore.ts';
import { countRows } from './store.ts';

/** One count at the source and at the target of a restore. */
export interface Compared {
  what: string;
  before: number;
  after: number;
  /** A checksum of the contents, where the count alone would say little. */
  checksum?: { before: string; after: string };
  agrees: boolean;
}

/** Reads the restored data from its engines, and compares it with the archive. */
export async function compareRestored(
  restored: Restored,
  place: RestorePlace & { s3: NonNullable<RestorePlace['s3']> },
): Promise<Compared[]> {
  return [
    ...(await compareRows(restored, place)),
    await compareBlobs(restored, place),
    ...compareDatabases(restored),
  ];
}

async function compareRows({ totals }: Restored, place: RestorePlace): Promise<Compared[]> {
  const storage = await startStorage({ ...place, migrateTo: 'as they are' });
  try {
    const found: Compared[] = [];
    for (const [table, before] of Object.entries(totals.rows)) {
      const after = await countRows(storage.db, table);
      found.push({ what: `rows of ${table}`, before, after, agrees: before === after });
    }
    return found;
  } finally {
    await storage.stop();
  }
}

async function compareBlobs(
  { blobs: sums }: Restored,
  { s3 }: { s3: NonNullable<RestorePlace['s3']> },
): Promise<Compared> {
  const blobs = s3Blobs(s3);
  const before = createHash('sha256');
  const after = createHash('sha256');
  let there = 0;
  for (const [key, sum] of sums) {
    const bytes = await blobs.get(key);
    if (bytes) there++;
    before.update(`${sum}  ${key}\n`);
    after.update(`${bytes ? createHash('sha256').update(bytes).digest('hex') : 'missing'}  ${key}\n`);
  }
  return compared('files and pictures', sums.size, there, before.digest('hex'), after.digest('hex'));
}

function compareDatabases({ totals, moved }: Restored): Compared[] {
  const count = { what: 'databases', before: totals.databases, after: moved.length };
  const each = moved.map(({ id, before, after }) => {
    const sumRows = ({ tables }: typeof before) =>
      Object.values(tables).reduce((sum, { rows }) => sum + rows, 0);
    return compared(`rows in database ${id}`, sumRows(before), sumRows(after), before.sha256, after.sha256);
  });
  return [{ ...count, agrees: count.before === count.after }, ...each];
}

function compared(
  what: string,
  before: number,
  after: number,
  checksumBefore: string,
  checksumAfter: string,
): Compared {
  const checksum = { before: checksumBefore, after: checksumAfter };
  return { what, before, after, checksum, agrees: before === after && checksumBefore === checksumAfter };
}
