import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type DiskServer, makeSmallDisk, type SmallDisk, startServerOn } from '../support/faults/disk.ts';
import { isSoak, ROUNDS_MS, rounds } from '../support/faults/rounds.ts';
import { call, register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** A disk that is full while an application goes back to an earlier moment. */

const SLUG = 'full-disk';
const RECORDS = 600;
/** What a restore does, one after the other. The disk is filled when it has come to one of these. */
const STEPS = ['moment', 'page', 'databases', 'records'];

let disk: SmallDisk;
let server: DiskServer;
let token: string;
beforeAll(async () => {
  disk = await makeSmallDisk(160);
  server = await startServerOn(disk, { QUIRE_DEPLOYS_PER_HOUR: '0', QUIRE_LOG_LEVEL: 'warn' });
  ({ token } = await register(server, 'full-disk'));
}, 60_000);
afterAll(async () => {
  await server.kill();
  await disk.remove();
});

const send = (method: string, path: string, body?: object) =>
  call(server, method, path, { token, timeoutMs: 120_000, ...(body && { body }) });
async function ok(method: string, path: string, body?: object) {
  const answer = await send(method, path, body);
  if (answer.status >= 300)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const sql = async (text: string) =>
  (await ok('POST', `/api/functions/${SLUG}/database`, { sql: text })).results;
const worker = (state: string) => `export default { fetch: () => new Response("${state}") };`;
const html = (state: string) => `<p>${state}</p>`;

/** A page with a function, an SQL table and records, which are all in state a or all in state b. */
async function makeApplication() {
  await ok('POST', '/api/functions', { slug: SLUG, code: worker('a'), enableDatabase: true });
  const fields = { name: 'Full', html_content: html('a'), storage_mode: 'team_app', functions: [SLUG] };
  const { id } = (await ok('POST', '/api/pages', fields)).page;
  const notes = `/api/pages/${id}/team-data/notes`;
  await sql("create table state as select 'a' as value");
  // The files that go in place of the database need space on the disk.
  await sql(
    'create table large as with recursive n (i) as (select 1 union all select i + 1 from n where i < 300) select randomblob(10000) as value from n',
  );
  const ids: string[] = [];
  const inPieces = async (toOperation: (index: number) => object) => {
    for (let from = 0; from < RECORDS; from += 100) {
      const operations = Array.from({ length: 100 }, (_, index) => toOperation(from + index));
      const { results } = await ok('POST', `${notes}/batch`, { operations });
      ids.push(...results.map(({ record }: { record: { id: string } }) => record.id));
    }
  };
  const text = 'x'.repeat(2_000);
  const keep = async (name: string): Promise<string> =>
    (await ok('POST', `/api/pages/${id}/moments`, { name })).at;
  await inPieces(() => ({ op: 'create', data: { state: 'a', text } }));
  const a = await keep('a');
  await ok('PATCH', `/api/pages/${id}`, { html_content: html('b') });
  await ok('PATCH', `/api/functions/${SLUG}`, { code: worker('b') });
  await sql("update state set value = 'b'");
  await inPieces((index) => ({ op: 'update', id: ids[index], data: { state: 'b' } }));
  const b = await keep('b');
  return {
    restore: (to: 'a' | 'b') => send('POST', `/api/pages/${id}/restore`, { at: to === 'a' ? a : b }),
    readRestore: async () => (await ok('GET', `/api/pages/${id}/restore`)).restore,
    /** All states that parts of the application are in. */
    async read(): Promise<string> {
      const page = (await ok('GET', `/api/pages/${id}`)).page.html_content;
      const { code } = await ok('GET', `/api/functions/${SLUG}/code`);
      const seen = new Set(['a', 'b'].filter((state) => page === html(state) || code === worker(state)));
      seen.add((await sql('select value from state'))[0].value);
      for (const state of ['a', 'b']) {
        const where = encodeURIComponent(JSON.stringify({ state }));
        const { count } = await ok('GET', `${notes}/count?where=${where}`);
        if (count > 0) expect([seen.add(state).size, count]).toEqual([1, RECORDS]);
      }
      return [...seen].join(' and ');
    },
  };
}

test(
  'a restore whose disk gets full is finished or undone when there is space again, and says which',
  async () => {
    const application = await makeApplication();
    let state = await application.read();
    expect(state).toBe('b');
    const seen: Record<string, number> = {};
    for (let round = 0; round < rounds(STEPS.length, 60); round++) {
      const wanted = round % STEPS.length;
      const to = state === 'a' ? 'b' : 'a';
      const last = (await application.readRestore())?.started_at;
      let isOver = false;
      const restoring = application.restore(to).finally(() => {
        isOver = true;
      });
      await waitUntil(async () => {
        const restore = await application.readRestore();
        return isOver || (restore?.started_at !== last && STEPS.indexOf(restore?.step) >= wanted);
      });
      await disk.fill();
      const { status, body } = await restoring;
      await disk.free();
      await waitUntil(async () => {
        const restore = await application.readRestore();
        return restore === null || restore.finished_at !== null;
      }, 240_000);
      const found = await application.readRestore();
      const step = found?.started_at === last ? 'forgotten' : found?.step;
      seen[`${status} ${step}`] = (seen[`${status} ${step}`] ?? 0) + 1;
      const now = await application.read();
      expect([step, now]).toEqual([step, step === 'done' ? to : state]);
      // Whoever asked for it is told that it is done, or why it is not.
      if (status === 200) expect(step).toBe('done');
      else expect([[503, 507].includes(status), body.error]).toEqual([true, expect.any(String)]);
      if (step === 'undone') expect(found.error).toStartWith('A step failed, so that everything went back.');
      state = now;
    }
    if (isSoak) console.log(seen);
    // The disk was full in time at least once.
    expect(Object.keys(seen).some((each) => each !== '200 done')).toBe(true);
  },
  ROUNDS_MS,
);
