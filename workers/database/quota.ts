/** How much an owner's databases may hold together. It is kept in their host, where all their writes come by. */

/** Thrown, and undone by the transaction around it, when a write would pass the owner's quota. */
export class QuotaError extends Error {
  constructor() {
    super(
      'This would pass the quota of stored bytes. Delete something, or ask the administrator for more: SQLITE_FULL',
    );
  }
}

export interface Room {
  /** Changes how much there is room for. */
  setLimit(bytes: number): void;
  /** Notes a database's size after a statement; throws when it has grown and there is no room for that. */
  check(id: string, bytes: number): void;
  /** Forgets a database that is gone. */
  remove(id: string): void;
  /** What all databases take up. */
  total(): number;
}

/**
 * `sizes` tells what there is on disk, as `id=bytes` between spaces. A file does not shrink when rows are deleted, and
 * takes new ones without growing: so a database counts as large as it ever was.
 */
export function createRoom(limit: number, sizes: string): Room {
  let limitBytes = limit;
  const known = new Map(
    sizes
      .split(' ')
      .filter(Boolean)
      .map((entry): [string, number] => {
        const [id = '', bytes] = entry.split('=');
        return [id, Number(bytes)];
      }),
  );
  const total = () => [...known.values()].reduce((sum, bytes) => sum + bytes, 0);
  return {
    setLimit(bytes) {
      limitBytes = bytes;
    },
    check(id, bytes) {
      const before = known.get(id) ?? 0;
      if (bytes <= before) return;
      if (total() - before + bytes > limitBytes) throw new QuotaError();
      known.set(id, bytes);
    },
    remove: (id) => void known.delete(id),
    total,
  };
}
