import { useEffect, useRef, useState } from 'preact/hooks';
import { useLoad } from '../../../ui/index.ts';
import {
  type CollectionPlace,
  type DataRecord,
  type Listing,
  type ListQuery,
  listRecords,
  readSchema,
} from '../api.ts';
import { type LiveEvent, useLive } from './live.ts';

const FIRST: ListQuery = { orderBy: 'created_at', order: 'desc', limit: 50, offset: 0 };
/** How long a record that changed stays marked. */
const FRESH_MS = 4_000;

/** A list of records that keeps itself up to date, and the ways to change what it lists. */
export function useRecords(place: CollectionPlace) {
  const keys = [place.pageId, place.type, place.collection];
  const [query, setQuery] = useState(FIRST);
  const loaded = useLoad((signal) => listRecords(place, query, signal), [...keys, query]);
  const schema = useLoad((signal) => readSchema(place, signal), keys);
  const [fresh, mark] = useFresh();
  const [unseen, setUnseen] = useState(0);

  // Many events may come between two renderings, and each must see what the one before made of the list.
  const current = useRef(loaded.value);
  current.current = loaded.value;
  const put = (listing: Listing) => {
    current.current = listing;
    loaded.set(listing);
  };
  /** Records made here, which the stream tells of once more. */
  const own = useRef(new Set<string>());

  const reload = async () => {
    setUnseen(0);
    await loaded.reload();
  };
  const ask = (change: Partial<ListQuery>) => {
    setUnseen(0);
    setQuery({ ...query, offset: 0, ...change });
  };
  /** Whether a record made now comes first in the list, so that it can be put there. */
  const isNewestFirst =
    !query.where && query.orderBy === 'created_at' && query.order === 'desc' && query.offset === 0;

  const onEvent = (event: LiveEvent) => {
    const listing = current.current;
    if (!listing) return;
    if (event.type === 'deleted') return put(without(listing, event.id));
    const { record } = event;
    if (has(listing, record.id)) {
      put(replaced(listing, record));
      mark(record.id);
    } else if (event.type === 'created' && !own.current.has(record.id)) {
      if (!isNewestFirst) return setUnseen((count) => count + 1);
      put(prepended(listing, record, query.limit));
      mark(record.id);
    }
  };
  const live = useLive(place, { onEvent, onGap: reload });

  return {
    query,
    listing: loaded.value,
    error: loaded.error,
    isLoading: loaded.isLoading,
    schema: schema.value ?? null,
    live,
    fresh,
    unseen,
    reload,
    sort: (sort: Pick<ListQuery, 'orderBy' | 'order'>) => ask(sort),
    move: (to: Pick<ListQuery, 'limit' | 'offset'>) => ask(to),
    filter(where: string | undefined) {
      const { where: _, ...rest } = query;
      setUnseen(0);
      setQuery({ ...rest, offset: 0, ...(where && { where }) });
    },
    /** Shows a record that was just saved here. */
    async show(record: DataRecord, isNew: boolean) {
      if (isNew && !isNewestFirst) await reload();
      else onEvent({ type: isNew ? 'created' : 'updated', record });
      own.current.add(record.id);
    },
  };
}

const has = ({ records }: Listing, id: string) => records.some((record) => record.id === id);

const replaced = (listing: Listing, record: DataRecord): Listing => ({
  ...listing,
  records: listing.records.map((old) => (old.id === record.id ? record : old)),
});

const prepended = (listing: Listing, record: DataRecord, limit: number): Listing => ({
  ...listing,
  records: [record, ...listing.records].slice(0, limit),
  total: listing.total + 1,
});

function without(listing: Listing, id: string): Listing {
  if (!has(listing, id)) return listing;
  return {
    ...listing,
    records: listing.records.filter((record) => record.id !== id),
    total: listing.total - 1,
  };
}

/** Ids that were marked a moment ago. */
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
