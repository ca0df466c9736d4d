import { HELLO } from '../test/support/function-server.ts';
import type { Bench } from './run.ts';
import { needCommands } from './support/debian.ts';
import { startQuire } from './support/quire.ts';
import { percentile, table } from './support/table.ts';
import { startBareWorkerd } from './support/workerd.ts';

/**
 * The first call of a function that does not run yet, through the front door, and a deploy with the call that follows
 * it. Beside them, a bare workerd from its spawn to its first answer: the least that a start can take.
 */

const COLD_CALLS = 40;
const DEPLOYS = 20;

export default async function coldStart(bench: Bench): Promise<string> {
  await needCommands({ bwrap: 'bubblewrap' });
  // Deployed by one server and called at the next, where nothing runs yet.
  const folder = { dataFolder: `${bench.folder}/data` };
  const first = await startQuire(bench, folder);
  const slugs: string[] = [];
  for (let count = 0; count < COLD_CALLS; count++) slugs.push(await first.deploy(HELLO));
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
  for (let count = 0; count < DEPLOYS; count++) {
    deploys.push(
      await timeMs(async () => {
        await server.deploy(HELLO, { slug: `deployed-${count}` });
        await expectHello(url(`deployed-${count}`));
      }),
    );
  }

  return [
    `${COLD_CALLS} first calls and ${DEPLOYS} deploys, one after the other; sandbox: ${await sandbox(server.port)}`,
    '',
    table(
      ['ms', 'p50', 'p95', 'min', 'max'],
      [
        row('bare workerd, spawn to first answer', bare),
        row('Quire, first call of a function', cold),
        row('Quire, deploy to first answer', deploys),
      ],
    ),
  ].join('\n');
}

/** What the work returns is done after the clock has stopped. */
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

function row(name: string, times: number[]): string[] {
  const figures = [percentile(times, 50), percentile(times, 95), Math.min(...times), Math.max(...times)];
  return [name, ...figures.map((figure) => figure.toFixed(0))];
}
