import { useEffect, useRef } from 'preact/hooks';

/** A refresh that has taken this long has lost its answer: the next one does not wait for it. */
const LOST_AFTER_MS = 60_000;

/** Whether to wait for what began then. */
export const isUnderWay = (begun: number | undefined): boolean =>
  begun !== undefined && Date.now() - begun < LOST_AFTER_MS;

/**
 * Does something again from time to time, while the person can see it, and when they come back to it. It waits for a
 * refresh that is under way, so that slow answers arrive. Without a time it does nothing.
 */
export function useRefresh(refresh: () => Promise<unknown>, everyMs: number | undefined): void {
  const latest = useRef(refresh);
  latest.current = refresh;
  const begun = useRef<number>(undefined);
  useEffect(() => {
    if (everyMs === undefined) return;
    const look = async () => {
      if (document.visibilityState !== 'visible' || isUnderWay(begun.current)) return;
      const now = Date.now();
      begun.current = now;
      try {
        await latest.current();
      } finally {
        if (begun.current === now) begun.current = undefined;
      }
    };
    const timer = setInterval(look, everyMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [everyMs]);
}
