import { useEffect, useState } from 'preact/hooks';

const PAUSE_MS = 200;

/** What somebody types, once they pause: a search asks the service for words, not for letters. */
export function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(setSettled, PAUSE_MS, typed);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
