import { CELL_PATHS, DATABASE_PATHS, TRANSACTION_LIMITS } from '../../protocol.ts';
import { failure } from '../failures.ts';

/** Longer than a transaction can take with its last statement. One whose end was not seen is forgotten then. */
const FORGET_MS = 60_000;

interface Queue {
  /** When each transaction that is open, or waits to be opened, has come. */
  open: Map<object, number>;
  waiting: number;
}

/** Counts what waits for a transaction of its database. A Durable Object lets nothing in while a transaction is open. */
export class WaitingCount {
  private readonly queues = new Map<string, Queue>();

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
    const queue = this.queues.get(name) ?? { open: new Map(), waiting: 0 };
    this.queues.set(name, queue);
    const id = {};
    queue.open.set(id, Date.now());
    return () => {
      queue.open.delete(id);
      if (queue.open.size === 0 && this.queues.get(name) === queue) this.queues.delete(name);
    };
  }

  /** Sends a request, or refuses it if too many wait for a transaction already. */
  private async wait(name: string, ctx: ExecutionContext, send: () => Promise<Response>): Promise<Response> {
    // Almost always there is no transaction at all.
    const queue = this.queues.size === 0 ? undefined : this.find(name);
    if (!queue) return send();
    if (queue.waiting >= TRANSACTION_LIMITS.waiting) return tooManyWait();
    queue.waiting++;
    const response = send().finally(() => {
      queue.waiting--;
    });
    // Otherwise a sender that goes away would be counted for ever.
    ctx.waitUntil(response.catch(() => undefined));
    return response;
  }

  private find(name: string): Queue | undefined {
    const queue = this.queues.get(name);
    const oldest = Date.now() - FORGET_MS;
    if (!queue) return undefined;
    for (const [id, startedAt] of queue.open) if (startedAt < oldest) queue.open.delete(id);
    if (queue.open.size > 0) return queue;
    this.queues.delete(name);
    return undefined;
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
