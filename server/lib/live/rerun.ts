import { setTimeout as sleep } from 'node:timers/promises';
import { createFairQueue } from '../fair-queue.ts';
import { createSemaphore } from '../queues.ts';

/** At most this often, the same work is done again. */
const EVERY_MS = 100;
/** How long to wait after a failure, at first and at most. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** Does work with rests, so that all of it together takes only a part of the time. Those who asked for it take turns. */
export class RestingQueue {
  readonly #fair: ReturnType<typeof createFairQueue>;
  readonly #own = new Map<string, { run: ReturnType<typeof createSemaphore>; count: number }>();

  /** `width` is how much is done at once, and `ownWidth` how much of that for one who asked. */
  constructor(private readonly options: { width: number; ownWidth: number; rest: number }) {
    const { width } = options;
    this.#fair = createFairQueue({ width, maxWaiting: Number.POSITIVE_INFINITY, refused });
  }

  /** Does work that never fails. Then its place rests, `rest` times as long as the work took. */
  add(asker: string, work: () => Promise<void>): void {
    const { ownWidth, rest } = this.options;
    const own = this.#own.get(asker) ?? {
      run: createSemaphore(ownWidth, Number.POSITIVE_INFINITY),
      count: 0,
    };
    this.#own.set(asker, own);
    own.count++;
    const working = own.run(
      () =>
        this.#fair(asker, async () => {
          const startedAt = performance.now();
          await work();
          await sleep(rest * (performance.now() - startedAt));
        }),
      refused,
    );
    void working.finally(() => {
      own.count--;
      if (own.count === 0) this.#own.delete(asker);
    });
  }
}

function refused(): Error {
  return new Error('any number can wait');
}

/** Work that is done again whenever something has changed, and later again if it fails. */
export class Rerun {
  #isStale = false;
  /** Set from when the work is planned until it is done. */
  #isPlanned = false;
  #isRunning = false;
  #isStopped = false;
  #lastAt = Number.NEGATIVE_INFINITY;
  #retryMs = RETRY_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `work` fails if it must be tried again. */
  constructor(
    private readonly queue: { add(work: () => Promise<void>): void },
    private readonly work: () => Promise<void>,
  ) {}

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Does the work again, soon. */
  refresh(): void {
    this.#isStale = true;
    if (this.#isPlanned || this.#isStopped) return;
    this.#isPlanned = true;
    this.#plan(this.#lastAt + EVERY_MS - performance.now());
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #plan(waitMs: number): void {
    const run = () => this.queue.add(() => this.#run());
    if (waitMs <= 0) run();
    else this.#timer = setTimeout(run, waitMs);
  }

  async #run(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStale = false;
    this.#isRunning = true;
    this.#lastAt = performance.now();
    try {
      await this.work();
      this.#retryMs = RETRY_MS;
    } catch {
      if (!this.#isStopped) this.#retry();
      return;
    } finally {
      this.#isRunning = false;
    }
    this.#isPlanned = false;
    if (this.#isStale) this.refresh();
  }

  #retry(): void {
    const waitMs = this.#retryMs;
    this.#retryMs = Math.min(2 * waitMs, MAX_RETRY_MS);
    this.#plan(waitMs);
  }
}
