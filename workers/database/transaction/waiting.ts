import { CELL_PATHS, DATABASE_HEADERS, DATABASE_PATHS, TRANSACTION_LIMITS } from '../../protocol.ts';
import { failure } from '../failures.ts';
import { parseTarget } from '../target.ts';

/** Longer than a transaction can take with its last statement. One whose end was not seen is forgotten then. */
const FORGET_MS = 60_000;

/** A database with transactions. */
interface BusyDatabase {
  /** When each transaction that is open, or waits to be opened, has arrived. */
  open: Map<object, number>;
  waiting: number;
}

/**
 * Counts what a host sends to databases that have transactions. A Durable Object lets nothing in while a transaction is
 * open, so its host counts for it.
 */
export class WaitingCount {
  private readonly databases = new Map<string, BusyDatabase>();

  /** Sends a request to a database, and counts it. */
  send(
    name: string,
    pathname: string,
    ctx: ExecutionContext,
    send: () => Promise<Response>,
  ): Promise<Response> {
    if (pathname === DATABASE_PATHS.transaction)
      return this.wait(name, ctx, () => this.sendTransaction(name, ctx, send));
    return CELL_PATHS.includes(pathname) ? this.wait(name, ctx, send) : send();
  }

  private async sendTransaction(
    name: string,
    ctx: ExecutionContext,
    send: () => Promise<Response>,
  ): Promise<Response> {
    const end = this.open(name);
    try {
      const response = await send();
      if (response.ok && response.body) return untilEnd(response, response.body, ctx, end);
      end();
      return response;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Counts a transaction. Call what it returns when the transaction is over. */
  private open(name: string): () => void {
    const database = this.databases.get(name) ?? { open: new Map(), waiting: 0 };
    this.databases.set(name, database);
    const id = {};
    database.open.set(id, Date.now());
    return () => {
      database.open.delete(id);
      if (database.open.size === 0 && this.databases.get(name) === database) this.databases.delete(name);
    };
  }

  /** Sends a request, or refuses it if too many wait for a transaction already. */
  private async wait(name: string, ctx: ExecutionContext, send: () => Promise<Response>): Promise<Response> {
    // Almost always there is no transaction at all.
    const database = this.databases.size === 0 ? undefined : this.find(name);
    if (!database) return send();
    if (database.waiting >= TRANSACTION_LIMITS.waiting) return tooManyWait();
    database.waiting++;
    const response = send().finally(() => {
      database.waiting--;
    });
    // Without this, the request of a sender that has gone would count for ever.
    ctx.waitUntil(response.catch(() => undefined));
    return response;
  }

  private find(name: string): BusyDatabase | undefined {
    const database = this.databases.get(name);
    const oldest = Date.now() - FORGET_MS;
    if (!database) return undefined;
    for (const [id, startedAt] of database.open) if (startedAt < oldest) database.open.delete(id);
    if (database.open.size > 0) return database;
    this.databases.delete(name);
    return undefined;
  }
}

/**
 * Counts what waits at one database of a cluster, because other nodes send to it without its host. It learns of their
 * requests only between transactions, and refuses then what is too much.
 */
export class ArrivedCount {
  /** Transactions that are open, or wait to be opened. */
  private open = 0;
  private waiting = 0;

  /** Counts a transaction. Call what it returns when the transaction is over. */
  begin(onEnd: () => void): () => void {
    this.open++;
    return () => {
      this.open--;
      onEnd();
    };
  }

  /** Responds, or refuses the request if too many wait already. A write that is sent again may have run. */
  async respond(request: Request, respond: () => Promise<Response>): Promise<Response> {
    const mayWait = this.open > 0 && CELL_PATHS.includes(parseTarget(request).pathname);
    if (!mayWait) return respond();
    if (this.waiting >= TRANSACTION_LIMITS.waiting && !request.headers.has(DATABASE_HEADERS.resentAfter))
      return tooManyWait();
    this.waiting++;
    try {
      return await respond();
    } finally {
      this.waiting--;
    }
  }
}

function tooManyWait(): Response {
  const error = `${TRANSACTION_LIMITS.waiting} statements wait for a transaction of this database already. Nothing was changed. Keep transactions short, and try again in a moment.`;
  return failure(503, error, 'UNAVAILABLE');
}

/** Passes the response of a transaction on, and calls `end` when it is over or its sender has gone. */
function untilEnd(
  response: Response,
  body: ReadableStream,
  ctx: ExecutionContext,
  end: () => void,
): Response {
  const { readable, writable } = new IdentityTransformStream();
  ctx.waitUntil(
    body
      .pipeTo(writable)
      .catch(() => undefined)
      .finally(end),
  );
  return new Response(readable, response);
}
