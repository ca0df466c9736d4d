import type { Rules } from '../../../../contract/data/collection-rules.ts';
import type { CountQuery, ListQuery } from '../../../../contract/data/records.ts';
import { fault } from '../../../../contract/errors.ts';
import { isObject } from '../../../../contract/rules/record-data.ts';
import { AppError, badRequest, notFound } from '../../../lib/errors.ts';
import { type JsonText, jsonText } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findReach } from '../access/access.ts';
import { demandAccess, type InCollection } from '../access/data-target.ts';
import { countedFor, lookUpCollection, parseRules } from '../collections/collection.ts';
import { selectIds } from '../indexes/store.ts';
import { sortKeys } from '../queries/query-sql.ts';
import { type Path, parsePath } from '../queries/where.ts';
import { listByPlan } from './list-by-index.ts';
import { listFound, readMarks } from './list-by-search.ts';
import {
  findForReading,
  type Place,
  type ReadContext,
  type SelectedRecords,
  select,
  selectFrom,
} from './select.ts';
import {
  countGroups,
  countRecords,
  findRecord,
  listNewest,
  listRecords,
  type RecordRow,
  type Selection,
} from './store.ts';
import { recordWriter, toRecordText } from './wire.ts';

const MAX_GROUPS = 1000;
const MAX_GROUP_LETTERS = 1000;
/** The largest offset of a quick query: skipping index entries takes time too. */
const MAX_QUICK_OFFSET = 2000;

export async function readRecord({ db }: ReadContext, target: InCollection, id: string): Promise<JsonText> {
  const collection = await lookUpCollection(db, target);
  const rules = parseRules(collection);
  // Check before the record is looked up, so that the response does not reveal whether it exists.
  demandAccess(target, 'read', { rules });
  const row = collection && (await findRecord(db, collection.id, id));
  if (!row) throw notFound('This record was not found.');
  demandAccess(target, 'read', { rules, record: row });
  return jsonText(toRecordText(row, target));
}

export async function readRecords(
  context: ReadContext,
  target: InCollection,
  query: ListQuery,
): Promise<JsonText> {
  const newest = isNewest(query, target) ? await readNewest(context, target, query.limit) : undefined;
  if (newest) return newest;
  const { limit, offset } = query;
  // Check it before the collection, which may not exist.
  parseOrder(query.orderBy);
  const found = await select(context, target, query);
  if (!found) return toList(target, [], { total: 0, limit, offset, hasMore: false });
  const { rows, total, hasMore, marks } = await listSelected(context, found, query);
  return toList(target, rows, { total, limit, offset, hasMore }, marks);
}

/** A list as a live list needs it: with the rules by which its readers are checked. */
export interface ReadList {
  rules: Rules | undefined;
  rows: RecordRow[];
  total: number;
  hasMore: boolean;
  /** What a search has found in each record, as JSON. */
  marks?: string[] | undefined;
}

/** Reads a list without checking anybody: all of its records, or those of one author. */
export async function readUnchecked(
  context: ReadContext,
  target: Place,
  query: ListQuery,
  author: number | undefined,
): Promise<ReadList> {
  parseOrder(query.orderBy);
  const { collection, rules } = await findForReading(context, target, author);
  const found = await selectFrom(context, target, { ...query, collection, author });
  if (!found) return { rules, rows: [], total: 0, hasMore: false };
  return { rules, ...(await listSelected(context, found, query)) };
}

async function listSelected(
  context: ReadContext,
  found: SelectedRecords,
  query: ListQuery,
): Promise<Omit<ReadList, 'rules'>> {
  const { limit, offset, order } = query;
  const orderBy = parseOrder(query.orderBy);
  const { selection, scan, indexed, search } = found;
  const cursor = readCursor(query);
  // One more record than requested shows whether there are more.
  const page = { orderBy, keys: sortKeys(context.json, orderBy), order, limit: limit + 1, offset, cursor };
  const plan = indexed?.planList({ orderBy, end: offset + limit + 1 });
  const isPlain = selection.where === undefined && typeof orderBy === 'string' && !search;
  const isByIndex = plan ? plan.kind === 'walk' && plan.isQuick : isPlain;
  const isQuick = isByIndex && offset <= MAX_QUICK_OFFSET;
  if (!plan && !isPlain) found.noteScan(orderBy);
  const list = async (db: Db) => {
    if (cursor && orderBy !== 'created_at') await assertCursor(db, selection, cursor);
    if (search && found.isExact && orderBy === 'created_at') return listFound(db, search, selection, page);
    if (!plan) return listRecords(db, selection, page);
    return listByPlan(db, context.json, { plan, selection, page, ...(isQuick && { scan }) });
  };
  const rows = await (isQuick ? list(context.db) : scan(list));
  const hasMore = rows.length > limit;
  rows.length = Math.min(rows.length, limit);
  if (cursor?.direction === 'before') rows.reverse();
  const total = found.total ?? (await countSelected(found));
  const marks = search && (await readMarks(rows, search));
  return { rows, total, hasMore, marks };
}

/** True if the query only has a limit, and the mode lets the reader see all records. */
function isNewest({ limit, offset, order, ...rest }: ListQuery, target: InCollection): boolean {
  const isPlain =
    offset === 0 && order === 'desc' && Object.values(rest).every((value) => value === undefined);
  return isPlain && findReach(target.actor, 'read', { storageType: target.storageType }) === 'all';
}

/** Reads the newest records. Undefined if there are none, or if the collection has rules. */
async function readNewest({ db }: ReadContext, target: InCollection, limit: number) {
  const { page, storageType, collection: name } = target;
  // One more record than requested shows whether there are more.
  const rows = await listNewest(
    db,
    { pageId: page.id, storageType, name },
    countedFor(storageType),
    limit + 1,
  );
  if (!rows[0]) return undefined;
  const { total } = rows[0];
  if (total === null) return undefined;
  return toList(target, rows.slice(0, limit), { total, limit, offset: 0, hasMore: rows.length > limit });
}

function toList(
  target: InCollection,
  rows: RecordRow[],
  { total, limit, offset, hasMore }: { total: number; limit: number; offset: number; hasMore: boolean },
  marks?: string[],
): JsonText {
  const write = recordWriter(target);
  // If the text is joined piece by piece, it is copied only once, when it is sent.
  let records = '';
  for (const [at, row] of rows.entries()) {
    const record = withMarks(write(row), marks?.[at]);
    records += records === '' ? record : `,${record}`;
  }
  return jsonText(
    `{"records":[${records}],"total":${total},"limit":${limit},"offset":${offset},"hasMore":${hasMore}}`,
  );
}

/** The JSON of a record with what a search has found in it. */
export function withMarks(record: string, marks: string | undefined): string {
  return marks === undefined ? record : `${record.slice(0, -1)},"marks":${marks}}`;
}

export async function readCount(context: ReadContext, target: InCollection, query: CountQuery) {
  const path = query.groupBy === undefined ? undefined : parsePath(query.groupBy, 'groupBy');
  const found = await select(context, target, query);
  if (!found) return { count: 0, ...(path && { groups: [] }) };
  const { selection, scan } = found;
  const count = found.total ?? (await countSelected(found));
  if (!path) return { count };
  const most = { limit: MAX_GROUPS, maxLetters: MAX_GROUP_LETTERS };
  const rows = await scan((db) => countGroups(db, selection, context.json.json(path), most));
  const groups = toGroups(rows);
  if (path[0] === 'data' && path.length > 1) assertMeantSo(path, groups);
  return { count, groups };
}

/** Fails for `data.title` in `groupBy`, which is how `orderBy` writes `title`: it would give one empty group. */
function assertMeantSo([, ...inside]: Path, groups: Array<{ value: unknown }>): void {
  if (groups.length !== 1 || groups[0]?.value !== null) return;
  const path = inside.join('.');
  throw badRequest([
    fault('groupBy', 'no record has this path; paths begin inside data, so write {path}', { path }),
  ]);
}

/** Fails unless a cursor names an existing record that the list could show. */
async function assertCursor(
  db: Db,
  { collectionId, createdBy }: Selection,
  { id, direction }: { id: string; direction: string },
): Promise<void> {
  const row = await findRecord(db, collectionId, id);
  if (row && (createdBy === undefined || row.created_by === createdBy)) return;
  throw new AppError('BAD_REQUEST', '{direction}: this record no longer exists. Start again without it.', {
    direction,
  });
}

function readCursor({ after, before }: ListQuery) {
  if (after !== undefined) return { id: after, direction: 'after' as const };
  return before === undefined ? undefined : { id: before, direction: 'before' as const };
}

function parseOrder(orderBy = 'created_at'): 'created_at' | 'updated_at' | Path {
  if (orderBy === 'created_at' || orderBy === 'createdAt') return 'created_at';
  if (orderBy === 'updated_at' || orderBy === 'updatedAt') return 'updated_at';
  if (orderBy.startsWith('data.')) return parsePath(orderBy.slice('data.'.length), 'orderBy');
  const path = JSON.stringify(orderBy.slice(0, 100));
  throw badRequest([fault('orderBy', '{path} is not created_at, updated_at or data.<path>', { path })]);
}

/** Counts the records of a query, by an index if one helps. */
async function countSelected(found: SelectedRecords): Promise<number> {
  const { selection, scan, indexed, search, isExact } = found;
  if (search && isExact) return scan((db) => search.found.count(db));
  const plan = indexed?.planCount();
  if (plan && 'count' in plan) return plan.count;
  if (!plan) found.noteScan();
  const candidates = plan && selectIds(plan.gather.entries, plan.gather.ranges);
  return scan((db) => countRecords(db, { ...selection, ...(candidates && { candidates }) }));
}

/** Groups of equal values. Objects with the same content in another order are equal. */
function toGroups(rows: Array<{ value: string | null; count: number }>) {
  const groups = new Map<string, { value: unknown; count: number }>();
  for (const row of rows) {
    if ((row.value?.length ?? 0) > MAX_GROUP_LETTERS) {
      throw new AppError(
        'BAD_REQUEST',
        'groupBy: has values of more than {count} characters. Group by another field.',
        { count: MAX_GROUP_LETTERS },
      );
    }
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
