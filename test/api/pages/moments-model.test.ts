import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestUser } from '../../support/app.ts';
import { rounds } from '../../support/faults/rounds.ts';
import { type FilesApp, filesApp } from '../../support/pages/files.ts';

/** Random changes of an application, restored to random moments and compared with a model. */

let app: FilesApp;
let owner: TestUser;
let id: number;
const SLUG = 'model-function';
beforeAll(async () => {
  app = await filesApp();
  owner = app.owner;
  const body = { slug: SLUG, code: worker(0), enableDatabase: true };
  expect((await owner.call('POST', '/api/functions', { body })).status).toBe(201);
  const page = { name: 'Model 0', html_content: '<p>0</p>', storage_mode: 'team_app', functions: [SLUG] };
  id = (await owner.publish(page)).id;
  await sql('create table items (id integer primary key, value)');
});
afterAll(() => app.quire.stop());

const worker = (number: number) => `export default { fetch: () => new Response("${number}") };`;
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;
async function ok(method: string, path: string, body?: object) {
  const answer = await owner.call(method, path, body && { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const sql = (text: string) => ok('POST', `/api/functions/${SLUG}/database`, { sql: text });
const RECORDS = () => `/api/pages/${id}/team-data/notes`;
const listRecords = async () =>
  (await ok('GET', `${RECORDS()}?limit=100`)).records as Array<{ id: string; data: object }>;

/** Everything of the application that goes back. */
async function read() {
  const { page } = await ok('GET', `/api/pages/${id}`);
  const { code } = await ok('GET', `/api/functions/${SLUG}/code`);
  const script = await (await app.request('GET', `/api/functions/${SLUG}/database/export`)).text();
  const records = (await listRecords()).map((record) => JSON.stringify([record.id, record.data])).sort();
  return { name: page.name, html: page.html_content, functions: page.functions, code, records, script };
}

let counter = 0;
const OPERATIONS: Array<() => Promise<unknown>> = [
  () => ok('PATCH', `/api/pages/${id}`, { html_content: `<p>${++counter}</p>` }),
  () => ok('PATCH', `/api/pages/${id}`, { name: `Model ${++counter}` }),
  () => ok('PATCH', `/api/functions/${SLUG}`, { code: worker(++counter) }),
  () => ok('POST', RECORDS(), { data: { value: ++counter } }),
  () => ok('POST', RECORDS(), { data: { value: ++counter } }),
  async () => {
    const records = await listRecords();
    if (records.length > 0)
      await ok('PATCH', `${RECORDS()}/${pick(records).id}`, { data: { value: ++counter } });
  },
  async () => {
    const records = await listRecords();
    if (records.length > 0) await ok('DELETE', `${RECORDS()}/${pick(records).id}`);
  },
  () => sql(`insert into items (value) values (${++counter})`),
  () => sql(`update items set value = ${++counter} where id % 3 = 0`),
  () => sql('delete from items where id % 5 = 1'),
];

test('restores any moment exactly, and undoes every restore', async () => {
  const moments: Array<{ at: string; state: Awaited<ReturnType<typeof read>> }> = [];
  const keep = async () => {
    const { at } = await ok('POST', `/api/pages/${id}/moments`, { name: `Moment ${++counter}` });
    moments.push({ at, state: await read() });
    if (moments.length > 15) await ok('DELETE', `/api/pages/${id}/moments/${moments.shift()?.at}`);
  };
  await keep();
  for (let round = 0; round < rounds(6, 2_000); round++) {
    for (let changes = Math.floor(Math.random() * 6); changes > 0; changes--) await pick(OPERATIONS)();
    if (Math.random() < 0.5) await keep();
    const before = await read();
    const { at, state } = pick(moments);
    const { undo } = await ok('POST', `/api/pages/${id}/restore`, { at });
    expect(await read()).toEqual(state);
    if (Math.random() < 0.5) continue;
    await ok('POST', `/api/pages/${id}/restore`, { at: undo });
    expect(await read()).toEqual(before);
  }
});
