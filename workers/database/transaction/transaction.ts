import {
  D1_PATHS,
  TRANSACTION_LIMITS,
  TRANSACTION_LINES,
  TRANSACTION_TIMEOUT,
  type TransactionEnd,
} from '../../protocol.ts';
import { isAllUndone } from '../../workerd-messages.ts';
import { describeFailure, toFailure } from '../failures.ts';
import { QuotaError } from '../quota/quota.ts';
import { parseTarget } from '../target.ts';
import { LineReader, LineTooLong } from './lines.ts';

/** What a transaction needs of its database. */
interface Database {
  run(pathname: string, body: unknown, wantsObjects: boolean): Promise<unknown>;
  /** Throws if the transaction must not be committed. */
  beforeCommit(): Promise<void>;
  afterUndo(): void;
  /** Counts characters that are in memory, or no longer. Throws if they are too many. */
  count(difference: number): void;
}

/** Undoes a transaction for its sender. */
class Undone extends Error {}

/** Ends a transaction and all around it. Without a reason, nobody is left to be told. */
class Ended extends Error {
  constructor(readonly reason?: string) {
    super(reason);
  }
}

const DONE = '{"success":true}';
/** The time for the last line, when the transaction is over. Its sender may be in the middle of a long one. */
const LAST_LINE_MS = 30_000;
const ONLY_STATEMENTS = 'A transaction takes statements only.';

/**
 * A transaction that a function has opened. Its statements arrive as lines, and each gets its result as a line. What is
 * written is undone unless the sender commits: if it goes away, fails, hangs or takes too long.
 */
export class Transaction {
  private readonly lines: LineReader;
  private readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  private readonly encoder = new TextEncoder();
  private endsAt = 0;
  private idleMs: number = TRANSACTION_LIMITS.idleMs;

  constructor(
    private readonly storage: DurableObjectStorage,
    body: ReadableStream<Uint8Array> | null,
    writable: WritableStream<Uint8Array>,
    private readonly database: Database,
  ) {
    // The body must be read directly: piped through another stream, it hangs when a transaction is opened inside.
    this.lines = new LineReader(body ?? new Blob([]).stream(), {
      wait: (work) => this.inTime(work, this.idleMs),
      count: (difference) => this.count(difference),
    });
    this.writer = writable.getWriter();
  }

  /** Runs the whole transaction. Calls `end` when it is over. Never throws. */
  async run(end: () => void): Promise<void> {
    this.endsAt = Date.now() + TRANSACTION_LIMITS.totalMs;
    let last: string | undefined;
    try {
      // The response must have left before the transaction opens, or both would wait for each other.
      await this.send(DONE);
      last = await this.runWhole();
    } catch {
      // The sender is gone, and nothing was kept.
    } finally {
      end();
    }
    await this.leave(last).catch(() => undefined);
    this.lines.cancel();
    await this.writer.close().catch(() => undefined);
  }

  /** Sends the last line, and reads what still comes: a connection that is closed before would lose that line. */
  private async leave(last: string | undefined): Promise<void> {
    if (last === undefined) return;
    this.endsAt = Date.now() + LAST_LINE_MS;
    this.idleMs = LAST_LINE_MS;
    await Promise.all([this.send(last), this.lines.drain()]);
  }

  private count(difference: number): void {
    try {
      this.database.count(difference);
    } catch (error) {
      throw new Ended(`The transaction was undone. ${describeFailure(error)}`);
    }
  }

  /** Returns what the sender is told at the end. */
  private async runWhole(): Promise<string> {
    try {
      await this.storage.transaction(async () => {
        await this.runLines(1);
        await this.database.beforeCommit();
      });
      await this.storage.sync();
      return DONE;
    } catch (error) {
      this.database.afterUndo();
      if (error instanceof Undone) return DONE;
      if (error instanceof Ended && error.reason === undefined) throw error;
      const reason = error instanceof Ended ? error.reason : describeFailure(error);
      return toEnd(String(reason));
    }
  }

  /** Runs lines until one commits. */
  private async runLines(depth: number): Promise<void> {
    for (;;) {
      const line = await this.next();
      switch (line) {
        case TRANSACTION_LINES.commit:
          return;
        case TRANSACTION_LINES.rollback:
          throw new Undone();
        case TRANSACTION_LINES.begin:
          await this.send(await this.runInside(depth + 1));
          break;
        default:
          await this.send(await this.runStatement(line));
      }
    }
  }

  /** Runs a transaction inside of another one. */
  private async runInside(depth: number): Promise<string> {
    if (depth > TRANSACTION_LIMITS.depth)
      return toText(`There can be ${TRANSACTION_LIMITS.depth} transactions inside each other at most.`);
    await this.send(DONE);
    try {
      await this.storage.transaction(() => this.runLines(depth));
    } catch (error) {
      this.database.afterUndo();
      if (!(error instanceof Undone)) throw error;
    }
    return DONE;
  }

  /** A statement that fails leaves nothing of itself, and the transaction goes on. */
  private async runStatement(line: string): Promise<string> {
    try {
      const end = line.indexOf(' ');
      const { pathname, wantsObjects } = parseTarget({ url: `http://d1${line.slice(0, Math.max(0, end))}` });
      if (!D1_PATHS.includes(pathname)) throw new Error(ONLY_STATEMENTS);
      const body: unknown = JSON.parse(line.slice(end + 1));
      return JSON.stringify(await this.database.run(pathname, body, wantsObjects));
    } catch (error) {
      if (!(error instanceof QuotaError) && isAllUndone(error)) await this.sendEnd(ALL_UNDONE);
      return toFailure(error).text();
    }
  }

  /** Says why the transaction has ended, and ends it. What SQLite has undone takes the object with it. */
  private async sendEnd(reason: string): Promise<never> {
    await this.leave(toEnd(reason));
    throw new Ended();
  }

  private async next(): Promise<string> {
    try {
      const line = await this.lines.next();
      if (line === undefined) throw new Ended();
      return line;
    } catch (error) {
      if (error instanceof Ended) throw error;
      if (error instanceof LineTooLong) throw new Ended(TOO_LONG);
      throw new Ended();
    }
  }

  private async send(text: string): Promise<void> {
    await this.inTime(this.writer.write(this.encoder.encode(`${text}\n`)), TRANSACTION_LIMITS.totalMs);
  }

  private async inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const leftMs = Math.min(milliseconds, this.endsAt - Date.now());
    const timer = setTimeout(() => reject(new Ended(TRANSACTION_TIMEOUT)), Math.max(0, leftMs));
    try {
      return await Promise.race([work, promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const TOO_LONG =
  'The transaction was undone, because a statement with its values is larger than 16 MB. Send less at once: SQLITE_TOOBIG';

const ALL_UNDONE =
  'The transaction was undone by a statement: INSERT OR ROLLBACK, RAISE(ROLLBACK), or because there was no space left. Use ABORT instead of ROLLBACK: SQLITE_ABORT';

function toEnd(error: string): string {
  const end: TransactionEnd = { success: false, error, ended: true };
  return JSON.stringify(end);
}

const toText = (error: string) =>
  JSON.stringify({ success: false, error: describeFailure(new Error(error)) });
