/** Bytes that the history of an owner can grow by until it is compared with their share, without waiting for a sweep. */
const GROWTH_BYTES = 16 * 1024 * 1024;
/** The least time between two comparisons: an owner can have many pages, and what fits in between is bounded. */
const APART_MS = 5 * 60_000;

interface GrowthOptions {
  now: () => number;
  /** Makes the history of an owner fit into their share. */
  fit(ownerId: number): Promise<void>;
  onFailure(error: unknown): void;
}

/** Watches how much the history of owners grows on this node, so that nobody can fill the disk between two sweeps. */
export class Growth {
  readonly #options: GrowthOptions;
  readonly #grown = new Map<number, number>();
  readonly #fittedAt = new Map<number, number>();
  #fitting: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: GrowthOptions) {
    this.#options = options;
  }

  note(ownerId: number, bytes: number): void {
    const { now, fit, onFailure } = this.#options;
    const grown = (this.#grown.get(ownerId) ?? 0) + bytes;
    this.#grown.set(ownerId, grown);
    const sinceMs = Math.abs(now() - (this.#fittedAt.get(ownerId) ?? Number.NEGATIVE_INFINITY));
    if (grown < GROWTH_BYTES || sinceMs < APART_MS || this.#isStopped) return;
    this.#grown.delete(ownerId);
    this.#fittedAt.set(ownerId, now());
    this.#fitting = this.#fitting
      .then(() => (this.#isStopped ? undefined : fit(ownerId)))
      // The next sweep tries again.
      .catch(onFailure);
  }

  /** Forgets everything, after a sweep. */
  clear(): void {
    this.#grown.clear();
    this.#fittedAt.clear();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#fitting;
  }
}
