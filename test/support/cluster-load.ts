import type { Answer } from './call.ts';
import { type ClientOptions, call, type ServerAddress } from './fault-client.ts';
import { waitUntil } from './server.ts';

/** People who go on working while nodes come and go. */

/** Somebody who does one kind of work, over and over, and remembers what was acknowledged. */
export interface Worker {
  name: string;
  /** Does the work once; throws when it is refused for good. */
  work(client: Client): Promise<void>;
  /** Throws unless everything that was acknowledged is there, as this node sees it. */
  check(node: ServerAddress): Promise<void>;
}

/** Asks, and asks again when the way or the node is at fault. */
export type Client = (method: string, path: string, options?: ClientOptions) => Promise<Answer>;

export interface Load {
  /** Waits until every worker has done so much more work. */
  more(count: number): Promise<void>;
  /** Ends the work; resolves to what went wrong on the way, with requests that succeeded only when repeated. */
  stop(): Promise<LoadOutcome>;
}

export interface LoadOutcome {
  /** How often each worker was done. */
  done: Record<string, number>;
  /** Requests that were not answered as they should be. */
  troubles: string[];
  /** Longest that a request took until it succeeded, repeated or not. */
  slowestMs: number;
}

/** How long a client goes on asking. */
const PATIENCE_MS = 30_000;
const MORE_MS = 100_000;
const RETRY_EVERY_MS = 100;
/** People pause; and what they have done is looked at again, all of it. */
const PAUSE_MS = 25;
const PASSING = new Set([502, 503, 504]);

/** `patienceMs` is how long each of them goes on asking. */
export function startLoad(
  address: ServerAddress,
  workers: Worker[],
  { patienceMs = PATIENCE_MS } = {},
): Load {
  const done: Record<string, number> = Object.fromEntries(workers.map(({ name }) => [name, 0]));
  const troubles: string[] = [];
  let slowestMs = 0;
  let isOver = false;
  let failure: unknown;

  async function ask(method: string, path: string, options: ClientOptions = {}): Promise<Answer> {
    const startedAt = Date.now();
    for (;;) {
      const answer = await call(address, method, path, { timeoutMs: PATIENCE_MS, ...options }).catch(
        (error: Error) => error,
      );
      const took = Date.now() - startedAt;
      if (!(answer instanceof Error) && !PASSING.has(answer.status)) {
        slowestMs = Math.max(slowestMs, took);
        return answer;
      }
      const said =
        answer instanceof Error ? answer.message : `${answer.status} ${JSON.stringify(answer.body)}`;
      troubles.push(`${method} ${path}: ${said}`);
      if (took > patienceMs) throw new Error(`still not done after ${took} ms: ${troubles.at(-1)}`);
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
    async more(count) {
      const before = { ...done };
      await waitUntil(async () => {
        if (failure) throw failure;
        return Object.entries(done).every(([name, now]) => now >= (before[name] ?? 0) + count);
      }, MORE_MS);
    },
    async stop() {
      isOver = true;
      await Promise.all(working);
      if (failure) throw failure;
      return { done, troubles, slowestMs };
    },
  };
}
