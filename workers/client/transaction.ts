import { TRANSACTION_LINES } from '../protocol.ts';
import { Connection, type Fetch, readFailure, toError } from './connection.ts';

export type { Fetch } from './connection.ts';

/** What the owner passes to `transaction`. It gets a client like `env.DB`. */
export type Callback = (tx: object) => unknown;

interface Tools {
  /** Makes the client that a callback gets. */
  makeClient(transaction: Transaction): { transaction?: unknown };
  /** Calls owner code, so that it can be told from code outside of the transaction. */
  call<Result>(transaction: Transaction, run: () => Result): Result;
}

/** Runs a transaction: all that the callback does with its client, or nothing. */
export async function runTransaction(fetch: Fetch, callback: Callback, tools: Tools): Promise<unknown> {
  assertCallback(callback);
  const connection = await Connection.open(fetch);
  const transaction = new Transaction(connection, tools);
  try {
    const result = await transaction.run(callback);
    await connection.commit();
    return result;
  } catch (error) {
    await connection.undo(transaction.hasOpenInside);
    throw error;
  }
}

/** One transaction of a connection: the whole, or one inside of another. */
export class Transaction {
  isOver = false;
  private inside: Transaction | undefined;
  /** Why the transaction ended before its code did. */
  private failure: Error | undefined;
  /** Statements without a result yet. */
  private readonly running = new Set<Promise<string>>();

  constructor(
    private readonly connection: Connection,
    private readonly tools: Tools,
  ) {}

  /** Whether a transaction inside of this one is open. */
  get hasOpenInside(): boolean {
    return this.inside !== undefined;
  }

  /** Runs owner code. When this returns, everything that the code has begun has succeeded. */
  async run(callback: Callback): Promise<unknown> {
    const client = this.tools.makeClient(this);
    client.transaction = (inner: Callback) => this.runInside(inner);
    this.connection.ended.catch((error: Error) => {
      if (!this.isOver) this.failure = error;
    });
    const calling = this.tools.call(this, async () => callback(client));
    try {
      const result = await Promise.race([calling, this.connection.ended]);
      this.isOver = true;
      await this.finishForgotten();
      return result;
    } finally {
      this.isOver = true;
    }
  }

  /** Sends what the D1 client sends. */
  readonly fetch: Fetch = async (input, init) => {
    this.assertUsable();
    const { pathname, search } = new URL(input);
    const sent = this.connection.send(`${pathname}${search} ${init?.body}`);
    this.running.add(sent);
    try {
      return new Response(await sent);
    } finally {
      this.running.delete(sent);
    }
  };

  private async runInside(callback: Callback): Promise<unknown> {
    assertCallback(callback);
    this.assertUsable();
    const inside = new Transaction(this.connection, this.tools);
    this.inside = inside;
    const refused = readFailure(await this.connection.send(TRANSACTION_LINES.begin));
    if (refused !== undefined) {
      this.inside = undefined;
      throw new Error(`D1_ERROR: ${refused}`);
    }
    try {
      const result = await inside.run(callback);
      await this.connection.send(TRANSACTION_LINES.commit);
      this.inside = undefined;
      return result;
    } catch (error) {
      // What is still open further inside can only be undone with the whole.
      if (!inside.inside) {
        await this.connection.send(TRANSACTION_LINES.rollback).catch(() => undefined);
        this.inside = undefined;
      }
      throw error;
    }
  }

  /** Waits for statements that the code did not wait for. */
  private async finishForgotten(): Promise<void> {
    if (this.inside) throw new Error('A transaction inside of this one was not awaited. Nothing was kept.');
    for (const sent of [...this.running]) {
      const text = await sent;
      if (readFailure(text) === undefined) continue;
      const error = toError(text);
      error.message += '. The statement was not awaited, so nothing of the transaction was kept.';
      throw error;
    }
  }

  private assertUsable(): void {
    if (this.failure) throw this.failure;
    if (this.isOver)
      throw new Error(
        'The transaction is over, so this was not run. Await everything inside of env.DB.transaction, and do not use tx after it.',
      );
    if (this.inside)
      throw new Error(
        'A transaction inside of this one is open. Until it is over, use its own tx, which its callback gets.',
      );
  }
}

function assertCallback(callback: unknown): void {
  if (typeof callback !== 'function')
    throw new TypeError(
      'transaction needs a function, as in transaction(async (tx) => tx.batch(statements))',
    );
}
