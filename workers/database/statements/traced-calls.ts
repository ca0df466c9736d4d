import {
  MAX_TRACED_CALLS,
  MAX_TRACED_REQUESTS,
  MAX_TRACED_STATEMENTS,
  readTraceparent,
  type TracedRequest,
  toOperation,
} from '../../protocol.ts';

interface TracedCall {
  requests: TracedRequest[];
  statements: number;
}

/** Remembers what ran for traced calls, until the server asks. A call that it never asks for makes place for later ones. */
export class TracedCalls {
  readonly #calls = new Map<string, TracedCall>();

  /** Begins to note a request; null if it is not part of a trace, or its call has had enough of them. */
  begin(headers: Headers, isTransaction = false): RequestNote | null {
    const traceparent = readTraceparent(headers);
    if (traceparent === null) return null;
    const call = this.#find(traceparent);
    return call.requests.length < MAX_TRACED_REQUESTS ? new RequestNote(call, isTransaction) : null;
  }

  /** What ran for a call, which is then forgotten. */
  take(traceparent: string): TracedRequest[] {
    const call = this.#calls.get(traceparent);
    this.#calls.delete(traceparent);
    return call?.requests ?? [];
  }

  #find(traceparent: string): TracedCall {
    const known = this.#calls.get(traceparent);
    if (known) return known;
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size < MAX_TRACED_CALLS) break;
      this.#calls.delete(oldest);
    }
    const call = { requests: [], statements: 0 };
    this.#calls.set(traceparent, call);
    return call;
  }
}

/** One request, while it runs. */
export class RequestNote {
  readonly #call: TracedCall;
  readonly #noted: TracedRequest;
  /** Turns what `performance.now` says into the time of day. */
  readonly #base = Date.now() - performance.now();

  constructor(call: TracedCall, isTransaction: boolean) {
    const startMs = this.#base + performance.now();
    this.#call = call;
    this.#noted = { startMs, endMs: startMs, isTransaction, isFailed: false, statements: [] };
    call.requests.push(this.#noted);
  }

  /** Notes a statement that began at `startedAt` and has ended. */
  statement(sql: string, startedAt: number, rows: { rowsRead: number; rowsWritten: number }): void {
    if (this.#call.statements === MAX_TRACED_STATEMENTS) return;
    this.#call.statements++;
    const [startMs, endMs] = [this.#base + startedAt, this.#base + performance.now()];
    // A transaction can be taken a moment before it ends.
    this.#noted.endMs = endMs;
    this.#noted.statements.push({ operation: toOperation(sql), startMs, endMs, ...rows });
  }

  end(isFailed = false): void {
    this.#noted.endMs = this.#base + performance.now();
    this.#noted.isFailed = isFailed;
  }
}
