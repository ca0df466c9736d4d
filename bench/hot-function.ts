import { helpers } from '../test/support/function-server.ts';
import type { Bench } from './run.ts';
import { needCommands } from './support/debian.ts';
import { pinToCores } from './support/process.ts';
import { startQuire } from './support/quire.ts';
import { table } from './support/table.ts';
import { type Figures, measureInTurns, rate, ratio } from './support/turns.ts';

/** A function that needs 5 ms of CPU time for each call, on one core and on two: Quire starts a second cell for it. */

const TARGET_MS = 5;
const CONNECTIONS = 8;
const ROUNDS = 5;
const ROUND_SECONDS = 3;
/** Long enough for the second cell to start. */
const WARM_UP_SECONDS = 6;

const code = (steps: number) => `let sum = 0;
export default {
  async fetch() {
    for (let at = 0; at < ${steps}; at++) sum = (sum * 31 + at) | 0;
    return Response.json({ sum });
  },
};`;

export default async function hotFunction(bench: Bench): Promise<string> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux' });
  const steps = await stepsFor(TARGET_MS);
  const [one, two] = [await measureOn('0', bench, steps), await measureOn('0,1', bench, steps)];
  return [
    `${steps.toLocaleString('en')} steps per call, about ${TARGET_MS} ms; ${CONNECTIONS} connections, medians of ${ROUNDS} rounds of ${ROUND_SECONDS} s each`,
    '',
    table(
      ['', 'requests/s', 'of one core', 'p50 ms', 'p99 ms'],
      [
        ['one core', rate(one.requestsPerSecond), '1.00', one.p50Ms.toFixed(0), one.p99Ms.toFixed(0)],
        [
          'two cores',
          rate(two.requestsPerSecond),
          ratio(two.requestsPerSecond, one.requestsPerSecond),
          two.p50Ms.toFixed(0),
          two.p99Ms.toFixed(0),
        ],
      ],
    ),
  ].join('\n');
}

/** How many steps take this long here, in the same engine family; what matters is that both measure the same. */
async function stepsFor(milliseconds: number): Promise<number> {
  const run = (steps: number) => {
    let sum = 0;
    const start = performance.now();
    for (let at = 0; at < steps; at++) sum = (sum * 31 + at) | 0;
    return { elapsed: performance.now() - start, sum };
  };
  run(1e7);
  return Math.round((1e7 * milliseconds) / run(1e7).elapsed / 1000) * 1000;
}

async function measureOn(cores: string, bench: Bench, steps: number): Promise<Figures> {
  await pinToCores([process.pid], cores);
  const server = await startQuire(bench);
  const slug = await server.deploy(code(steps));
  const [figures] = await measureInTurns(
    [
      {
        name: cores,
        url: `http://127.0.0.1:${server.port}/api/functions/${slug}`,
        host: `localhost:${server.port}`,
        pids: () => [server.pid, ...helpers(server).map(({ pid }) => pid)],
      },
    ],
    {
      rounds: ROUNDS,
      seconds: ROUND_SECONDS,
      warmUpSeconds: WARM_UP_SECONDS,
      connections: CONNECTIONS,
      body: '{}',
      cores,
    },
  );
  await server.stop();
  if (!figures) throw new Error('nothing was measured');
  return figures;
}
