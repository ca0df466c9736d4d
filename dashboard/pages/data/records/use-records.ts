import { useEffect, useRef, useState } from 'preact/hooks';
import type { RecordChange } from '../../../../contract/data/records.ts';
import { useLoad } from '../../../ui/index.ts';
import {
  type CollectionTarget,
  type DataRecord,
  type Listing,
  type ListQuery,
  listRecords,
  readSchema,
} from '../api.ts';
import { readPlace, writePlace } from './list-address.ts';
import { useLive } from './live.ts';

const FIRST: ListQuery = { orderBy: 'created_at', order: 'desc', limit: 50, offset: 0 };
/** How long a changed record stays highlighted. */
const FRESH_MS = 4_000;

/** A live list of records that can be sorted, filtered and paged. */
export function useRecords(target: CollectionTarget) {
  const keys = [target.pageId, target.type, target.collection];
  const [query, setQuery] = useQuery();
  const loaded = useLoad((signal) => listRecords(target, query, signal), [...keys, query]);
  const schema = useLoad((signal) => readSchema(target, signal), keys);
  const [fresh, mark] = useFresh();
  const [unseen, setUnseen] = useState(0);

  // Several events may arrive between two renders, and each must see the changes of the one before.
  const current = useRef(loaded.value);
  current.current = loaded.value;
  const put = (listing: Listing) => {
    current.current = listing;
    loaded.set(listing);
  };
  /** Records created here. The stream reports them again. */
  const own = useRef(new Set<string>());

  const reload = async () => {
    setUnseen(0);
    await loaded.reload();
  };
  const ask = (change: Partial<ListQuery>) => {
    setUnseen(0);
    setQuery({ ...query, offset: 0, ...change });
  };
  /** True if a new record belongs at the front of the list. */
  const isNewestFirst =
    !query.where && query.orderBy === 'created_at' && query.order === 'desc' && query.offset === 0;

  const onEvent = (event: RecordChange) => {
    const listing = current.current;
    if (!listing) return;
    const isNew = event.type === 'created' && !has(listing, event.record.id);
    if (isNew && own.current.has(event.record.id)) return;
    if (isNew && !isNewestFirst) return setUnseen((count) => count + 1);
    put(withEvent(listing, event, query.limit));
    if (event.type !== 'deleted') mark(event.record.id);
  };
  const live = useLive(target, { onEvent, onGap: reload });
  /** Shows a record that was just saved. */
  const show = async (record: DataRecord, isNew: boolean) => {
    if (isNew && !isNewestFirst) await reload();
    else onEvent({ type: isNew ? 'created' : 'updated', collection: target.collection, record });
    own.current.add(record.id);
  };
  const filter = (where: string | undefined) => {
    const { where: _, ...rest } = query;
    setUnseen(0);
    setQuery({ ...rest, offset: 0, ...(where && { where }) });
  };
  return {
    ...{ query, live, fresh, unseen, reload, filter, show },
    ...{ listing: loaded.value, error: loaded.error, isLoading: loaded.isLoading },
    schema: schema.value ?? null,
    sort: (sort: Pick<ListQuery, 'orderBy' | 'order'>) => ask(sort),
    move: (to: Pick<ListQuery, 'limit' | 'offset'>) => ask(to),
  };
}

/** What the list shows. The URL has its filter and its sort order. */
function useQuery(): [ListQuery, (next: ListQuery) => void] {
  const [query, setQuery] = useState<ListQuery>(() => ({ ...FIRST, ...readPlace() }));
  const change = (next: ListQuery) => {
    setQuery(next);
    writePlace(next);
  };
  return [query, change];
}

export type Records = ReturnType<typeof useRecords>;

const has = ({ records }: Listing, id: string) => records.some((record) => record.id === id);

/** The listing after an event. A created record is put at the front. */
function withEvent(listing: Listing, event: RecordChange, limit: number): Listing {
  const { records, total } = listing;
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
