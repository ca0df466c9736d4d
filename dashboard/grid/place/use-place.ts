import { useMemo } from 'preact/hooks';
import { search, setSearch } from '../../router.tsx';
import { type Place, readPlace, writePlace } from './place.ts';

/** The place in the URL, and what changes it. A change starts at the first page. */
export function usePlace(): [Place, (change: Partial<Place>, isTyping?: boolean) => void] {
  const address = search.value;
  const place = useMemo(() => readPlace(address), [address]);
  const change = (changed: Partial<Place>, isTyping?: boolean) =>
    setSearch(writePlace({ ...readPlace(search.peek()), page: 1, ...changed }), isTyping);
  return [place, change];
}
