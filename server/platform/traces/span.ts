import { randomBytes } from 'node:crypto';

/** Spans of one trace. Further ones are counted as dropped. */
export const MAX_SPANS = 300;

export type SpanKind = 'internal' | 'server' | 'client';
export type Attributes = Record<string, string | number | boolean>;

/** Asking for random bytes takes longer than everything else about a span, so many are asked for at once. */
const RANDOM_BYTES = 4_096;
let random = '';
let randomAt = 0;

function randomId(bytes: number): string {
  const end = randomAt + 2 * bytes;
  if (end > random.length) {
    random = randomBytes(RANDOM_BYTES).toString('hex');
    randomAt = 0;
    return randomId(bytes);
  }
  const id = random.slice(randomAt, end);
  randomAt = end;
  return id;
}

/** Takes spans that have ended. */
export interface SpanSink {
  add(span: Span): void;
  /** Counts a span that its trace has no place for. */
  drop(): void;
  /** Does something for a trace after its request, such as asking for spans from elsewhere. */
  later(work: (signal: AbortSignal) => Promise<void>): void;
}

/** All spans of one request. */
export class Trace {
  readonly id = randomId(16);
  /** True when the response has begun. What still runs for the request then begins no spans. */
  isOver = false;
  /** Turns what `performance.now` says into the time of day. */
  readonly #base = Date.now() - performance.now();
  #spans = 0;

  constructor(readonly sink: SpanSink) {}

  /** Milliseconds since 1970, with fractions. */
  now(): number {
    return this.#base + performance.now();
  }

  /** Counts a span that has ended, and sends it on if the trace has a place for it. */
  add(span: Span): void {
    if (this.#spans++ < MAX_SPANS) this.sink.add(span);
    else this.sink.drop();
  }
}

/** How long one part of a request took. */
export class Span {
  readonly id = randomId(8);
  readonly startMs: number;
  endMs = 0;
  isFailed = false;

  constructor(
    readonly trace: Trace,
    readonly parent: Pick<Span, 'id'> | undefined,
    public name: string,
    readonly kind: SpanKind = 'internal',
    readonly attributes: Attributes = {},
    startMs?: number,
  ) {
    this.startMs = startMs ?? trace.now();
  }

  child(name: string, kind?: SpanKind, attributes?: Attributes, startMs?: number): Span {
    return new Span(this.trace, this, name, kind, attributes, startMs);
  }

  end(endMs = this.trace.now()): void {
    this.endMs = endMs;
    this.trace.add(this);
  }

  /** What W3C Trace Context calls `traceparent`. */
  get traceparent(): string {
    return `00-${this.trace.id}-${this.id}-01`;
  }
}
