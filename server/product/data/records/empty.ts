import { setImmediate } from 'node:timers/promises';
import { type Db, keepRows, type PageRow } from '../../../platform/storage/index.ts';
import { listStoredCollections } from '../collections/store.ts';
import { dropAllIndexes } from '../indexes/store.ts';
import { type CountContext, countGone } from './counts.ts';
import { removeOldest } from './forget-log.ts';
import { deleteOldest } from './store.ts';

/** Records that are deleted in one transaction: few, because other requests wait. */
const BATCH = 500;

/**
 * Deletes most records of a page that is about to be deleted. The last few of each collection are deleted with the page.
 * If this is interrupted, what is left is counted correctly.
 */
export async function emptyPage(context: CountContext & { db: Db }, page: PageRow): Promise<void> {
  await dropAllIndexes(context.db, page.id, context.now());
  for (const { id, storage_type } of await listStoredCollections(context.db, page.id))
    for (let isMore = true; isMore; await setImmediate())
      isMore = await context.db.transaction().execute(async (tx) => {
        const isThere = (await keepRows(tx, 'pages', [page.id])).size > 0;
        const rows = isThere ? await deleteOldest(tx, id, BATCH) : [];
        if (rows.length > 0) await countGone(context, tx, { page, storageType: storage_type }, id, rows);
        // Their history goes first: the last records and entries are deleted with the page.
        const entries = isThere ? await removeOldest(tx, id, BATCH) : 0;
        return rows.length > 0 || entries > 0;
      });
}
