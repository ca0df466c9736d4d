import type { Redis } from './redis.ts';

/** Longer than the time between two answers of the database, so that the mark lasts while anyone gets answers. */
const MARK_MS = 700;
const LOOK_MS = 200;

/** What a node knows about its own database connection. */
interface Database {
  readonly state: string;
  /** When the database last answered or, once that is known, could not any more; by `performance.now()`. */
  readonly heardAt: number;
  /** Calls the listener after every question to the database. */
  onBeat(listener: (state: string) => void): void;
}

/**
 * Distinguishes a database that is unavailable to all nodes from a node that is cut off. Each node that gets an answer
 * leaves a mark in Redis, which expires soon. A node without answers that finds a mark is cut off, and so is one that
 * reaches neither the database nor Redis, as far as it can know.
 */
export class CutOffWatch {
  readonly #redis: Redis;
  readonly #database: Database;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isCutOff = false;

  constructor({ redis, database }: { redis: Redis; database: Database }) {
    this.#redis = redis;
    this.#database = database;
    database.onBeat((state) => (state === 'answers' ? this.#mark() : this.#begin()));
  }

  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  get #key(): string {
    return `${this.#redis.prefix}database-answers`;
  }

  #mark(): void {
    this.stop();
    this.#isCutOff = false;
    void this.#redis.run((client) => client.set(this.#key, '1', 'PX', MARK_MS)).catch(() => undefined);
  }

  #begin(): void {
    // Marks from before the loss must have expired.
    this.#timer ??= setTimeout(() => this.#look(), this.#database.heardAt + MARK_MS - performance.now());
  }

  async #look(): Promise<void> {
    const others = await this.#redis.run((client) => client.exists(this.#key)).catch(() => undefined);
    if (this.#timer === undefined) return;
    if (others !== undefined) this.#isCutOff = others > 0;
    else if (!this.#redis.isUp) this.#isCutOff = true;
    this.#timer = setTimeout(() => this.#look(), LOOK_MS);
  }
}
