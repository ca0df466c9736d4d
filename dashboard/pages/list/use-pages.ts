import { useEffect, useRef, useState } from 'preact/hooks';
import { listPages, type PageSummary } from '../api.ts';

const AT_A_TIME = 60;

interface Found {
  /** What was searched for. */
  query: string;
  /** The pages as they came. */
  batches: PageSummary[][];
  total: number;
}

export interface PageSearch {
  found: Found | undefined;
  error: Error | undefined;
  isLoading: boolean;
  hasMore: boolean;
  /** Reads the next ones; does nothing while some are on their way. */
  loadMore(): Promise<void>;
  reload(): Promise<void>;
}

/** The person's pages that match, some at a time. Those of the last search stay until the next ones are there. */
export function usePages(query: string): PageSearch {
  const [found, setFound] = useState<Found>();
  const [error, setError] = useState<Error>();
  const [isLoading, setLoading] = useState(true);
  const running = useRef<AbortController>(undefined);

  async function read(before: PageSummary[][]) {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setLoading(true);
    setError(undefined);
    try {
      const { pages, total } = await listPages(
        { q: query, limit: AT_A_TIME, offset: countOf(before) },
        controller.signal,
      );
      if (!controller.signal.aborted) setFound({ query, batches: join(before, pages), total });
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure as Error);
    } finally {
      if (!controller.signal.aborted) setLoading(false);
    }
  }

  useEffect(() => {
    void read([]);
    return () => running.current?.abort();
  }, [query]);

  const hasMore = found !== undefined && found.query === query && countOf(found.batches) < found.total;
  return {
    found,
    error,
    isLoading,
    hasMore,
    loadMore: async () => {
      if (hasMore && !isLoading) await read(found.batches);
    },
    reload: () => read([]),
  };
}

/** A page that was saved meanwhile has moved to the front and pushed another one down, which then comes twice. */
function join(before: PageSummary[][], more: PageSummary[]): PageSummary[][] {
  const known = new Set(before.flat().map(({ id }) => id));
  const fresh = more.filter(({ id }) => !known.has(id));
  return fresh.length > 0 ? [...before, fresh] : before;
}

const countOf = (batches: PageSummary[][]) => batches.reduce((count, { length }) => count + length, 0);
