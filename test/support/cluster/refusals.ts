import type { TestResponse } from '../http/call.ts';
import { waitUntil } from '../server.ts';

/** Clients that try each request until it succeeds, and measure for how long they are refused. */

export interface PatientClient {
  /** Sends its next request: the same one again for the same number. */
  send(at: number): Promise<TestResponse>;
  /** Remembers what was acknowledged. */
  note(at: number, response: TestResponse): void;
  /** Whether it uses a database of a function, which is refused until the lease of a node that was killed is over. */
  waitsForLease?: boolean;
}

export interface Refusals {
  /** Waits until each client has succeeded a few more times. */
  more(): Promise<void>;
  stop(): Promise<RefusalOutcome>;
}

export interface RefusalOutcome {
  /** Responses that are neither success nor a failure that passes. */
  unexpected: string[];
  /** The longest refusal of each client. */
  longest: Record<string, Refusal>;
  /** Those that are longer than the client can be refused. */
  tooLong: Array<Refusal & { client: string }>;
}

export interface Refusal {
  /** From a first refusal until a request was sent that was not refused. */
  ms: number;
  /** What was said in that time. */
  said: string[];
}

/** How long somebody can be refused in a row. */
const REFUSED_MS = 5_000;
/**
 * The lease of a host of databases. workerd has it, and no setting for it: see docs/decisions/0015. Nobody else can open
 * the databases of a killed host before it is over.
 */
const LEASE_MS = 20_000;

const PASSING = [502, 503, 504];
const RETRY_MS = 50;
/** Leaves the processor to the nodes. */
const PAUSE_MS = 100;
const SOME_WORK = 3;

export function watchRefusals(clients: Record<string, PatientClient>): Refusals {
  const done = new Map(Object.keys(clients).map((name) => [name, 0]));
  const unexpected: string[] = [];
  const longest: Record<string, Refusal> = {};
  let isOver = false;

  async function sendUntilDone(name: string, client: PatientClient, at: number): Promise<void> {
    const said = new Set<string>();
    for (let refusedAt: number | undefined; ; ) {
      const sentAt = performance.now();
      const response = await client.send(at).catch((error: Error) => error);
      if (response instanceof Error || PASSING.includes(response.status)) {
        refusedAt ??= performance.now();
        said.add(response instanceof Error ? response.message : JSON.stringify(response.body));
        await Bun.sleep(RETRY_MS);
        continue;
      }
      if (response.status >= 300)
        unexpected.push(`${name}: ${response.status} ${JSON.stringify(response.body)}`);
      else client.note(at, response);
      const ms = sentAt - (refusedAt ?? sentAt);
      if (ms >= (longest[name]?.ms ?? 0)) longest[name] = { ms, said: [...said] };
      return;
    }
  }

  const working = Object.entries(clients).map(async ([name, client]) => {
    for (let at = 0; !isOver; at++) {
      await sendUntilDone(name, client, at);
      done.set(name, at + 1);
      await Bun.sleep(PAUSE_MS);
    }
  });
  return {
    async more() {
      const before = new Map(done);
      const hasMore = (name: string) => (done.get(name) ?? 0) >= (before.get(name) ?? 0) + SOME_WORK;
      await waitUntil(async () => [...done.keys()].every(hasMore));
    },
    async stop() {
      isOver = true;
      await Promise.all(working);
      const tooLong = Object.entries(longest).flatMap(([client, refusal]) =>
        refusal.ms > REFUSED_MS + (clients[client]?.waitsForLease ? LEASE_MS : 0)
          ? [{ client, ...refusal }]
          : [],
      );
      return { unexpected, longest, tooLong };
    },
  };
}
