import type { Log } from '../../../platform/http/index.ts';
import { DatabaseUnavailableError } from '../../../runtime/databases/index.ts';
import { forgetDatabase } from '../database/grants.ts';
import { listRetiredDatabases, retireAbandonedDatabases } from '../database/store.ts';
import type { DeployContext } from './context.ts';

/** Longer than a deploy takes, so a database without a function is left over from one that was killed. */
const ABANDONED_MS = 60 * 60_000;

/**
 * Removes an unused database: its file first, so that after a crash the record is still there to repeat it.
 */
export async function removeDatabase(
  { db, databases, chargeUsage }: Pick<DeployContext, 'db' | 'databases' | 'chargeUsage'>,
  ownerId: number,
  databaseId: number,
): Promise<void> {
  try {
    await databases.remove(ownerId, databaseId);
  } catch (error) {
    // The record stays, and the removal is repeated later.
    if (error instanceof DatabaseUnavailableError) return;
    throw error;
  }
  await forgetDatabase(db, chargeUsage, databaseId);
}

/**
 * Removes databases that were deleted but could not be removed. Another node may do this too, or lock one.
 */
export async function removeRetiredDatabases(
  context: Pick<DeployContext, 'db' | 'now' | 'databases' | 'chargeUsage'> & { log: Log },
): Promise<void> {
  const now = context.now();
  await retireAbandonedDatabases(context.db, now - ABANDONED_MS, now);
  for (const { id, owner_id } of await listRetiredDatabases(context.db)) {
    await removeDatabase(context, owner_id, id).catch((error: unknown) =>
      context.log.warn({ err: error, database: id }, 'a deleted database could not be removed yet'),
    );
  }
}
