import { type Broadcast, createChecks } from '../../../platform/coordination/events/index.ts';

interface CachedDomain {
  /** The page that has the domain; undefined if none has. */
  pageId: number | undefined;
  checkedAt: number;
}

/** Verified domains in memory. More are read again when they are used. */
const MAX_KNOWN = 10_000;
/** Other hosts in memory. They have their own limit, so that nobody can evict the domains of others. */
const MAX_UNKNOWN = 1_000;
const TOPIC = 'domain';

/**
 * Says which page a host belongs to. Nodes tell each other of changes; if messages may have been lost, an entry is
 * compared with the database before it is used.
 */
export class DomainTable {
  readonly #options: { broadcast: Broadcast; read(domain: string): Promise<number | undefined> };
  readonly #checks: ReturnType<typeof createChecks>;
  readonly #known = new Map<string, CachedDomain>();
  readonly #unknown = new Map<string, CachedDomain>();
  readonly #loading = new Map<string, Promise<number | undefined>>();

  constructor(options: { broadcast: Broadcast; read(domain: string): Promise<number | undefined> }) {
    this.#options = options;
    this.#checks = createChecks(options.broadcast);
    options.broadcast.subscribe(TOPIC, (domain) => this.#drop(String(domain)));
  }

  /** The page of a host. A promise only if it is not in memory. */
  find(host: string): number | undefined | Promise<number | undefined> {
    const entry = this.#known.get(host) ?? this.#unknown.get(host);
    if (!entry) return mayBeDomain(host) ? this.#load(host) : undefined;
    const state = this.#checks.checkAge(entry);
    if (state === 'unsure') return this.#compare(host, entry);
    if (state === 'old') void this.#compare(host, entry);
    return entry.pageId;
  }

  /** Call this after a change, on the node that made it. */
  changed(domain: string): void {
    this.#drop(domain);
    this.#options.broadcast.publish(TOPIC, domain);
  }

  #drop(domain: string): void {
    this.#loading.delete(domain);
    this.#known.delete(domain);
    this.#unknown.delete(domain);
  }

  async #compare(host: string, entry: CachedDomain): Promise<number | undefined> {
    const { read } = this.#options;
    const isSame = await this.#checks.compare(entry, async () => (await read(host)) === entry.pageId);
    if (isSame) return entry.pageId;
    this.#drop(host);
    return this.#load(host);
  }

  #load(host: string): Promise<number | undefined> {
    const running = this.#loading.get(host);
    if (running) return running;
    const checkedAt = performance.now();
    const reading = this.#options.read(host).then(
      (pageId) => {
        // Keep the result only if the domain has not changed meanwhile.
        if (this.#loading.get(host) === reading) this.#keep(host, { pageId, checkedAt });
        return pageId;
      },
      (error) => {
        if (this.#loading.get(host) === reading) this.#loading.delete(host);
        throw error;
      },
    );
    this.#loading.set(host, reading);
    return reading;
  }

  #keep(host: string, entry: CachedDomain): void {
    this.#loading.delete(host);
    const [entries, max] =
      entry.pageId === undefined ? [this.#unknown, MAX_UNKNOWN] : [this.#known, MAX_KNOWN];
    entries.set(host, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= max) break;
      entries.delete(oldest);
    }
  }
}

/** Whether a host can be a domain. Most others are addresses of this machine, which are never looked up. */
function mayBeDomain(host: string): boolean {
  return host.length <= 253 && host.includes('.') && !/^[\d.]+$/.test(host) && !host.startsWith('[');
}
