import { randomBytes } from 'node:crypto';
import type { ByteRange, KeptBlobs } from '../../../platform/blobs/index.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { addBlobs, addPageBlobs, dropBlobs, dropSomeBlobs, findBlobs, findKey } from './store.ts';

/** Bytes that came with a request. */
export interface SentBytes {
  hash: string;
  size: number;
  crc32: number;
  /** The bytes; undefined if the page already has them. */
  content: Uint8Array | { path: string } | undefined;
}

interface PageFilesOptions {
  db: Db;
  kept: KeptBlobs;
  chargeUsage: ChargeUsage;
}

/** Folders keep the number of files in each small. A key is never used twice: its bytes may be about to be deleted. */
const newKey = (hash: string) => `files/${hash.slice(0, 2)}/${hash}-${randomBytes(6).toString('hex')}`;

/** Keys in memory: about 2 MB. */
const MAX_KEYS = 10_000;

/** The bytes of pages' files. Equal bytes are stored once, whatever pages they belong to. */
export class PageFiles {
  /** The keys of recently read bytes, by hash. A key can be outdated, but never names other bytes. */
  readonly #keys = new Map<string, string>();

  constructor(private readonly options: PageFilesOptions) {}

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

  /** Reads the bytes with this hash as text. */
  async readText(hash: string): Promise<string | undefined> {
    const opened = await this.open(hash);
    return opened && new Response(opened).text();
  }

  /**
   * Stores bytes for a version of a page, or for a draft, and does `work` in the transaction in which they get their
   * rows: when it calls `addToPage`, and not at all if it does not. If anything fails, no bytes are kept.
   */
  async keep<Result>(
    pageId: number,
    sent: SentBytes[],
    work: (tx: Tx, addToPage: (page: PageRow) => Promise<void>) => Promise<Result>,
    use: { isForDraft?: boolean } = {},
  ): Promise<Result> {
    const { db, kept, chargeUsage } = this.options;
    const byHash = new Map<string, SentBytes>();
    for (const bytes of sent) if (bytes.content !== undefined) byHash.set(bytes.hash, bytes);
    // The bytes of a draft can be deleted before this transaction begins.
    const there = await findBlobs(db, pageId, [...byHash.keys()], { isInVersion: true });
    for (const hash of there.keys()) byHash.delete(hash);
    const fresh = [...byHash.values()].flatMap(({ hash, size, crc32, content }) =>
      content ? [{ blob: { hash, size, crc32, key: newKey(hash) }, content }] : [],
    );
    const contents = fresh.map(({ blob, content }) => ({ key: blob.key, content }));
    return kept.keepSome(contents, (tx, take) =>
      work(tx, async (page) => {
        // Another upload may have given the page the same bytes meanwhile.
        const added = new Set(await addPageBlobs(tx, page.id, [...byHash.keys()], use));
        const blobs = fresh.flatMap(({ blob }) => (added.has(blob.hash) ? [blob] : []));
        if (blobs.length === 0) return;
        // Charge before the rows of blobs are locked: the order is always usage first, then blobs.
        const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
        await chargeUsage(tx, page.owner_id, { bytes });
        await take(await addBlobs(tx, blobs));
      }),
    );
  }

  /** Releases all bytes of a page that is about to be deleted. Charge its owner before. */
  async release(tx: Tx, pageId: number): Promise<void> {
    const keys = await dropBlobs(tx, pageId);
    if (keys.length > 0) await this.options.kept.release(tx, keys);
  }

  /** Releases some bytes of a page. Charge its owner before. */
  async releaseSome(tx: Tx, pageId: number, hashes: string[]): Promise<void> {
    const keys = await dropSomeBlobs(tx, pageId, hashes);
    if (keys.length > 0) await this.options.kept.release(tx, keys);
  }
}
