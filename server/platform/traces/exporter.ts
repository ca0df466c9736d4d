import { toOtlp } from './otlp.ts';
import type { Attributes, Span } from './span.ts';

/** Spans that wait for the collector. Further ones are dropped. */
export const MAX_WAITING = 2_048;
const MAX_BATCH = 512;
/** How long the first span of a batch waits for others. */
const GATHER_MS = 1_000;
/** How long a collector can take to respond. */
const SEND_MS = 10_000;

export interface Collector {
  /** Where spans are sent, with the path. */
  url: string;
  headers: Record<string, string>;
  resource: Attributes;
}

/** Where the exporter says that the collector fails. */
export interface ExporterLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** What became of spans. */
export type SpanCounts = Record<'sent' | 'failed' | 'dropped', number>;

/**
 * Sends spans to a collector, one batch at a time. Nothing waits for it: while the collector does not take spans, they
 * are dropped and counted.
 */
export class Exporter {
  readonly counts: SpanCounts = { sent: 0, failed: 0, dropped: 0 };
  readonly #options: Collector & { log: ExporterLog };
  #waiting: Span[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  readonly #stopping = new AbortController();
  #isFailing = false;

  constructor(options: Collector & { log: ExporterLog }) {
    this.#options = options;
  }

  add(span: Span): void {
    if (this.#waiting.length === MAX_WAITING || this.#stopping.signal.aborted) {
      this.drop();
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= MAX_BATCH) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), GATHER_MS);
  }

  drop(): void {
    this.counts.dropped++;
  }

  /** Sends what waits, for as long as it may take. What is left then is dropped. */
  async stop(withinMs: number): Promise<void> {
    const limit = setTimeout(() => this.#stopping.abort(), withinMs);
    this.#begin();
    await this.#sending;
    clearTimeout(limit);
    this.#stopping.abort();
    clearTimeout(this.#timer);
    this.counts.dropped += this.#waiting.length;
    this.#waiting = [];
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#stopping.signal.aborted)
      await this.#send(this.#waiting.splice(0, MAX_BATCH));
  }

  async #send(spans: Span[]): Promise<void> {
    const failure = await this.#post(toOtlp(spans, this.#options.resource));
    this.counts[failure === undefined ? 'sent' : 'failed'] += spans.length;
    const isFailing = failure !== undefined;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    const { log, url } = this.#options;
    if (isFailing)
      log.warn(
        { collector: url, reason: failure },
        'spans are lost: the collector of traces does not take them',
      );
    else log.info({ collector: url }, 'the collector of traces takes spans again');
  }

  /** Why the collector did not take spans; undefined if it did. */
  async #post(body: string): Promise<string | undefined> {
    const { url, headers } = this.#options;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        // A redirect would take the headers, which can be secret, to somewhere else.
        redirect: 'manual',
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(SEND_MS)]),
      });
      // The status says enough, and the body may never end.
      await response.body?.cancel();
      return response.ok ? undefined : `it responded with status ${response.status}`;
    } catch (error) {
      return (error as Error).name === 'TimeoutError'
        ? `it did not respond within ${SEND_MS / 1000} seconds`
        : (error as Error).message;
    }
  }
}
