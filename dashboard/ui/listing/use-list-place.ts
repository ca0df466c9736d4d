import { useMemo, useState } from 'preact/hooks';
import { search, setSearch } from '../../router.tsx';
import { type ListPlace, type Offered, readListPlace, type View, writeListPlace } from './list-place.ts';

/** What a list shows, from the URL, and what changes it. This browser remembers the view. */
export function useListPlace<Order extends string, State extends string>(
  name: string,
  usualView: View,
  offered: Offered<Order, State>,
) {
  const key = `quire.view.${name}`;
  const address = search.value;
  const place = useMemo(() => readListPlace(address, offered), [address]);
  const [remembered, setRemembered] = useState(() => readView(key) ?? usualView);
  const change = (changed: Partial<ListPlace<Order, State>>, isTyping?: boolean) => {
    if (changed.view) {
      writeView(key, changed.view);
      setRemembered(changed.view);
    }
    const next = { ...readListPlace(search.peek(), offered), ...changed };
    setSearch(writeListPlace(next, offered), isTyping);
  };
  return { ...place, view: place.view ?? remembered, change };
}

function readView(key: string): View | undefined {
  try {
    const view = localStorage.getItem(key);
    return view === 'cards' || view === 'list' ? view : undefined;
  } catch {
    return undefined;
  }
}

function writeView(key: string, view: View): void {
  try {
    localStorage.setItem(key, view);
  } catch {
    // The storage is full or disabled: the usual view comes back.
  }
}
