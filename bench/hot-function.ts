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
const TRIALS = 20;
/** So many that the call itself hardly counts. */
const TRIAL_STEPS = 10_000_000;

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

const CODE = `export default {
  async fetch(request) {
    const { steps } = await request.json();
    let sum = 0;
    for (let at = 0; at < steps; at++) sum = (sum * 31 + at) | 0;
    return Response.json({ sum });
  },
};`;

export default async function hotFunction(bench: Bench): Promise<Report> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux' });
  const steps = await findSteps(bench);
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

/** How many steps take so long in a cell here: the best of several calls with many, less that of calls with none. */
async function findSteps(bench: Bench): Promise<number> {
  const server = await startQuire(bench);
  const slug = await server.deploy(CODE);
  const bestMs = async (steps: number) => {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < TRIALS; round++) {
      const startedAt = performance.now();
      const { status } = await server.call(slug, { body: { steps } });
      if (status !== 200) throw new Error(`the function answers ${status}`);
      best = Math.min(best, performance.now() - startedAt);
    }
    return best;
  };
  const [without, withSteps] = [await bestMs(0), await bestMs(TRIAL_STEPS)];
  await server.stop();
  return Math.round((TRIAL_STEPS * TARGET_MS) / (withSteps - without) / 1000) * 1000;
}

async function measureOn(cores: string, name: string, bench: Bench, steps: number): Promise<Figures> {
  await pinToCores([process.pid], cores);
  const server = await startQuire(bench);
  const slug = await server.deploy(CODE);
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
      body: JSON.stringify({ steps }),
      cores,
    },
  );
  await server.stop();
  if (!measured) throw new Error('nothing was measured');
  return measured;
}
