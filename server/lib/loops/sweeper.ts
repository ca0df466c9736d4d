/** Removes one kind of expired rows or files. A long purge checks `isStopping` and ends early. */
export type Purge = (isStopping: () => boolean) => Promise<void>;

/** Each interval varies by up to this fraction, so that nodes that start together do not sweep together. */
const JITTER = 0.1;

/**
 * Runs purges at regular intervals, one sweep at a time. A purge that fails is logged and retried in the next sweep,
 * and does not stop the others.
 */
export class Sweeper {
  readonly #options: ConstructorParameters<typeof Sweeper>[0];
  #running: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(options: {
    everyMs: number;
    log: { warn(fields: object, message: string): void };
    /** Purges by the name that appears in the log. */
    purges: Record<string, Purge>;
  }) {
    this.#options = options;
    this.#schedule();
  }

  /** Sweeps now, or after the sweep that is running. */
  sweep(): Promise<void> {
    if (!this.#isStopped) this.#running = this.#running.then(() => this.#purgeAll());
    return this.#running;
  }

  /** Resolves when the sweep that is running has ended. */
  idle(): Promise<void> {
    return this.#running;
  }

  /** Stops, once the sweep that is running has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #purgeAll(): Promise<void> {
    for (const [name, purge] of Object.entries(this.#options.purges)) {
      if (this.#isStopped) return;
      try {
        await purge(() => this.#isStopped);
      } catch (error) {
        this.#options.log.warn({ err: error }, `could not purge ${name}; trying again later`);
      }
    }
  }

  #schedule(): void {
    const factor = 1 - JITTER + 2 * JITTER * Math.random();
    this.#timer = setTimeout(() => {
      this.#schedule();
      void this.sweep();
    }, this.#options.everyMs * factor);
    this.#timer.unref();
  }
}
