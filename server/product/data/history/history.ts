import type { RecordData } from '../../../../contract/rules/record-data.ts';
import { notFound } from '../../../lib/errors.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { ChangedCollection, RecordActivity, RecordDifference, RecordHistory } from '../../ports.ts';
import { findCollection, listStoredCollections } from '../collections/store.ts';
import { toRecord } from '../records/wire.ts';
import { readLogStart } from './entry-store.ts';
import { findLatest } from './latest-store.ts';
import { listRestorable } from './restorable.ts';
import { type RestoreContext, restorePage } from './restore-page.ts';
import { findLogFrom, sumBytes } from './size-store.ts';
import { countDifference, listPast } from './state-store.ts';
import { countActivity } from './summary-store.ts';
import type { LogSweep } from './sweep.ts';

interface HistoryContext extends RestoreContext {
  /** For what can take long. */
  slowDb: Db;
  findPage(db: Db, id: number): Promise<PageRow | undefined>;
  sweep: LogSweep;
}

/** The records of pages over time, from the record log. */
export function createHistory(context: HistoryContext): RecordHistory {
  const { db, slowDb, sweep } = context;
  return {
    summarize: (pageId, span) => summarize(context, pageId, span),
    latest: findLatest,
    oldest: (pageId) => findLogFrom(db, pageId),
    async count(pageId, at, restored) {
      const total: RecordDifference = { created: 0, updated: 0, deleted: 0 };
      const { restorable, refused } = await listRestorable(db, await requirePage(context, pageId), restored);
      const collections: ChangedCollection[] = [];
      const tooOld: Array<{ name: string; since: number }> = [];
      for (const { id, name } of restorable) {
        const { log_from: since } = await readLogStart(db, id);
        if (since > at) {
          tooOld.push({ name, since });
          continue;
        }
        const { created, updated, deleted } = await countDifference(slowDb, id, at);
        total.created += created;
        total.updated += updated;
        total.deleted += deleted;
        if (created + updated + deleted > 0) collections.push({ name, created, updated, deleted });
      }
      return { ...total, collections, refused, tooOld };
    },
    restore: async (pageId, at, options) =>
      restorePage(context, await requirePage(context, pageId), at, options),
    async readAt(pageId, { type, name }, at, { limit, after }) {
      const found = await findCollection(db, pageId, type, name);
      const rows = found ? await listPast(slowDb, found.id, at, { limit: limit + 1, after }) : [];
      const target = { collection: name, storageType: type };
      return {
        records: rows.slice(0, limit).map((row) => toRecord(row, JSON.parse(row.text) as RecordData, target)),
        hasMore: rows.length > limit,
      };
    },
    bytes: (pageIds) => sumBytes(db, pageIds),
    forget: (pageId, before) => sweep.forget(pageId, before),
    keepFor(needs) {
      sweep.needs = needs;
    },
  };
}

async function requirePage({ db, findPage }: HistoryContext, pageId: number): Promise<PageRow> {
  const page = await findPage(db, pageId);
  if (!page) throw notFound('This page was not found.');
  return page;
}

const KEYS = { create: 'created', restore: 'created', update: 'updated', delete: 'deleted' } as const;

async function summarize(
  { db, slowDb }: HistoryContext,
  pageId: number,
  span: { from: number; to: number; everyMs: number },
): Promise<RecordActivity[]> {
  const collections = new Map((await listStoredCollections(db, pageId)).map((each) => [each.id, each]));
  const found = new Map<string, RecordActivity>();
  for (const { collection_id, by, at, action, count } of await countActivity(
    slowDb,
    [...collections.keys()],
    span,
  )) {
    const collection = collections.get(collection_id);
    if (!collection) continue;
    const { name, storage_type: type } = collection;
    // Who visits a page in solo mode, and when, is nobody else's business.
    const shownBy = type === 'solo_data' ? null : by;
    const key = `${at} ${collection_id} ${shownBy}`;
    const activity: RecordActivity = found.get(key) ?? {
      ...{ at, collection: name, type, by: shownBy },
      ...{ created: 0, updated: 0, deleted: 0 },
    };
    activity[KEYS[action]] += count;
    found.set(key, activity);
  }
  return [...found.values()].sort((a, b) => a.at - b.at || (a.collection < b.collection ? -1 : 1));
}
