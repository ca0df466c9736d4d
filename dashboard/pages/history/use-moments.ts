import { useRef } from 'preact/hooks';
import { type Loaded, useLoad, useRefresh } from '../../ui/index.ts';
import { listMoments, MOMENTS_AT_ONCE, type MomentList } from './api.ts';

/** How often new moments are looked for. One is kept within a minute of a change. */
const REFRESH_MS = 20_000;

export interface Moments {
  loaded: Loaded<MomentList>;
  hasOlder: boolean;
  /** Adds the moments since the latest. */
  refresh(): Promise<void>;
  /** Adds older moments: the next ones, or all. */
  readOlder(isAll?: boolean): Promise<void>;
}

/** The moments of a page, the latest first. */
export function useMoments(pageId: number): Moments {
  const loaded = useLoad((signal) => listMoments(pageId, {}, signal), [pageId]);
  const latest = useRef(loaded.value);
  latest.current = loaded.value;
  const set = (list: MomentList) => {
    latest.current = list;
    loaded.set(list);
  };
  const refresh = async () => {
    const newest = latest.current?.moments[0];
    const list = await listMoments(pageId, newest ? { from: newest.at } : {});
    if (list.moments.length === MOMENTS_AT_ONCE) return set(list);
    const known = new Set(list.moments.map(({ at }) => at));
    const others = latest.current?.moments.filter(({ at }) => !known.has(at)) ?? [];
    set({ ...list, moments: [...list.moments, ...others] });
  };
  const readOlder = async (isAll = false) => {
    do {
      const { current } = latest;
      if (!current || !hasOlder(current)) return;
      const list = await listMoments(pageId, { to: justBefore(current.moments.at(-1)?.at ?? '') });
      // Without any, those in between have been removed by now.
      if (list.moments.length === 0) return set({ ...current, oldest: current.moments.at(-1)?.at ?? null });
      set({ ...list, moments: [...current.moments, ...list.moments] });
    } while (isAll);
  };
  // The next look finds what this one missed.
  useRefresh(() => refresh().catch(() => undefined), REFRESH_MS);
  return { loaded, hasOlder: hasOlder(loaded.value), refresh, readOlder };
}

const hasOlder = (list: MomentList | undefined) =>
  Boolean(list?.oldest && list.oldest < (list.moments.at(-1)?.at ?? ''));

const justBefore = (at: string) => new Date(Date.parse(at) - 1).toISOString();
