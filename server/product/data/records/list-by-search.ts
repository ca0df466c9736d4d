import { setImmediate } from 'node:timers/promises';
import type { ListQuery } from '../../../../contract/data/records.ts';
import type { RecordData } from '../../../../contract/rules/record-data.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { countPercent, listIndexes } from '../indexes/store.ts';
import { markFields } from '../search/marks.ts';
import { parseSearch, type SearchQuery } from '../search/query.ts';
import { FoundRecords, type SearchSql } from '../search/store.ts';
import { findSelected, type RecordRow, type Selection } from './store.ts';

/** Lists with `q`. */

/** The search of one query. */
export interface Search {
  found: FoundRecords;
  fields: string[];
  query: SearchQuery;
}

interface SearchContext {
  db: Db;
  words: SearchSql;
  rebuildIndexes(collectionId: number): Promise<void>;
}

interface Searched {
  id: number;
  is_indexed: number;
  records: number;
  is_followed: number;
}

/** True if `q` asks for something. An empty search field asks for nothing. */
export const isAsked = (q: string | undefined): q is string => q !== undefined && q.trim() !== '';

/** Finds the search for `q`. Undefined if it cannot find anything. */
export async function findSearch(
  { db, words, rebuildIndexes }: SearchContext,
  collection: Searched | undefined,
  { q, userId, name }: { q: string; userId: number; name: string },
): Promise<Search | undefined> {
  const query = parseSearch(q);
  const indexes = collection?.is_indexed ? await listIndexes(db, collection.id) : [];
  const search = indexes.find(({ kind }) => kind === 'search');
  if (!collection || !search) throw hasNoSearch(name);
  if (query.length === 0 || collection.records === 0) return undefined;
  if (search.state === 'building') throw isBuilding(await countPercent(db, collection.id, search));
  if (collection.is_followed === 0) {
    await rebuildIndexes(collection.id);
    throw isBuilding(0);
  }
  const fields = JSON.parse(search.field) as string[];
  return { found: new FoundRecords(words, { indexId: search.id, userId }, query), fields, query };
}

function hasNoSearch(collection: string): AppError {
  return new AppError(
    'BAD_REQUEST',
    'q: the collection {collection} cannot be searched. Its owner can add "search": ["title"] to its schema, with the fields to search.',
    { collection },
  );
}

function isBuilding(percent: number): AppError {
  return new AppError(
    'UNAVAILABLE',
    'The search of this collection is being built: {percent} % of the records are in it. Try again in a moment.',
    { percent },
    { headers: { 'retry-after': '2' } },
  );
}

/** A part of a list by age. */
interface AgePage extends Pick<ListQuery, 'order' | 'limit' | 'offset'> {
  cursor?: { id: string; direction: 'after' | 'before' } | undefined;
}

/** Reads a part of a list by age of what a search has found, if nothing else decides what is in it. */
export async function listFound(
  db: Db,
  { found }: Search,
  selection: Selection,
  { order, limit, offset, cursor }: AgePage,
): Promise<RecordRow[]> {
  const isAscending = (order === 'asc') !== (cursor?.direction === 'before');
  const ids = await found.listIds(db, { isAscending, cursor: cursor?.id, limit, offset });
  const rows = await findSelected(db, { ...selection, candidates: undefined }, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** How long texts are read for marks until others have their turn. */
const MAX_MS = 5;

/** What was found in each record, as JSON, in the order of the records. */
export async function readMarks(rows: RecordRow[], { fields, query }: Search): Promise<string[]> {
  const marks: string[] = [];
  let since = performance.now();
  for (const { text } of rows) {
    marks.push(JSON.stringify(markFields(JSON.parse(text) as RecordData, fields, query)));
    if (performance.now() - since < MAX_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return marks;
}
