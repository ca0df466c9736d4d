import { useEffect, useState } from 'preact/hooks';

const PAUSE_MS = 200;

/** Returns what someone has typed once they pause, so that a search does not send a request for every letter. */
export function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(setSettled, PAUSE_MS, typed);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
