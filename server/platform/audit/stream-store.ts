import type { Db } from '../storage/index.ts';
import type { StoredAudit } from './read.ts';

/** How far the audit log was written elsewhere, and which node does it. The table has at most one row. */

/** Entries that were not written yet, oldest first. */
export function listUnsent(
  db: Db,
  { until, limit }: { until: number; limit: number },
): Promise<StoredAudit[]> {
  return db
    .selectFrom('audit_entries')
    .selectAll()
    .where('id', '>', (eb) => eb.fn.coalesce(eb.selectFrom('audit_stream').select('sent_id'), eb.lit(0)))
    .where('at', '<=', until)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Makes the node the one that writes, unless another one is. */
export async function claimStream(
  db: Db,
  { node, now, until }: { node: string; now: number; until: number },
): Promise<boolean> {
  // A restored database has the row of the one that was backed up, so a new one begins without.
  await db
    .insertInto('audit_stream')
    .values({ id: 1, sent_id: 0, node: '', claimed_until: 0 })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const { numUpdatedRows } = await db
    .updateTable('audit_stream')
    .set({ node, claimed_until: until })
    .where((eb) => eb.or([eb('node', '=', node), eb('claimed_until', '<', now)]))
    .executeTakeFirst();
  return numUpdatedRows > 0;
}

export async function noteSent(db: Db, { node, id }: { node: string; id: number }): Promise<void> {
  await db.updateTable('audit_stream').set({ sent_id: id }).where('node', '=', node).execute();
}
