const MAX_CACHE_BYTES = 128 * 1024 * 1024;
/** When the cache is full, pages of owners above this are evicted first. */
const SHARE_BYTES = MAX_CACHE_BYTES / 4;

interface Item {
  id: number;
  access: { owner_id: number };
  size: number;
  isUsed: boolean;
}

export interface CacheStatus {
  pages: number;
  bytes: number;
}

interface Share<T> {
  items: Map<number, T>;
  bytes: number;
}

/**
 * What is kept in memory, within a limit. At the limit, pages of owners above their share are evicted first, those of
 * the largest owner before others, so that no owner can evict everyone else's pages. Pages that were not used since
 * the last pass go first. `onRemove` is called for each.
 */
export function createCacheShares<T extends Item>(onRemove: (item: T) => void, maxBytes = MAX_CACHE_BYTES) {
  const shareBytes = (maxBytes / MAX_CACHE_BYTES) * SHARE_BYTES;
  const all: Share<T> = { items: new Map(), bytes: 0 };
  const owners = new Map<number, Share<T>>();
  /** There are at most four. */
  const large = new Set<Share<T>>();

  function remove(id: number): void {
    const item = all.items.get(id);
    if (!item) return;
    const { owner_id } = item.access;
    all.items.delete(id);
    all.bytes -= item.size;
    const share = owners.get(owner_id);
    if (share) {
      share.items.delete(id);
      share.bytes -= item.size;
      if (share.bytes <= shareBytes) large.delete(share);
      if (share.items.size === 0) owners.delete(owner_id);
    }
    onRemove(item);
  }

  function add(item: T): void {
    remove(item.id);
    const { owner_id } = item.access;
    const share: Share<T> = owners.get(owner_id) ?? { items: new Map(), bytes: 0 };
    owners.set(owner_id, share);
    for (const each of [all, share]) {
      each.items.set(item.id, item);
      each.bytes += item.size;
    }
    if (share.bytes > shareBytes) large.add(share);
    while (all.bytes > maxBytes) {
      const largest = [...large].sort((a, b) => b.bytes - a.bytes)[0] ?? all;
      removeOldest(largest);
    }
  }

  /** A page that was used is skipped once, and then counts as new. */
  function removeOldest({ items }: Share<T>): void {
    for (const item of items.values()) {
      if (!item.isUsed) {
        remove(item.id);
        return;
      }
      item.isUsed = false;
      items.delete(item.id);
      items.set(item.id, item);
    }
  }

  return {
    get: (id: number) => all.items.get(id),
    add,
    remove,
    status: (): CacheStatus => ({ pages: all.items.size, bytes: all.bytes }),
  };
}
