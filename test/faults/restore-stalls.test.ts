import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSoak, rounds } from '../support/faults/rounds.ts';
import { call, publish, register } from '../support/http/client.ts';
import { startServer } from '../support/server.ts';

/** A restore of many records, some of them large, beside a neighbour who must go on. */

const RECORDS = rounds(2_000, 20_000);
const BATCH = 100;
/** One record of each batch has a long text. */
const LONG = 'x'.repeat(60_000);
/** The goal is 20 ms of CPU time: soaks print it. The limit is wide, because collecting garbage counts too. */
const MAX_STALL_MS = 400;

const folder = mkdtempSync(join(tmpdir(), 'quire-restore-stalls-'));
const stallFile = join(folder, 'stall');
writeFileSync(stallFile, Buffer.alloc(16));
const starting = startServer({
  settings: { QUIRE_LOG_LEVEL: 'warn', QUIRE_RATE_LIMIT: '0', STALL_FILE: stallFile },
  preload: join(import.meta.dir, '../support/hostile/stall-probe.ts'),
});
afterAll(async () => {
  await (await starting).stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a restore of many records is done in pieces, and neighbours go on', async () => {
  const server = await starting;
  const { token } = await register(server, 'restorestalls');
  const { id } = await publish(server, token, { storage_mode: 'team_app' });
  const neighbour = await publish(server, token, { name: 'Neighbour' });
  const ok = async (method: string, path: string, body?: object) => {
    const answer = await call(server, method, path, { token, ...(body && { body }), timeoutMs: 600_000 });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const notes = `/api/pages/${id}/team-data/notes`;
  const ids: string[] = [];
  const inBatches = async (toOperation: (index: number) => object) => {
    for (let from = 0; from < RECORDS; from += BATCH) {
      const operations = Array.from({ length: BATCH }, (_, index) => toOperation(from + index));
      const { results } = await ok('POST', `${notes}/batch`, { operations });
      if (ids.length < RECORDS)
        ids.push(...results.map(({ record }: { record: { id: string } }) => record.id));
    }
  };
  const toText = (index: number) => (index % BATCH === 0 ? LONG : 'short');
  await inBatches((index) => ({ op: 'create', data: { state: 'a', text: toText(index) } }));
  const { at } = await ok('POST', `/api/pages/${id}/moments`, { name: 'a' });
  await inBatches((index) => ({ op: 'update', id: ids[index], data: { state: 'b' } }));

  const stall = new Float64Array(Bun.mmap(stallFile).buffer);
  stall[0] = 0;
  let isOver = false;
  let answered = 0;
  const visiting = (async () => {
    while (!isOver) {
      const page = await fetch(`http://127.0.0.1:${server.port}/p/${neighbour.slug}`, {
        headers: { host: `localhost:${server.port}` },
      });
      await page.arrayBuffer();
      if (page.status !== 200) throw new Error(`the neighbour got ${page.status}`);
      answered++;
    }
  })();
  const { changes } = await ok('POST', `/api/pages/${id}/restore`, { at, parts: ['records'] });
  isOver = true;
  await visiting;
  expect(changes).toMatchObject({ created: 0, updated: RECORDS, deleted: 0 });
  const where = encodeURIComponent(JSON.stringify({ state: 'a' }));
  expect((await ok('GET', `${notes}/count?where=${where}`)).count).toBe(RECORDS);
  const stallMs = stall[0] ?? 0;
  const said = `${RECORDS} records: ${Math.round(stallMs)} ms without a pause, ${answered} answers to the neighbour`;
  if (isSoak) console.log(said);
  expect(answered).toBeGreaterThan(1);
  expect(stallMs).toBeLessThan(MAX_STALL_MS);
}, 600_000);
