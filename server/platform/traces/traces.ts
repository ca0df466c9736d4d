import { readCaller } from './caller.ts';
import { outsideSpan } from './current.ts';
import { type Collector, Exporter, type ExporterLog, type SpanCounts } from './exporter.ts';
import { type Attributes, Span, type SpanSink, Trace } from './span.ts';

/** How long the last spans can take when the service stops. */
const STOP_MS = 2_000;
/** Questions about traces that can be asked at the same time. Without an answer, the spans are missing. */
export const MAX_LATER = 50;
const LATER_MS = 2_000;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Decides which requests are traced, and sends their spans to the collector. */
export class Traces implements SpanSink {
  readonly #ratio: number;
  readonly #exporter: Exporter;
  readonly #later = new Map<AbortController, Promise<void>>();
  #isStopping = false;

  constructor(options: Collector & { ratio: number; log: ExporterLog }) {
    this.#ratio = options.ratio;
    this.#exporter = new Exporter(options);
  }

  get counts(): SpanCounts {
    return this.#exporter.counts;
  }

  /**
   * The span of a request, if it is traced. What the caller says of its own trace is noted, and decides nothing:
   * otherwise anyone could have every request traced, or add spans to the traces of others.
   */
  begin(request: Request, requestId: string): Span | undefined {
    if (Math.random() >= this.#ratio) return undefined;
    const method = METHODS.includes(request.method) ? request.method : '_OTHER';
    const caller = readCaller(request.headers);
    const attributes: Attributes = {
      'http.request.method': method,
      'quire.request_id': requestId,
      ...(caller && { 'quire.caller.trace_id': caller.traceId, 'quire.caller.span_id': caller.spanId }),
    };
    return new Span(new Trace(this), undefined, method, 'server', attributes);
  }

  add(span: Span): void {
    this.#exporter.add(span);
  }

  drop(): void {
    this.#exporter.drop();
  }

  later(work: (signal: AbortSignal) => Promise<void>): void {
    if (this.#later.size === MAX_LATER || this.#isStopping) {
      this.drop();
      return;
    }
    const question = new AbortController();
    const { signal } = question;
    const limit = setTimeout(() => question.abort(), LATER_MS);
    const done: Promise<void> = Promise.race([outsideSpan(() => work(signal)), untilAborted(signal)])
      .catch(() => this.drop())
      .finally(() => {
        clearTimeout(limit);
        this.#later.delete(question);
      });
    this.#later.set(question, done);
  }

  /** Sends what is left. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const limit = setTimeout(() => {
      for (const question of this.#later.keys()) question.abort();
    }, STOP_MS / 2);
    await Promise.all(this.#later.values());
    clearTimeout(limit);
    await this.#exporter.stop(STOP_MS / 2);
  }
}

/** Rejects when the signal aborts, for work that does not look at it all the time. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
