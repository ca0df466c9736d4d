import { useEffect, useRef, useState } from 'preact/hooks';
import type { RecordChange } from '../../../../contract/data/records.ts';
import { type Place, type Sort, usePlace } from '../../../grid/index.ts';
import { type Loaded, useLoad } from '../../../ui/index.ts';
import {
  type CollectionSchema,
  type CollectionTarget,
  type DataRecord,
  type Filter,
  type Listing,
  type ListQuery,
  listRecords,
  readEntry,
} from '../api.ts';
import { useLive } from './live.ts';
import { findUnindexed, SLOW_MS } from './offers/index-hint.ts';
import { addSearch } from './search.ts';

const NEWEST_FIRST: Sort = { key: 'created_at', direction: 'descending' };
const PAGE_SIZES = [25, 50, 100];
/** How long a changed record stays highlighted. */
const FRESH_MS = 4_000;

/** A live list of records that can be searched, sorted, filtered and paged. The URL has what it shows. */
export function useRecords(target: CollectionTarget) {
  const keys = [target.pageId, target.type, target.collection];
  const [place, setPlace] = usePlace();
  const { sort = NEWEST_FIRST } = place;
  const entry = useLoad((signal) => readEntry(target, signal), keys);
  const schema = entry.value?.schema;
  const known = useKnownFields(target, schema);
  const loaded = useLoad(
    async (signal) => {
      const filter = await known.toFilter(place, signal);
      const startedAt = performance.now();
      const listing = await listRecords(target, toQuery(place, filter), signal);
      const tookMs = performance.now() - startedAt;
      known.learn(listing.records);
      return { ...listing, filter, tookMs };
    },
    [...keys, place],
  );
  const isFiltered = place.where !== undefined || place.query !== '';
  /** True if a new record belongs at the front of the list. */
  const isNewestFirst =
    !isFiltered && sort.key === 'created_at' && sort.direction === 'descending' && place.page === 1;
  const { forget, ...changes } = useChanges(target, { loaded, isNewestFirst, learn: known.learn });
  const ask = (change: Partial<Place>, isTyping?: boolean) => {
    forget();
    setPlace(change, isTyping);
  };
  return {
    ...{ place, sort, isFiltered, ask, ...changes },
    ...{ listing: loaded.value, error: loaded.error, isLoading: loaded.isLoading },
    /** The fields of all records that were seen. */
    fields: known.names(),
    schema: schema ?? null,
    hasNoSchema: schema === null,
    setEntry: entry.set,
    /** A field that needs an index: this list was slow, or those of others. */
    unindexed: findSlow(schema ?? null, sort.key, loaded.value) ?? entry.value?.suggestedIndexes?.[0],
  };
}

const findSlow = (schema: CollectionSchema | null, orderBy: string, list: Searched | undefined) =>
  list && list.tookMs > SLOW_MS ? findUnindexed(schema, { orderBy, where: list.filter.where }) : undefined;

interface Followed {
  loaded: Loaded<Searched>;
  isNewestFirst: boolean;
  learn: (records: DataRecord[]) => void;
}

/** Puts changes by others, and those that were made here, into the list. */
function useChanges(target: CollectionTarget, { loaded, isNewestFirst, learn }: Followed) {
  const [fresh, mark] = useFresh();
  const [unseen, setUnseen] = useState(0);
  // Several events may arrive between two renders, and each must see the changes of the one before.
  const current = useRef(loaded.value);
  current.current = loaded.value;
  const put = (listing: Searched) => {
    current.current = listing;
    loaded.set(listing);
  };
  /** Records created here. The stream reports them again. */
  const own = useRef(new Set<string>());
  const reload = async () => {
    setUnseen(0);
    await loaded.reload();
  };
  const onEvent = (event: RecordChange) => {
    const listing = current.current;
    if (!listing) return;
    if (event.type !== 'deleted') learn([event.record]);
    const isNew = event.type === 'created' && !has(listing, event.record.id);
    if (isNew && own.current.has(event.record.id)) return;
    if (isNew && !isNewestFirst) return setUnseen((count) => count + 1);
    put(withEvent(listing, event));
    if (event.type !== 'deleted') mark(event.record.id);
  };
  const live = useLive(target, { onEvent, onGap: reload });
  /** Shows a record that was just saved. */
  const show = async (record: DataRecord, isNew: boolean) => {
    if (isNew && !isNewestFirst) await reload();
    else onEvent({ type: isNew ? 'created' : 'updated', collection: target.collection, record });
    own.current.add(record.id);
  };
  return { fresh, unseen, live, reload, show, forget: () => setUnseen(0) };
}

export type Records = ReturnType<typeof useRecords>;

/** A listing with the filter and the search that it matches, as the API takes them. */
type Searched = Listing & { filter: Filter; tookMs: number };

function toQuery({ sort = NEWEST_FIRST, page, size }: Place, { where, q }: Filter): ListQuery {
  const limit = size && PAGE_SIZES.includes(size) ? size : 50;
  return {
    orderBy: sort.key,
    order: sort.direction === 'ascending' ? 'asc' : 'desc',
    limit,
    offset: (page - 1) * limit,
    ...(where && { where }),
    ...(q && { q }),
  };
}

/** The fields of the records that were seen, so that a search knows where to look and no column disappears. */
function useKnownFields(target: CollectionTarget, schema: CollectionSchema | null | undefined) {
  const seen = useRef(new Set<string>()).current;
  const learn = (records: DataRecord[]) => {
    for (const { data } of records) for (const name of Object.keys(data)) seen.add(name);
  };
  const names = () => [...new Set([...Object.keys(schema?.fields ?? {}), ...seen])];
  return {
    learn,
    names,
    /** The filter and the search: by the words of the service if the schema has a search, otherwise in all fields. */
    async toFilter({ where, query }: Place, signal: AbortSignal): Promise<Filter> {
      if (query === '') return { where };
      const known = schema === undefined ? (await readEntry(target, signal)).schema : schema;
      if (known?.search?.length) return { where, q: query };
      const start = { sort: undefined, page: 1, size: undefined, query: '', where: undefined };
      if (seen.size === 0) learn((await listRecords(target, toQuery(start, {}), signal)).records);
      return { where: addSearch(where, query, names()) };
    },
  };
}

const has = ({ records }: Listing, id: string) => records.some((record) => record.id === id);

/** The listing after an event. A created record is put at the front. */
function withEvent(listing: Searched, event: RecordChange): Searched {
  const { records, total, limit } = listing;
  if (event.type === 'deleted') {
    if (!has(listing, event.id)) return listing;
    return { ...listing, records: records.filter(({ id }) => id !== event.id), total: total - 1 };
  }
  const { record } = event;
  if (event.type === 'created' && !has(listing, record.id))
    return { ...listing, records: [record, ...records].slice(0, limit), total: total + 1 };
  return { ...listing, records: records.map((old) => (old.id === record.id ? record : old)) };
}

/** The ids that were marked a moment ago. */
function useFresh(): [ReadonlySet<string>, (id: string) => void] {
  const [marked, setMarked] = useState<ReadonlyMap<string, number>>(new Map());
  useEffect(() => {
    if (marked.size === 0) return;
    const timer = setTimeout(() => {
      const since = Date.now() - FRESH_MS;
      setMarked((now) => new Map([...now].filter(([, at]) => at > since)));
    }, FRESH_MS);
    return () => clearTimeout(timer);
  }, [marked]);
  return [new Set(marked.keys()), (id) => setMarked((now) => new Map([...now, [id, Date.now()]]))];
}
