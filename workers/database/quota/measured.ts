import { parseSizes } from '../../protocol.ts';
import { type Quota, QuotaError } from './quota.ts';

/**
 * The quota of a host that has all databases of one owner, as files that it can measure. A file does not shrink when
 * rows are deleted, and takes new rows without growing, so a database counts as large as it ever was.
 */
export class MeasuredQuota {
  private readonly sizes: Map<string, number>;
  /** The bytes that all databases use. */
  usage = 0;

  /** `sizes` is what there is on disk, as `formatSizes` writes it. */
  constructor(
    public limitBytes: number,
    sizes: string,
  ) {
    this.sizes = parseSizes(sizes);
    for (const size of this.sizes.values()) this.usage += size;
  }

  /** Forgets a database that was removed. */
  remove(id: string): void {
    this.usage -= this.sizes.get(id) ?? 0;
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
        if (bytes <= size()) return;
        owner.usage += bytes - size();
        owner.sizes.set(id, bytes);
      },
    };
  }
}
