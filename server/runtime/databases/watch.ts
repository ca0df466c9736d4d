import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { DATABASE_PATHS, type LiveChanges } from '../../../workers/protocol.ts';
import type { Send } from './placement.ts';

/** The host sends something more often than this. After a longer silence the connection is dead. */
const SILENCE_MS = 20_000;
const RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

const Line: z.ZodType<LiveChanges> = z.record(z.string(), z.string().nullable());

export interface WatchListener {
  /** Called when changes are followed: from now on, none is missed. Earlier ones may have been. */
  onStart(): void;
  /** The tables that were written, with the run of a live call that did it, if one did. */
  onChange(changes: LiveChanges): void;
}

/** Follows one database. It connects again when the connection ends, for example because the database was restored. */
export class DatabaseWatch {
  readonly #stopping = new AbortController();

  constructor(
    private readonly listener: WatchListener,
    private readonly host: { lease(): Promise<() => void>; send: Send },
  ) {
    void this.#follow();
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    for (let waitMs = RETRY_MS; !signal.aborted; ) {
      const hasStarted = await this.#followOnce().catch(() => false);
      waitMs = hasStarted ? RETRY_MS : Math.min(2 * waitMs, MAX_RETRY_MS);
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Returns whether the database could be followed. */
  async #followOnce(): Promise<boolean> {
    const release = await this.host.lease();
    const silence = new AbortController();
    const signal = AbortSignal.any([this.#stopping.signal, silence.signal]);
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    let hasStarted = false;
    try {
      const response = await this.host.send(DATABASE_PATHS.watch, { signal });
      if (!response.ok || !response.body) return false;
      for await (const line of readLines(response.body)) {
        if (signal.aborted) break;
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MS);
        if (!hasStarted) this.listener.onStart();
        hasStarted = true;
        const changes = Line.parse(JSON.parse(line));
        if (Object.keys(changes).length > 0) this.listener.onChange(changes);
      }
    } catch {
      // The connection has ended: it is opened again.
    } finally {
      clearTimeout(timer);
      release();
    }
    return hasStarted;
  }
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
