import type { Db } from '../../../platform/storage/index.ts';
import { type RemoveContext, removeAdmitted } from '../editing/remove.ts';
import { listUnclaimed } from '../model/page-store.ts';

/** How many pages are listed at a time. */
const BATCH = 100;

/** Removes the pages that nobody claimed in time. Several nodes can do so at once. */
export async function purgeUnclaimed(context: RemoveContext, isStopping: () => boolean): Promise<void> {
  for (;;) {
    const now = context.now();
    const ids = await listUnclaimed(context.db, now, BATCH);
    for (const id of ids) {
      if (isStopping()) return;
      await remove(context, id, now);
    }
    if (ids.length < BATCH) return;
  }
}

class ClaimedMeanwhile extends Error {}

async function remove(context: RemoveContext, id: number, now: number): Promise<void> {
  try {
    await removeAdmitted(context, id, async (_db: Db, page) => {
      if (page && (page.claim_hash === null || (page.access_expires_at ?? now + 1) > now))
        throw new ClaimedMeanwhile();
    });
  } catch (error) {
    if (!(error instanceof ClaimedMeanwhile)) throw error;
  }
}
