import type { ByteRange, KeptBlobs } from '../../../platform/blobs/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findKey } from './store.ts';

/** About 2 MB of memory. */
const MAX_KEYS = 10_000;

/** The bytes of pages' files, by hash. */
export class PageFiles {
  /** Where recently read bytes are. A key can be outdated, but never names other bytes. */
  readonly #keys = new Map<string, string>();

  constructor(private readonly options: { db: Db; kept: Pick<KeptBlobs, 'slice'> }) {}

  /**
   * Opens the bytes with this hash, or the part from `start` up to `end`, which is not included. Undefined if no page
   * has them any more. The caller has checked that the page may be seen and that the hash is in its manifest.
   */
  async open(hash: string, range?: ByteRange): Promise<Blob | ReadableStream<Uint8Array> | undefined> {
    const { db, kept } = this.options;
    const known = this.#keys.get(hash);
    const found = known === undefined ? undefined : await kept.slice(known, range);
    if (found) return found;
    this.#keys.delete(hash);
    const key = await findKey(db, hash);
    if (key === undefined) return undefined;
    if (this.#keys.size >= MAX_KEYS) this.#keys.delete(this.#keys.keys().next().value ?? '');
    this.#keys.set(hash, key);
    return kept.slice(key, range);
  }
}
