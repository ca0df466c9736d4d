import { helpers } from '../test/support/function-server.ts';
import { atLeast, type Figure, type Report, rowsOf, valuesOf } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { needCommands } from './support/debian.ts';
import { pinToCores } from './support/process.ts';
import { startQuire } from './support/quire.ts';
import { describeSpread, type Figures, measureInTurns } from './support/turns.ts';

/** A function that needs 5 ms of CPU time for each call, on one core and on two: Quire starts a second cell for it. */

const TARGET_MS = 5;
const CONNECTIONS = 8;

const RATIO = 'Requests/s, of one core';
const REQUESTS = 'Requests/s';
const LATENCY = 'Latency in ms, p50 / p99';
const ONE_CORE = 'one core';
const TWO_CORES = 'two cores';

export const figures: Figure[] = [
  { name: RATIO, digits: 2, rows: rowsOf([TWO_CORES], atLeast(1.8)) },
  { name: REQUESTS, digits: 0, rows: rowsOf([ONE_CORE, TWO_CORES]) },
  { name: LATENCY, digits: 0, rows: rowsOf([ONE_CORE, TWO_CORES]) },
];

const code = (steps: number) => `let sum = 0;
export default {
  async fetch() {
    for (let at = 0; at < ${steps}; at++) sum = (sum * 31 + at) | 0;
    return Response.json({ sum });
  },
};`;

export default async function hotFunction(bench: Bench): Promise<Report> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux' });
  const steps = stepsFor(TARGET_MS);
  const one = await measureOn('0', ONE_CORE, bench, steps);
  const two = await measureOn('0,1', TWO_CORES, bench, steps);
  return {
    note: `${steps.toLocaleString('en')} steps per call, about ${TARGET_MS} ms. ${describeSpread([one, two])}`,
    values: {
      [RATIO]: { [TWO_CORES]: two.requestsPerSecond / one.requestsPerSecond },
      [REQUESTS]: valuesOf([one, two], ({ requestsPerSecond }) => requestsPerSecond),
      [LATENCY]: valuesOf([one, two], ({ p50Ms, p99Ms }) => [p50Ms, p99Ms]),
    },
  };
}

/** How many steps take this long here. Another engine runs them in the cell; both measurements have the same number. */
function stepsFor(milliseconds: number): number {
  const run = (steps: number) => {
    let sum = 0;
    const start = performance.now();
    for (let at = 0; at < steps; at++) sum = (sum * 31 + at) | 0;
    return { elapsed: performance.now() - start, sum };
  };
  run(1e7);
  return Math.round((1e7 * milliseconds) / run(1e7).elapsed / 1000) * 1000;
}

async function measureOn(cores: string, name: string, bench: Bench, steps: number): Promise<Figures> {
  await pinToCores([process.pid], cores);
  const server = await startQuire(bench);
  const slug = await server.deploy(code(steps));
  const [measured] = await measureInTurns(
    [
      {
        name,
        url: `http://127.0.0.1:${server.port}/api/functions/${slug}`,
        host: `localhost:${server.port}`,
        pids: () => [server.pid, ...helpers(server).map(({ pid }) => pid)],
      },
    ],
    {
      rounds: bench.pick(5, 1),
      seconds: bench.pick(3, 2),
      // Long enough for the second cell to start.
      warmUpSeconds: bench.pick(6, 4),
      connections: CONNECTIONS,
      body: '{}',
      cores,
    },
  );
  await server.stop();
  if (!measured) throw new Error('nothing was measured');
  return measured;
}
