import { rounds } from '../faults/rounds.ts';
import type { TestResponse } from '../http/call.ts';
import { type ClientOptions, call, type ServerAddress } from '../http/client.ts';
import { waitUntil } from '../server.ts';

/** Clients that keep working while nodes come and go. */

/** A client that repeats one kind of work and remembers what was acknowledged. */
export interface Worker {
  name: string;
  /** Does the work once. Throws if it is refused permanently. */
  work(client: Client): Promise<void>;
  /** Throws unless this node has everything that was acknowledged. */
  check(node: ServerAddress): Promise<void>;
}

/** Sends a request, and retries if the connection or the node fails. */
export type Client = (method: string, path: string, options?: ClientOptions) => Promise<TestResponse>;

export interface Load {
  /** Waits until every worker, or each of these, has done this much more work. */
  more(count: number, names?: string[]): Promise<void>;
  /**
   * Ends the work. Resolves to the problems on the way, including requests that succeeded only when retried.
   */
  stop(): Promise<LoadOutcome>;
}

export interface LoadOutcome {
  /** How many times each worker has finished its work. */
  done: Record<string, number>;
  /** Requests with an unexpected response. */
  problems: string[];
}

/** How long a client retries: longer than the longest hang, on a busy machine. */
const PATIENCE_MS = 180_000;
const MORE_MS = 240_000;
const REQUEST_MS = 60_000;
const RETRY_EVERY_MS = 100;
/** Clients pause between requests, because they need processor time, and everything they write is checked again later. */
const PAUSE_MS = rounds(600, 200);
const PASSING = new Set([502, 503, 504]);

export function startLoad(address: ServerAddress, workers: Worker[]): Load {
  const done: Record<string, number> = Object.fromEntries(workers.map(({ name }) => [name, 0]));
  const problems: string[] = [];
  let isOver = false;
  let failure: unknown;

  async function ask(method: string, path: string, options: ClientOptions = {}): Promise<TestResponse> {
    const startedAt = Date.now();
    for (;;) {
      const answer = await call(address, method, path, { timeoutMs: REQUEST_MS, ...options }).catch(
        (error: Error) => error,
      );
      const took = Date.now() - startedAt;
      if (!(answer instanceof Error) && !PASSING.has(answer.status)) return answer;
      const reason =
        answer instanceof Error ? answer.message : `${answer.status} ${JSON.stringify(answer.body)}`;
      problems.push(`${method} ${path}: ${reason}`);
      if (took > PATIENCE_MS) throw new Error(`still not done after ${took} ms: ${problems.at(-1)}`);
      await Bun.sleep(RETRY_EVERY_MS);
    }
  }

  const working = workers.map(async (worker) => {
    try {
      while (!isOver) {
        await worker.work(ask);
        done[worker.name] = (done[worker.name] ?? 0) + 1;
        await Bun.sleep(PAUSE_MS);
      }
    } catch (error) {
      failure ??= new Error(`${worker.name}: ${(error as Error).message}`);
    }
  });
  return {
    async more(count, names = Object.keys(done)) {
      const before = { ...done };
      await waitUntil(async () => {
        if (failure) throw failure;
        return names.every((name) => (done[name] ?? 0) >= (before[name] ?? 0) + count);
      }, MORE_MS);
    },
    async stop() {
      isOver = true;
      await Promise.all(working);
      if (failure) throw failure;
      return { done, problems };
    },
  };
}
