import { createCacheShares } from '../cache-shares.ts';

/** Bytes of files in memory. Each owner has a share, so that nobody can evict everyone else's files. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Cached<Content> {
  id: string;
  access: { owner_id: number };
  size: number;
  isUsed: boolean;
  content: Content;
}

/** Keeps prepared files while there is memory. Concurrent callers share the work. */
export class FileCache<Content extends object> {
  readonly #items;
  readonly #loading = new Map<string, Promise<Content | undefined>>();

  constructor(maxBytes = MAX_BYTES) {
    this.#items = createCacheShares<Cached<Content>>(() => undefined, maxBytes);
  }

  get(key: string): Content | undefined {
    const item = this.#items.get(key);
    if (!item) return undefined;
    item.isUsed = true;
    return item.content;
  }

  load(
    key: string,
    ownerId: number,
    read: () => Promise<{ content: Content; size: number } | undefined>,
  ): Promise<Content | undefined> {
    const running = this.#loading.get(key);
    if (running) return running;
    const loading = this.#read(key, ownerId, read).finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  status(): { files: number; bytes: number } {
    const { pages, bytes } = this.#items.status();
    return { files: pages, bytes };
  }

  async #read(
    key: string,
    ownerId: number,
    read: () => Promise<{ content: Content; size: number } | undefined>,
  ): Promise<Content | undefined> {
    const made = await read();
    if (!made) return undefined;
    this.#items.add({ id: key, access: { owner_id: ownerId }, isUsed: false, ...made });
    return made.content;
  }
}
