/** How often the clock is looked at while something is planned: it can be set, or the machine can sleep. */
const TICK_MS = 1_000;
/** How often the database is asked at least: other nodes add work too, and die. */
const LOOK_EVERY_MS = 60_000;
const RETRY_MS = 10_000;
/**
 * How far the clock can be set back until work is planned again. Up to this, it waits until the clock has caught up, so
 * that nothing runs twice.
 */
export const SET_BACK_MS = 3600 * 1000;

interface DueLoopOptions {
  /** What is done, for the log. */
  what: string;
  now: () => number;
  log: { warn(fields: object, message: string): void };
  /** Starts what is due. Returns when to look again. */
  startDue(): Promise<number>;
  /** Plans work again that was planned by a wrong clock. */
  repair?(): Promise<void>;
}

/**
 * Asks the database for work that is due. It knows when the next work is due and asks no sooner, except once a minute.
 */
export class DueLoop {
  readonly #options: DueLoopOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When to ask the database, by the clock; when it was asked, by a clock that nobody can set. */
  #nextAt = 0;
  #lookedAt = 0;
  #seenAt = 0;
  #isLooking = false;
  #looking: Promise<void> = Promise.resolve();
  #isStale = false;
  #isStopped = false;

  constructor(options: DueLoopOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Call this when work was added, or what keeps it from running has changed. */
  wake(): void {
    this.#nextAt = 0;
    if (this.#isLooking) this.#isStale = true;
    else this.#arm(0);
  }

  /** Starts nothing more, so that other nodes can. */
  drain(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async stop(): Promise<void> {
    this.drain();
    await this.#looking;
  }

  #arm(waitMs: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.#tick(), waitMs);
    this.#timer.unref();
  }

  #tick(): void {
    const now = this.#options.now();
    const isSetBack = now < this.#seenAt - SET_BACK_MS;
    this.#seenAt = now;
    const isTime = now >= this.#nextAt || performance.now() - this.#lookedAt >= LOOK_EVERY_MS;
    if (isTime || isSetBack) this.#looking = this.#look(isSetBack || this.#lookedAt === 0);
    else this.#arm(this.#waitMs(now));
  }

  #waitMs(now: number): number {
    if (this.#nextAt === Number.POSITIVE_INFINITY) return LOOK_EVERY_MS;
    return Math.min(TICK_MS, Math.max(0, this.#nextAt - now));
  }

  async #look(mustRepair: boolean): Promise<void> {
    const { log, now, what, repair, startDue } = this.#options;
    this.#isLooking = true;
    try {
      if (mustRepair) await repair?.();
      do {
        this.#isStale = false;
        this.#lookedAt = performance.now();
        this.#nextAt = await startDue();
      } while (this.#isStale && !this.#isStopped);
    } catch (error) {
      log.warn({ err: error }, `${what} could not be read; trying again`);
      this.#nextAt = now() + RETRY_MS;
    } finally {
      this.#isLooking = false;
      this.#arm(this.#waitMs(now()));
    }
  }
}
