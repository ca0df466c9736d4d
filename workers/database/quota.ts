import { parseSizes } from '../protocol.ts';

/** How large a database may be. There are two kinds: of one owner's host, and of a host in a cluster. */
export interface Quota {
  /** The bytes that the database may have now; undefined until the first request. */
  readonly granted: number | undefined;
  /** Makes `granted` at least `bytes`, or throws. */
  request(bytes: number): Promise<void>;
  /** Records the size of the database after a write. */
  record(bytes: number): void;
}

/** Thrown when a write would exceed the owner's quota. The transaction around it is undone. */
export class QuotaError extends Error {
  constructor() {
    super(
      'This would pass the quota of stored bytes. Delete something, or ask the administrator for more: SQLITE_FULL',
    );
  }
}

/**
 * The quota of a host that has all databases of one owner. A file does not shrink when rows are deleted, and takes new
 * rows without growing, so a database counts as large as it ever was.
 */
export class OwnerQuota {
  private readonly sizes: Map<string, number>;

  /** `sizes` is what there is on disk, as `formatSizes` writes it. */
  constructor(
    public limitBytes: number,
    sizes: string,
  ) {
    this.sizes = parseSizes(sizes);
  }

  /** The bytes that all databases use. */
  get usage(): number {
    let bytes = 0;
    for (const size of this.sizes.values()) bytes += size;
    return bytes;
  }

  /** Forgets a database that was removed. */
  remove(id: string): void {
    this.sizes.delete(id);
  }

  /** The quota of one database: what the others leave. */
  of(id: string): Quota {
    const owner = this;
    const size = () => owner.sizes.get(id) ?? 0;
    return {
      get granted() {
        return Math.max(size(), owner.limitBytes - (owner.usage - size()));
      },
      async request() {
        throw new QuotaError();
      },
      record(bytes) {
        if (bytes > size()) owner.sizes.set(id, bytes);
      },
    };
  }
}
