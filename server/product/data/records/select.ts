import type { Rules } from '../../../../contract/data/collection-rules.ts';
import { AppError } from '../../../lib/errors.ts';
import { type Db, storageFailure } from '../../../platform/storage/index.ts';
import { type DataActor, findReach } from '../access/access.ts';
import { demandAccess, type InCollection } from '../access/data-target.ts';
import { countedFor, parseRules } from '../collections/collection.ts';
import { findCounted } from '../collections/store.ts';
import { listUsableFields } from '../indexes/ranges.ts';
import type { SlowReads } from '../indexes/slow-reads.ts';
import { conditionSql, type JsonSql } from '../queries/query-sql.ts';
import { type Path, parseWhere } from '../queries/where.ts';
import type { SearchSql } from '../search/store.ts';
import { findSearch, isAsked, type Search } from './list-by-search.ts';
import { findPlanner, type QueryPlanner } from './query-planner.ts';
import type { Selection } from './store.ts';

/** Bytes of records times conditions that can be scanned in a few milliseconds. */
const MAX_QUICK_WORK = 200_000;
/** Reading so many records, or bytes of them, takes long enough to suggest an index. */
const SLOW_RECORDS = 10_000;
const SLOW_BYTES = 16 * 1024 * 1024;

/** The dependencies of reading. */
export interface ReadContext {
  db: Db;
  /** The database for queries that may scan every record of a collection, so that they do not delay others. */
  slowDb: Db;
  /** Runs one slow query of a page at a time, so that one page cannot use all the readers. */
  inTurn: <T>(page: string, ask: () => Promise<T>) => Promise<T>;
  json: JsonSql;
  words: SearchSql;
  /** Builds the indexes of a collection again. */
  rebuildIndexes(collectionId: number): Promise<void>;
  slowReads: SlowReads;
}

/** The records that a query is about. */
export interface SelectedRecords {
  selection: Selection;
  /** The number of records, if the counts of the collection suffice. */
  total: number | undefined;
  /** Runs a query that may scan every record, without delaying others. */
  scan<T>(ask: (db: Db) => Promise<T>): Promise<T>;
  /** Plans the query with the indexes of the collection, if it is large and has some. */
  indexed: QueryPlanner | undefined;
  /** The search that decides which records can be in the selection. */
  search: Search | undefined;
  /** True if nothing but the search decides it. */
  isExact: boolean;
  /** Call this before a query without an index that is ordered by this: the owner learns which index would help. */
  noteScan(orderBy?: string | Path): void;
}

/** What decides which records are selected. */
interface Conditions {
  where?: string | undefined;
  q?: string | undefined;
}

/** A collection to read, which may not exist. */
export type Place = Pick<InCollection, 'storageType' | 'collection'> & { page: { id: number } };

/** Selects the records of a query for somebody, or refuses. Undefined if there cannot be any. */
export async function select(
  context: ReadContext,
  target: InCollection,
  query: Conditions & { mine?: 'true' | 'false' | undefined },
): Promise<SelectedRecords | undefined> {
  const { collection, rules } = await findForReading(context, target, target.actor?.userId);
  demandAccess(target, 'read', { rules });
  const author = findAuthor(target, query.mine === 'true', rules);
  return selectFrom(context, target, { ...query, collection, author: author?.userId });
}

/** The collection with the number of records that somebody can read by its mode, and its rules. */
export async function findForReading({ db }: ReadContext, target: Place, userId: number | undefined) {
  const { page, storageType } = target;
  const counted = countedFor(storageType, userId);
  const collection = await findCounted(db, page.id, storageType, target.collection, counted);
  return { collection, rules: parseRules(collection) };
}

/** The author whose records alone somebody reads: themselves. Undefined if they read those of all. */
export function findAuthor(
  { actor, storageType }: Pick<InCollection, 'actor' | 'storageType'>,
  isMine: boolean,
  rules: Rules | undefined,
): DataActor | undefined {
  if (isMine && !actor) throw new AppError('UNAUTHORIZED', 'Log in first to find your own records.');
  const isOwn = isMine || findReach(actor, 'read', { storageType, rules }) === 'own';
  return isOwn ? actor : undefined;
}

/** Selects records of a collection: all, or those of one author. In solo mode there must be one. */
export async function selectFrom(
  context: ReadContext,
  { page, storageType, collection: name }: Place,
  query: Conditions & {
    collection: Awaited<ReturnType<typeof findCounted>>;
    author: number | undefined;
  },
): Promise<SelectedRecords | undefined> {
  const { collection, author, q } = query;
  const isSolo = storageType === 'solo_data';
  const userId = countedFor(storageType, author);
  const parsed = query.where === undefined ? undefined : parseWhere(query.where);
  const search = isAsked(q) ? await findSearch(context, collection, { q, userId, name }) : undefined;
  if (!collection || (isAsked(q) && !search)) return undefined;
  // In solo mode, counts and searches are of the reader's own records.
  const isExact = parsed === undefined && (isSolo || author === undefined);
  const work = collection.bytes * (1 + (parsed?.conditions ?? 0));
  const isLarge = work > MAX_QUICK_WORK;
  return {
    selection: {
      collectionId: collection.id,
      createdBy: author,
      where: parsed && conditionSql(context.json, parsed.condition),
      candidates: search?.found.candidates(),
    },
    search,
    isExact,
    indexed:
      isLarge && collection.is_indexed === 1 && !search
        ? await findPlanner(context, collection, {
            userId,
            condition: parsed?.condition,
            // In solo mode, the entries are those of the reader.
            author: isSolo ? undefined : author,
          })
        : undefined,
    total: isExact && !search ? collection.records : undefined,
    noteScan(orderBy = '') {
      const { id, records, bytes } = collection;
      // A search, or an author, leaves few records.
      const isWhole = !search && (isSolo || author === undefined);
      if (!isWhole || (records < SLOW_RECORDS && bytes < SLOW_BYTES)) return;
      const ordered = typeof orderBy === 'string' ? [] : [orderBy.join('.')];
      context.slowReads.note(id, [...ordered, ...(parsed ? listUsableFields(parsed.condition) : [])]);
    },
    async scan(ask) {
      try {
        if (!isLarge) return await ask(context.db);
        return await context.inTurn(String(page.id), () => ask(context.slowDb));
      } catch (error) {
        throw storageFailure(error) === 'too slow' ? tooManyToRead(collection.records) : error;
      }
    },
  };
}

/** The error for a slow query. An index helps, or fewer records. */
function tooManyToRead(records: number): AppError {
  return new AppError(
    'UNAVAILABLE',
    'This query has to read all {count} records of the collection, which takes too long. Trying again does not help. Add the fields that you filter or order by to indexes in the schema of the collection, or keep fewer records in it, for example with one collection for each month. Lists by created_at without where stay fast: page through them with after.',
    { count: records },
    { isLasting: true },
  );
}
