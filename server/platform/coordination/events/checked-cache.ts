import type { Broadcast } from './broadcast.ts';
import { type Checked, type Checks, createChecks } from './checks.ts';

/** A cached database row, found by its id or its slug. */
export interface CheckedEntry extends Checked {
  id: number;
  slug: string;
  /** Changes whenever the entry becomes stale. */
  stamp: string;
}

/** Stores entries by id, up to its own limit. */
export interface EntryStore<Entry> {
  get(id: number): Entry | undefined;
  add(entry: Entry): void;
  remove(id: number): void;
}

interface CheckedCacheOptions<Entry> {
  broadcast: Broadcast;
  /** Creates the store, which calls `onRemove` for every entry that it removes. */
  createStore(onRemove: (entry: Entry) => void): EntryStore<Entry>;
  /** Reads an entry from the database, by slug or id. Calls `onId` as soon as the id is known. */
  read(
    key: string | number,
    onId: (id: number) => void,
  ): Promise<(Omit<Entry, 'checkedAt'> & Partial<Checked>) | undefined>;
  /** Reads the current stamp of an entry; undefined if it no longer exists in the database. */
  readStamp(id: number): Promise<string | undefined>;
  /** Called if a comparison finds that an entry no longer exists in the database. */
  onGone?(id: number): void;
}

/** An entry that is being read. Its id is known once its row has been read. */
interface Loading<Entry> {
  entry: Promise<Entry | undefined>;
  id?: number;
  /** The entry changed meanwhile: waiting callers get it, but it is not cached. */
  isStale: boolean;
}

/**
 * A cache that all nodes keep up to date by broadcast. If changes by other nodes may have been missed, an entry is
 * compared with the database before it is used.
 */
export class CheckedCache<Entry extends CheckedEntry> {
  readonly #options: CheckedCacheOptions<Entry>;
  readonly #checks: Checks;
  readonly #slugs = new Map<string, Entry>();
  readonly #entries: EntryStore<Entry>;
  readonly #loading = new Map<string | number, Loading<Entry>>();
  /** How often an entry was in memory, and how often it was read or compared. */
  hits = 0;
  loads = 0;

  constructor(options: CheckedCacheOptions<Entry>) {
    this.#options = options;
    this.#checks = createChecks(options.broadcast);
    this.#entries = options.createStore((entry) => {
      if (this.#slugs.get(entry.slug) === entry) this.#slugs.delete(entry.slug);
    });
  }

  /** The entry, if it may be used as it is. Otherwise `load` it. */
  bySlug(slug: string): Entry | undefined {
    return this.#usable(this.#slugs.get(slug));
  }

  byId(id: number): Entry | undefined {
    return this.#usable(this.#entries.get(id));
  }

  /** Compares or reads an entry, and caches it. Concurrent callers share the work. */
  load(key: string | number): Promise<Entry | undefined> {
    const running = this.#loading.get(key);
    if (running) return running.entry;
    this.loads++;
    const kept = typeof key === 'number' ? this.#entries.get(key) : this.#slugs.get(key);
    const current: Omit<Loading<Entry>, 'entry'> & Partial<Loading<Entry>> = { isStale: false };
    const entry = this.#compareOrRead(kept, key, current).finally(() => {
      if (this.#loading.get(key) === current) this.#loading.delete(key);
    });
    this.#loading.set(key, Object.assign(current, { entry }));
    return entry;
  }

  /** Removes an entry that has changed. */
  drop(id: number): void {
    for (const [key, each] of this.#loading) {
      if (each.id !== undefined && each.id !== id) continue;
      each.isStale = true;
      this.#loading.delete(key);
    }
    this.#entries.remove(id);
  }

  #usable(entry: Entry | undefined): Entry | undefined {
    if (!entry) return undefined;
    const state = this.#checks.checkAge(entry);
    if (state === 'unsure') return undefined;
    if (state === 'old') void this.#compare(entry);
    this.hits++;
    return entry;
  }

  async #compare(entry: Entry): Promise<boolean> {
    let isGone = false;
    const isSame = await this.#checks.compare(entry, async () => {
      const stamp = await this.#options.readStamp(entry.id);
      isGone = stamp === undefined;
      return stamp === entry.stamp;
    });
    if (!isSame && this.#entries.get(entry.id) === entry) this.drop(entry.id);
    if (isGone) this.#options.onGone?.(entry.id);
    return isSame;
  }

  async #compareOrRead(
    kept: Entry | undefined,
    key: string | number,
    current: Omit<Loading<Entry>, 'entry'>,
  ): Promise<Entry | undefined> {
    if (kept && this.#checks.checkAge(kept) === 'unsure' && (await this.#compare(kept))) return kept;
    // The comparison may have dropped it, but the rows read from here on are current. The next drop must find it again.
    if (current.isStale && !this.#loading.has(key)) {
      this.#loading.set(key, current as Loading<Entry>);
      current.isStale = false;
    }
    const checkedAt = performance.now();
    const found = await this.#options.read(key, (id) => {
      current.id = id;
    });
    if (!found) return undefined;
    const entry = { ...found, checkedAt } as Entry;
    if (!current.isStale) {
      this.#slugs.set(entry.slug, entry);
      this.#entries.add(entry);
    }
    return entry;
  }
}
