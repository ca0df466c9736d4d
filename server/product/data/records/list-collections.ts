import { toTimestamp } from '../../../lib/timestamp.ts';
import { type DataActor, findReach } from '../access/access.ts';
import { type DataTarget, demandAccess } from '../access/data-target.ts';
import { countedFor, parseRules, rulesByName } from '../collections/collection.ts';
import { listCollections } from '../collections/store.ts';
import type { ReadContext } from './select.ts';
import { countOwn } from './store.ts';

type Listed = Awaited<ReturnType<typeof listCollections>>[number];

/** Lists the collections of a page that are not empty and that the caller can read. */
export async function readCollections(context: ReadContext, target: DataTarget) {
  const { page, storageType, actor } = target;
  if (findReach(actor, 'read', { storageType }) === 'none') await demandAnyCollection(context, target);
  const userId = countedFor(storageType, actor?.userId);
  const rows = await listCollections(context.db, page.id, storageType, userId);
  const reachOfRow = (row: Listed) => findReach(actor, 'read', { storageType, rules: parseRules(row) });
  const isSolo = storageType === 'solo_data';
  const hidden = rows.filter((row) => !isSolo && reachOfRow(row) === 'own');
  const own = actor ? await countHidden(context, page.id, hidden, actor) : new Map();
  const shown = rows.flatMap((row) => {
    if (reachOfRow(row) === 'none') return [];
    return hidden.includes(row) ? (own.get(row.id) ?? []) : [row];
  });
  return {
    collections: shown.map(({ name, records, updated_at }) => ({
      name,
      recordCount: records,
      lastUpdated: toTimestamp(updated_at),
    })),
  };
}

/** Fails if the caller cannot read any collection of the page, by its mode or by a rule. */
async function demandAnyCollection({ db }: ReadContext, target: DataTarget): Promise<void> {
  const { page, storageType, actor } = target;
  const known = await rulesByName(db, page.id, storageType);
  const isAny = [...known.values()].some(
    (rules) => findReach(actor, 'read', { storageType, rules }) !== 'none',
  );
  if (!isAny) demandAccess(target, 'read', {});
}

/** Counts only the caller's own records, for collections where others' records are hidden. */
async function countHidden(
  { inTurn, slowDb }: ReadContext,
  pageId: number,
  hidden: Listed[],
  { userId }: DataActor,
): Promise<Map<number, Listed>> {
  if (hidden.length === 0) return new Map();
  const ids = hidden.map(({ id }) => id);
  const counts = await inTurn(String(pageId), () => countOwn(slowDb, ids, userId));
  const byId = new Map(hidden.map((row) => [row.id, row]));
  return new Map(
    counts.map(({ collection_id, records, updated_at }) => [
      collection_id,
      { ...(byId.get(collection_id) as Listed), records: Number(records), updated_at: Number(updated_at) },
    ]),
  );
}
