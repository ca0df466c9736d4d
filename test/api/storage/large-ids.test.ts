import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Client } from 'pg';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { waitUntil } from '../../support/server.ts';

/** Ids can be larger than 32 bits. */

const LAST_OF_32_BITS = 2 ** 31 - 1;
const COUNTED = [
  ...['users', 'login_sessions', 'tokens', 'pages', 'page_messages'],
  ...['function_databases', 'functions', 'function_logs', 'collections'],
];

let quire: TestApp;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp();
  if (quire.databaseUrl === undefined) useUpInSqlite(join(quire.dataFolder, 'quire.db'));
  else await useUpInPostgres(quire.databaseUrl);
  owner = await quire.user('ada');
});
afterAll(() => quire.stop());

function useUpInSqlite(file: string): void {
  const db = new Database(file);
  for (const table of COUNTED) {
    db.run('delete from sqlite_sequence where name = ?', [table]);
    db.run('insert into sqlite_sequence (name, seq) values (?, ?)', [table, LAST_OF_32_BITS]);
  }
  db.close();
}

async function useUpInPostgres(url: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  for (const table of COUNTED)
    await client.query(`select setval(pg_get_serial_sequence('${table}', 'id'), ${LAST_OF_32_BITS})`);
  await client.end();
}

test('a user, a token and a login can have ids above 32 bits', async () => {
  expect(owner.id).toBeGreaterThan(LAST_OF_32_BITS);
  const body = { name: 'ci', scopes: ['pages:read'] };
  const made = await owner.call('POST', '/api/auth/tokens', { body });
  expect([made.status, made.body.id > LAST_OF_32_BITS]).toEqual([201, true]);
  expect((await owner.call('DELETE', `/api/auth/tokens/${made.body.id}`)).status).toBe(204);
  const cookie = await owner.login();
  const { sessions } = (await quire.call('GET', '/api/auth/sessions', { cookie })).body;
  expect(sessions[0].id).toBeGreaterThan(LAST_OF_32_BITS);
});

test('a page can be served, written and reached on its own host', async () => {
  const page = await owner.publish({ storage_mode: 'social_app' });
  expect(page.id).toBeGreaterThan(LAST_OF_32_BITS);
  const api = `/api/pages/${page.id}`;
  const message = { role: 'user', content: 'Hello' };
  expect((await owner.call('POST', `${api}/messages`, { body: message })).status).toBe(201);
  expect((await owner.call('PUT', `${api}/agent-spec`, { body: { spec: 'A page' } })).status).toBe(200);
  const record = await owner.call('POST', `${api}/social-data/notes`, { body: { data: { text: 'a' } } });
  expect(record.status).toBe(201);
  expect((await quire.call('GET', `${api}/social-data/notes`)).body.total).toBe(1);
  const served = await quire.request(`http://p${page.id}.pages.localhost:3000/`);
  expect([served.status, await served.text()]).toEqual([200, expect.stringContaining('Hello')]);
});

test('a function can be deployed, called and logged, and has a database', async () => {
  const code =
    'export default { fetch: async (_, { DB }) => Response.json(await DB.prepare("select 1 as one").first()) }';
  const body = { slug: 'wide', code, enableDatabase: true };
  const made = await owner.call('POST', '/api/functions', { body });
  expect(made.status).toBe(201);
  expect(Number(/\/\/f(\d+)\./.exec(made.body.workerUrl)?.[1])).toBeGreaterThan(LAST_OF_32_BITS);
  const called = await quire.call('POST', '/api/functions/wide', { body: {} });
  expect([called.status, called.body]).toEqual([200, { one: 1 }]);
  expect((await quire.request(made.body.workerUrl)).status).toBe(200);
  await waitUntil(async () => (await owner.call('GET', '/api/functions/wide/logs')).body.logs.length === 2);
});
