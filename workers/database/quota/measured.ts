import { parseSizes } from '../../protocol.ts';
import { type Quota, QuotaError } from './quota.ts';

/**
 * The quota of a host that has all databases of one owner, as files that it can measure. A file does not shrink when rows are deleted, and takes new
 * rows without growing, so a database counts as large as it ever was.
 */
export class MeasuredQuota {
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
