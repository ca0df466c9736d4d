import type { Log } from '../http/index.ts';
import { storageFailure } from './failures.ts';

interface FlushLoopOptions {
  everyMs: number;
  /** Writes what was counted so far. What it cannot write, it keeps. */
  write(): Promise<void>;
  log: Log;
  /** Logged if a write fails. */
  failure: string;
}

/** Writes what was counted in memory, at regular intervals and when asked, one write at a time. */
export class FlushLoop {
  readonly #options: FlushLoopOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #writing: Promise<void> | undefined;

  constructor(options: FlushLoopOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#flush().catch((error: unknown) => options.log.warn({ err: error }, options.failure));
    }, options.everyMs);
  }

  /** Writes the counts so far. If the storage fails, they stay pending. */
  async flushIfPossible(): Promise<void> {
    await this.#flush().catch((error: unknown) => {
      if (!storageFailure(error)) throw error;
    });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }

  async #flush(): Promise<void> {
    while (this.#writing) await this.#writing.catch(() => undefined);
    this.#writing = this.#options.write();
    try {
      await this.#writing;
    } finally {
      this.#writing = undefined;
    }
  }
}
