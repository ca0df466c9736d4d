import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { PageDirectory } from '../../ports.ts';

/**
 * Notes in a page which of its collections have triggers, so that writing to all others costs nothing. Call it when a
 * trigger is added, or a function that may have some joins the page. What is noted beyond that does no harm.
 */
export async function noteTriggered(
  pages: Pick<PageDirectory, 'noteTriggers'>,
  tx: Tx,
  pageId: number,
): Promise<void> {
  await pages.noteTriggers(tx, pageId, await listTriggered(tx, pageId));
}

/** The collections of a page that a function has a trigger for. */
async function listTriggered(db: Db, pageId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('functions')
    .innerJoin('function_triggers', 'function_triggers.function_id', 'functions.id')
    .select('function_triggers.collection')
    .distinct()
    .where('functions.page_id', '=', pageId)
    .orderBy('function_triggers.collection')
    .execute();
  return rows.map(({ collection }) => collection);
}
