import { helpers } from '../test/support/functions/server.ts';
import { atLeast, type Figure, type Report, toRows, toValues } from './report/figure.ts';
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
const TRIAL_BLOCKS = 10_000;

const RATIO = 'Requests/s, of one core';
const REQUESTS = 'Requests/s';
const LATENCY = 'Latency in ms, p50 / p99';
const ONE_CORE = 'one core';
const TWO_CORES = 'two cores';

export const figures: Figure[] = [
  { name: RATIO, digits: 2, rows: toRows([TWO_CORES], atLeast(1.8)) },
  { name: REQUESTS, digits: 0, rows: toRows([ONE_CORE, TWO_CORES]) },
  { name: LATENCY, digits: 0, rows: toRows([ONE_CORE, TWO_CORES]) },
];

/** Short blocks: the engine compiles a function that is called often sooner than a long loop that runs already. */
const CODE = `function runBlock(start) {
  let sum = start;
  for (let at = 0; at < 1000; at++) sum = (sum * 31 + at) | 0;
  return sum;
}
export default {
  async fetch(request) {
    const { blocks } = await request.json();
    let sum = 0;
    for (let at = 0; at < blocks; at++) sum = runBlock(sum);
    return Response.json({ sum });
  },
};`;

export default async function hotFunction(bench: Bench): Promise<Report> {
  await needCommands({ wrk: 'wrk', taskset: 'util-linux' });
  const blocks = await findBlocks(bench);
  const one = await measureOn('0', ONE_CORE, bench, blocks);
  const two = await measureOn('0,1', TWO_CORES, bench, blocks);
  return {
    note: `${blocks.toLocaleString('en')} blocks of 1,000 steps per call, about ${TARGET_MS} ms. ${describeSpread([one, two])}`,
    values: {
      [RATIO]: { [TWO_CORES]: two.requestsPerSecond / one.requestsPerSecond },
      [REQUESTS]: toValues([one, two], ({ requestsPerSecond }) => requestsPerSecond),
      [LATENCY]: toValues([one, two], ({ p50Ms, p99Ms }) => [p50Ms, p99Ms]),
    },
  };
}

/** How many blocks take so long in a cell here: the best of several calls with many, less that of calls with none. */
async function findBlocks(bench: Bench): Promise<number> {
  const server = await startQuire(bench);
  const slug = await server.deploy(CODE);
  const bestMs = async (blocks: number) => {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < TRIALS; round++) {
      const startedAt = performance.now();
      const { status } = await server.call(slug, { body: { blocks } });
      if (status !== 200) throw new Error(`the function answers ${status}`);
      best = Math.min(best, performance.now() - startedAt);
    }
    return best;
  };
  const [without, withBlocks] = [await bestMs(0), await bestMs(TRIAL_BLOCKS)];
  await server.stop();
  return Math.round((TRIAL_BLOCKS * TARGET_MS) / (withBlocks - without));
}

async function measureOn(cores: string, name: string, bench: Bench, blocks: number): Promise<Figures> {
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
      body: JSON.stringify({ blocks }),
      cores,
    },
  );
  await server.stop();
  if (!measured) throw new Error('nothing was measured');
  return measured;
}
