import { HELLO } from '../test/support/functions/server.ts';
import { atMost, type Figure, type Report } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { needCommands } from './support/debian.ts';
import { startQuire } from './support/quire.ts';
import { percentile } from './support/table.ts';
import { startBareWorkerd } from './support/workerd.ts';

/**
 * The first call of a function that is not running, and a deploy with the call that follows it. Compared with a bare
 * workerd from its start to its first response, which is the minimum.
 */

const BARE = 'bare workerd, spawn to first response';
const FIRST_CALL = 'Quire, first call of a function';
const DEPLOY = 'Quire, deploy to first response';

export const figures: Figure[] = [
  {
    name: 'p50 in ms',
    digits: 0,
    rows: { [BARE]: undefined, [FIRST_CALL]: atMost(50), [DEPLOY]: atMost(120) },
  },
  {
    name: 'p95 in ms',
    digits: 0,
    rows: { [BARE]: undefined, [FIRST_CALL]: atMost(90), [DEPLOY]: atMost(120) },
  },
  {
    name: 'Least / most in ms',
    digits: 0,
    rows: { [BARE]: undefined, [FIRST_CALL]: undefined, [DEPLOY]: undefined },
  },
];

export default async function coldStart(bench: Bench): Promise<Report> {
  const [coldCalls, deployCount] = [bench.pick(40, 5), bench.pick(20, 3)];
  await needCommands({ bwrap: 'bubblewrap' });
  // Deployed by one server and called on the next, where nothing is running yet.
  const folder = { dataFolder: `${bench.folder}/data` };
  const first = await startQuire(bench, folder);
  const slugs: string[] = [];
  for (let count = 0; count < coldCalls; count++) slugs.push(await first.deploy(HELLO));
  await first.stop();

  const server = await startQuire(bench, { ...folder, owner: first.owner });
  const url = (slug: string) => `http://127.0.0.1:${server.port}/api/functions/${slug}`;
  const cold: number[] = [];
  const bare: number[] = [];
  for (const slug of slugs) {
    cold.push(await timeMs(() => expectHello(url(slug))));
    bare.push(
      await timeMs(async () => {
        const workerd = await startBareWorkerd(bench, HELLO);
        await expectHello(workerd.url);
        return workerd.stop;
      }),
    );
  }
  const deploys: number[] = [];
  for (let count = 0; count < deployCount; count++) {
    deploys.push(
      await timeMs(async () => {
        await server.deploy(HELLO, { slug: `deployed-${count}` });
        await expectHello(url(`deployed-${count}`));
      }),
    );
  }

  const times = { [BARE]: bare, [FIRST_CALL]: cold, [DEPLOY]: deploys };
  const each = (value: (all: number[]) => number | number[]) =>
    Object.fromEntries(Object.entries(times).map(([name, all]) => [name, value(all)]));
  return {
    note: `${coldCalls} first calls and ${deployCount} deploys, one after the other; sandbox: ${await sandbox(server.port)}.`,
    values: {
      'p50 in ms': each((all) => percentile(all, 50)),
      'p95 in ms': each((all) => percentile(all, 95)),
      'Least / most in ms': each((all) => [Math.min(...all), Math.max(...all)]),
    },
  };
}

/** The work returns what to do after the clock has stopped. */
async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  const after = await work();
  const elapsedMs = performance.now() - startedAt;
  if (typeof after === 'function') await after();
  return elapsedMs;
}

async function expectHello(url: string): Promise<void> {
  const response = await fetch(url, { method: 'POST' });
  const text = await response.text();
  if (text !== 'hello') throw new Error(`${url} answered ${response.status} ${text}`);
}

async function sandbox(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/healthz`);
  return ((await response.json()) as { sandbox: string }).sandbox;
}
