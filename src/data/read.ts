import { AppError, notFound, toTimestamp } from '../http/index.ts';
import type { Db } from '../storage/index.ts';
import { countedFor, lookUpCollection } from './collection.ts';
import { demandAccess, type InCollection, type Place } from './place.ts';
import { conditionSql, type JsonSql, sortKeys } from './query-sql.ts';
import { isObject } from './record-data.ts';
import { type CountQuery, type ListQuery, type RecordResponse, toRecord } from './schema.ts';
import {
  countGroups,
  countRecords,
  findCount,
  findRecord,
  listCollections,
  listRecords,
  type Selection,
} from './store.ts';
import { type Path, parsePath, parseWhere } from './where.ts';

const MAX_GROUPS = 1000;
/** Looking at more records than this takes longer than anybody else should wait. */
const MANY = 2000;

export interface ReadContext {
  db: Db;
  /** For what may have to look at every record of a collection: it must not hold anybody else up. */
  slowDb: Db;
  json: JsonSql;
}

export async function readCollections({ db }: ReadContext, place: Place) {
  demandAccess(place, 'read');
  const { page, storageType, actor } = place;
  const rows = await listCollections(db, page.id, storageType, countedFor(storageType, actor?.userId));
  return {
    collections: rows.map(({ name, records, updated_at }) => ({
      name,
      recordCount: records,
      lastUpdated: toTimestamp(updated_at),
    })),
  };
}

export async function readRecord(
  { db }: ReadContext,
  place: InCollection,
  id: string,
): Promise<RecordResponse> {
  demandAccess(place, 'read');
  const collection = await lookUpCollection(db, place);
  const row = collection && (await findRecord(db, collection.id, id));
  if (!row) throw notFound('This record');
  demandAccess(place, 'read', row);
  return toRecord(row, place);
}

export async function readRecords(context: ReadContext, place: InCollection, query: ListQuery) {
  const { limit, offset, order } = query;
  const orderBy = parseOrder(query.orderBy);
  const found = await select(context, place, query);
  if (!found) return { records: [], total: 0, limit, offset, hasMore: false };

  const { selection } = found;
  const isByIndex = selection.where === undefined && typeof orderBy === 'string' && offset <= MANY;
  const db = isByIndex ? context.db : found.scanDb;
  const cursor = cursorOf(query);
  if (cursor && orderBy !== 'created_at' && !(await findRecord(db, selection.collectionId, cursor.id))) {
    throw new AppError('BAD_REQUEST', `${cursor.direction}: there is no such record any more. Start again.`);
  }
  // One more than asked for tells whether there are more.
  const page = { keys: sortKeys(context.json, orderBy), order, limit: limit + 1, offset, cursor };
  const rows = await listRecords(db, selection, page);
  const hasMore = rows.length > limit;
  rows.length = Math.min(rows.length, limit);
  if (cursor?.direction === 'before') rows.reverse();
  return {
    records: rows.map((row) => toRecord(row, place)),
    total: found.total ?? (await countRecords(found.scanDb, selection)),
    limit,
    offset,
    hasMore,
  };
}

export async function readCount(context: ReadContext, place: InCollection, query: CountQuery) {
  const path = query.groupBy === undefined ? undefined : parsePath(query.groupBy, 'groupBy');
  const found = await select(context, place, query);
  if (!found) return { count: 0, ...(path && { groups: [] }) };
  const { selection, scanDb } = found;
  const count = found.total ?? (await countRecords(scanDb, selection));
  if (!path) return { count };
  return {
    count,
    groups: toGroups(await countGroups(scanDb, selection, context.json.json(path), MAX_GROUPS)),
  };
}

/** The records that a query is about. */
interface Found {
  selection: Selection;
  /** Known where counting when writing is enough. */
  total: number | undefined;
  /** What to ask when every record may have to be looked at. */
  scanDb: Db;
}

/** Undefined when there is no such collection. */
async function select(
  context: ReadContext,
  place: InCollection,
  query: { where?: string | undefined; mine?: 'true' | 'false' | undefined },
): Promise<Found | undefined> {
  demandAccess(place, 'read');
  if (query.mine === 'true' && !place.actor) {
    throw new AppError('UNAUTHORIZED', 'Log in first: only then is something yours.');
  }
  const where = query.where === undefined ? undefined : conditionSql(context.json, parseWhere(query.where));
  const collection = await lookUpCollection(context.db, place);
  if (!collection) return undefined;
  const isSolo = place.storageType === 'solo_data';
  const userId = countedFor(place.storageType, place.actor?.userId);
  const counted = await findCount(context.db, collection.id, userId);
  return {
    selection: {
      collectionId: collection.id,
      createdBy: isSolo || query.mine === 'true' ? place.actor?.userId : undefined,
      where,
    },
    total: where === undefined && (isSolo || query.mine !== 'true') ? counted : undefined,
    scanDb: counted > MANY ? context.slowDb : context.db,
  };
}

function cursorOf({ after, before }: ListQuery) {
  if (after !== undefined) return { id: after, direction: 'after' as const };
  return before === undefined ? undefined : { id: before, direction: 'before' as const };
}

function parseOrder(orderBy = 'created_at'): 'created_at' | 'updated_at' | Path {
  if (orderBy === 'created_at' || orderBy === 'createdAt') return 'created_at';
  if (orderBy === 'updated_at' || orderBy === 'updatedAt') return 'updated_at';
  if (orderBy.startsWith('data.')) return parsePath(orderBy.slice('data.'.length), 'orderBy');
  const message = `${JSON.stringify(orderBy.slice(0, 100))} is not created_at, updated_at or data.<path>`;
  throw new AppError('BAD_REQUEST', `orderBy: ${message}.`, { details: [{ path: 'orderBy', message }] });
}

/** Objects that say the same in another order are one value. */
function toGroups(rows: Array<{ value: string | null; count: number }>) {
  const groups = new Map<string, { value: unknown; count: number }>();
  for (const row of rows) {
    const value: unknown = row.value === null ? null : JSON.parse(row.value);
    const key = JSON.stringify(value, inOrder);
    const group = groups.get(key) ?? { value, count: 0 };
    group.count += row.count;
    groups.set(key, group);
  }
  const entries = [...groups].sort(([a, { count: m }], [b, { count: n }]) => n - m || (a < b ? -1 : 1));
  return entries.map(([, group]) => group);
}

function inOrder(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
