import {
  DATABASE_PATHS,
  type DatabaseFailure,
  TRANSACTION_LIMITS,
  TRANSACTION_LINES,
  TRANSACTION_TIMEOUT,
  type TransactionEnd,
} from '../protocol.ts';

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

/** How long the host may take beyond the time of a transaction, until it counts as unavailable. */
const GRACE_MS = 2_000;
/** How long to wait for a commit. */
const COMMIT_MS = 25_000;
const FAILURE = '{"success":false';

const UNAVAILABLE =
  'The database is unavailable. Nothing of the transaction was kept. Try again in a moment. (UNAVAILABLE)';
const OUTCOME_UNKNOWN =
  'The database was lost during the commit. The transaction may or may not have been kept: check before you try again. (OUTCOME_UNKNOWN)';

interface Waiting {
  resolve(text: string): void;
  reject(error: Error): void;
}

/** One transaction at the database host: a request whose lines are statements, and a response whose lines are results. */
export class Connection {
  /** Rejects when the host has undone the transaction, or is lost. Never resolves. */
  readonly ended: Promise<never>;
  private readonly encoder = new TextEncoder();
  private readonly waiting: Waiting[] = [];
  private readonly rejectEnded: (error: Error) => void;
  private failure: Error | undefined;
  private isCommitting = false;
  private timer: ReturnType<typeof setTimeout> | null = null;

  private constructor(
    private readonly writer: WritableStreamDefaultWriter<Uint8Array>,
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
  ) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.ended = promise;
    this.rejectEnded = reject;
  }

  /** Opens a transaction. Waits for the one that is open. */
  static async open(fetch: Fetch): Promise<Connection> {
    const { readable, writable } = new IdentityTransformStream();
    const url = `http://d1${DATABASE_PATHS.transaction}`;
    const response = await fetch(url, { method: 'POST', body: readable }).catch(() => undefined);
    if (!response) throw new Error(UNAVAILABLE);
    if (!response.ok || !response.body) throw toError(await response.text());
    const connection = new Connection(writable.getWriter(), response.body.getReader());
    const opened = connection.expect();
    void connection.read();
    await opened;
    connection.endAfter(TRANSACTION_LIMITS.totalMs + GRACE_MS, TRANSACTION_TIMEOUT);
    return connection;
  }

  /** Sends a line, and returns the line that responds to it. */
  send(line: string): Promise<string> {
    const response = this.expect();
    // If this fails, the response says why, or ends.
    if (!this.failure) this.writer.write(this.encoder.encode(`${line}\n`)).catch(() => undefined);
    return response;
  }

  /** Commits the whole transaction. */
  async commit(): Promise<void> {
    this.isCommitting = true;
    this.endAfter(COMMIT_MS, OUTCOME_UNKNOWN);
    await this.send(TRANSACTION_LINES.commit);
    this.close();
  }

  /** Undoes the whole transaction. If another one is open inside, only cutting the connection does. */
  async undo(hasOpenInside: boolean): Promise<void> {
    if (!hasOpenInside) await this.send(TRANSACTION_LINES.rollback).catch(() => undefined);
    this.fail(new Error(UNAVAILABLE));
  }

  private close(): void {
    clearTimeout(this.timer);
    this.writer.close().catch(() => undefined);
  }

  private expect(): Promise<string> {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
    });
  }

  private endAfter(milliseconds: number, message: string): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fail(makeError(message)), milliseconds);
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest: string[] = [];
    try {
      for (;;) {
        const { done, value } = await this.reader.read();
        if (done) break;
        const [first = '', ...others] = decoder.decode(value, { stream: true }).split('\n');
        rest.push(first);
        for (const next of others) {
          this.take(rest.join(''));
          rest = [next];
        }
      }
    } catch {
      // A connection that breaks is treated as one that has ended.
    }
    this.lose();
  }

  private take(line: string): void {
    if (line.startsWith(FAILURE) && (JSON.parse(line) as Partial<TransactionEnd>).ended)
      this.fail(toError(line));
    else this.waiting.shift()?.resolve(line);
  }

  private lose(): void {
    this.fail(makeError(this.isCommitting ? OUTCOME_UNKNOWN : UNAVAILABLE));
  }

  private fail(error: Error): void {
    if (this.failure) return;
    this.failure = error;
    clearTimeout(this.timer);
    this.rejectEnded(error);
    for (const { reject } of this.waiting.splice(0)) reject(error);
    this.writer.abort().catch(() => undefined);
    this.reader.cancel().catch(() => undefined);
  }
}

/** The error that a failed line or response says. */
export function toError(text: string): Error {
  return makeError(readFailure(text) ?? UNAVAILABLE);
}

/** Why a statement failed; undefined if it did not. */
export function readFailure(text: string): string | undefined {
  if (!text.startsWith(FAILURE)) return undefined;
  return (JSON.parse(text) as DatabaseFailure).error;
}

function makeError(message: string): Error {
  const [, code] = / \(([A-Z_]+)\)$/.exec(message) ?? [];
  return Object.assign(new Error(`D1_ERROR: ${message}`), code !== undefined && { code });
}
