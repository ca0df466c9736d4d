import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Egress } from '../../egress/index.ts';
import { type Boxes, startBoxes } from '../../workerd/index.ts';
import { type Cells, startCells } from '../index.ts';

let folder: string;
let boxes: Boxes;
let egress: Egress;
let cells: Cells;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-pool-'));
  boxes = await startBoxes({ dataFolder: folder, sandbox: 'auto' });
  const onLine = () => undefined;
  const connections = { total: 16, perOwner: 4 };
  egress = new Egress({ ...boxes, allow: [], owners: 4, connections, maxDescriptors: 2_048, onLine });
  const limits = { memoryMegabytes: 64, cpuMs: 10_000 };
  cells = startCells({
    ...boxes,
    ...{ egress, limits, maxCells: 4, maxCellsPerOwner: 4, maxDescriptors: 256, onLine },
  });
});
afterAll(async () => {
  await cells.stop();
  await egress.stop();
  await boxes.stop();
  rmSync(folder, { recursive: true });
});

const CODE = 'export default { fetch: () => new Response("ran") };';
const WHY = { code: 1008, reason: 'The test says so.' };

/** Calls a function whose cell starts when the test says so. */
async function callSlowly(id: number) {
  const asked = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  const program = async () => {
    asked.resolve();
    await ready.promise;
    return { code: CODE, secrets: {} };
  };
  const acquired = cells.pool.acquire({ id, owner: 1, revision: '1', program, onLine: () => undefined });
  const calling = Promise.resolve(acquired).then((cell) =>
    cell.fetch(
      '/',
      { method: 'GET', signal: new AbortController().signal },
      { caller: 'a', bodyBytes: 0, onTurn: () => undefined },
    ),
  );
  calling.catch(() => undefined);
  await asked.promise;
  return { calling, start: ready.resolve };
}

test('those who wait for a cell still get it after the function was replaced', async () => {
  const { calling, start } = await callSlowly(1);
  cells.pool.drop(1);
  start();
  expect(new TextDecoder().decode((await calling).whole)).toBe('ran');
});

test('those who wait for a cell do not run a function that was ended', async () => {
  const { calling, start } = await callSlowly(2);
  cells.pool.end(2, WHY);
  start();
  await expect(calling).rejects.toThrow();
});
