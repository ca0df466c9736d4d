/** A server that functions call when they run on a schedule. */
export interface RunCounter {
  /** Each run so far: the name of its function and its moment. */
  runs: string[];
  /** When each of them began. */
  times: number[];
  /** From now on, runs wait for `release`. */
  hold(): void;
  release(): void;
  /** The code of a function that reports its runs here. */
  code(name: string): string;
  /** Waits for the next runs. */
  until(count: number): Promise<void>;
  stop(): void;
}

export function countRuns(): RunCounter {
  const runs: string[] = [];
  const times: number[] = [];
  let held: PromiseWithResolvers<void> | undefined;
  let waiting: { count: number; resolve(): void } | undefined;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      runs.push(decodeURIComponent(new URL(request.url).search.slice(1)));
      times.push(Date.now());
      if (waiting && runs.length >= waiting.count) waiting.resolve();
      await held?.promise;
      return new Response('done');
    },
  });
  return {
    runs,
    times,
    hold() {
      held ??= Promise.withResolvers();
    },
    release() {
      held?.resolve();
      held = undefined;
    },
    code: (name) => `export default {
      async scheduled({ scheduledTime }) {
        const run = '${name} ' + new Date(scheduledTime).toISOString();
        await (await fetch('http://127.0.0.1:${server.port}/?' + encodeURIComponent(run))).text();
      },
    };`,
    until(count) {
      if (runs.length >= count) return Promise.resolve();
      return new Promise((resolve) => {
        waiting = { count, resolve };
      });
    },
    stop() {
      held?.resolve();
      server.stop(true);
    },
  };
}
