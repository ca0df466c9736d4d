import { useEffect } from 'preact/hooks';

/** Loads something again from time to time, while the person can see it. */
export function useRefresh(reload: () => Promise<void>, everyMs: number): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [reload, everyMs]);
}
