import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListQuery } from '../../../contract/pages/pages.ts';
import { listPages, type PageSummary } from '../api.ts';

const AT_A_TIME = 60;

/** What is asked for: a search, a state and an order. */
type Asked = Pick<ListQuery, 'order' | 'state'> & { query: string };

interface FoundPages {
  /** What these pages match. */
  asked: Asked;
  /** The pages of each response. */
  batches: PageSummary[][];
  total: number;
}

export interface PageSearch {
  found: FoundPages | undefined;
  error: Error | undefined;
  isLoading: boolean;
  hasMore: boolean;
  /** Loads the next pages. Does nothing while a request is running. */
  loadMore(): Promise<void>;
  reload(): Promise<void>;
}

/** Searches the user's pages and loads them in batches. The old results stay until the new ones arrive. */
export function usePages({ query, order, state }: Asked): PageSearch {
  const asked = { query, order, state };
  const [found, setFound] = useState<FoundPages>();
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
        { q: query, order, state, limit: AT_A_TIME, offset: countPages(before) },
        controller.signal,
      );
      if (!controller.signal.aborted) setFound({ asked, batches: join(before, pages), total });
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure as Error);
    } finally {
      if (!controller.signal.aborted) setLoading(false);
    }
  }

  useEffect(() => {
    void read([]);
    return () => running.current?.abort();
  }, [query, order, state]);

  const isCurrent =
    found?.asked.query === query && found.asked.order === order && found.asked.state === state;
  const hasMore = found !== undefined && isCurrent && countPages(found.batches) < found.total;
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

/** Leaves out duplicates: if a page is saved between two requests, it moves to the front and shifts the others. */
function join(before: PageSummary[][], more: PageSummary[]): PageSummary[][] {
  const known = new Set(before.flat().map(({ id }) => id));
  const fresh = more.filter(({ id }) => !known.has(id));
  return fresh.length > 0 ? [...before, fresh] : before;
}

const countPages = (batches: PageSummary[][]) => batches.reduce((count, { length }) => count + length, 0);
