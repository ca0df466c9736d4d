import { AppError } from '../../../lib/errors.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { GrantBytes } from '../../../runtime/databases/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { deleteDatabase, listChargedDatabases, lockDatabaseBytes, setDatabaseBytes } from './store.ts';

/** The quota of databases where hosts ask for it: the owner is charged in the same transaction that records the grant. */

/** Bounds of a grant: a sixteenth more than a database needs, so that a growing one asks rarely. */
const MIN_STEP_BYTES = 64 * 1024;
const MAX_STEP_BYTES = 1024 * 1024;

export function createGrantBytes(
  db: Db,
  chargeUsage: ChargeUsage,
  /** Grants exactly the requested bytes. */
  { isExact = false } = {},
): GrantBytes {
  return (_ownerId, databaseId, bytes) =>
    db.transaction().execute(async (tx) => {
      const row = await lockDatabaseBytes(tx, databaseId);
      if (!row || row.deleted_at !== null) return 'not found';
      if (bytes <= row.bytes) return row.bytes;
      const step = Math.min(MAX_STEP_BYTES, Math.max(MIN_STEP_BYTES, Math.floor(bytes / 16)));
      for (const next of isExact ? [bytes] : [bytes + step, bytes]) {
        if (!(await charge(tx, chargeUsage, row.owner_id, next - row.bytes))) continue;
        await setDatabaseBytes(tx, databaseId, next);
        return next;
      }
      return 'quota exceeded';
    });
}

async function charge(tx: Tx, chargeUsage: ChargeUsage, ownerId: number, bytes: number): Promise<boolean> {
  try {
    await chargeUsage(tx, ownerId, { bytes });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'QUOTA_EXCEEDED') return false;
    throw error;
  }
}

/** Deletes the row of a removed database, and returns what its owner was charged for it. */
export async function forgetDatabase(db: Db, chargeUsage: ChargeUsage, databaseId: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const row = await deleteDatabase(tx, databaseId);
    if (row && row.bytes > 0) await chargeUsage(tx, row.owner_id, { bytes: -row.bytes });
  });
}

/** Returns earlier grants if files are counted instead: the data may be from the backup of a cluster. */
export async function giveBackGrants(db: Db, chargeUsage: ChargeUsage): Promise<void> {
  for (const { id } of await listChargedDatabases(db)) {
    await db.transaction().execute(async (tx) => {
      const row = await lockDatabaseBytes(tx, id);
      if (!row || row.bytes === 0) return;
      await setDatabaseBytes(tx, id, 0);
      await chargeUsage(tx, row.owner_id, { bytes: -row.bytes });
    });
  }
}
