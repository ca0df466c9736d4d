const MAX_CACHE_BYTES = 128 * 1024 * 1024;
/** When the cache is full, items of owners above this part of it are evicted first. */
const SHARE = 1 / 4;

interface Item {
  id: number | string;
  access: { owner_id: number };
  size: number;
  isUsed: boolean;
}

export interface CacheStatus {
  pages: number;
  bytes: number;
}

interface Share<T extends Item> {
  items: Map<T['id'], T>;
  bytes: number;
}

/**
 * What is kept in memory, within a limit: pages, or files of pages. At the limit, items of owners above their share are
 * evicted first, those of the largest owner before others, so that no owner can evict everyone else's. Items that were
 * not used since the last pass go first. `onRemove` is called for each.
 */
export function createCacheShares<T extends Item>(onRemove: (item: T) => void, maxBytes = MAX_CACHE_BYTES) {
  const shareBytes = maxBytes * SHARE;
  const all: Share<T> = { items: new Map(), bytes: 0 };
  const owners = new Map<number, Share<T>>();
  /** Owners above their share. There are at most four. */
  const large = new Set<Share<T>>();

  function remove(id: T['id']): void {
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

  /** An item that was used is skipped once, and then counts as new. */
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
    get: (id: T['id']) => all.items.get(id),
    add,
    remove,
    status: (): CacheStatus => ({ pages: all.items.size, bytes: all.bytes }),
  };
}
