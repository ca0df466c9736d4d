import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../support/app.ts';
import { startMigratedDatabase } from '../support/engines/process-postgres.ts';
import { startRedis } from '../support/engines/redis.ts';
import { startS3 } from '../support/engines/s3.ts';
import { takePorts } from '../support/ports.ts';
import { waitUntil } from '../support/server.ts';

/** How often databases of a cluster are copied for moments. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SLUG = 'hourly';

let quire: TestApp;
let owner: TestUser;
/** Lives longer than the hours of this test. */
let token: string;
const stopping: Array<() => Promise<unknown>> = [];
beforeAll(async () => {
  const [s3, redis, database] = await Promise.all([startS3(), startRedis(), startMigratedDatabase()]);
  for (const engine of [s3, redis, database]) stopping.push(() => engine.stop());
  quire = await testApp({
    ...s3.settings,
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    QUIRE_SECRET: 'a secret of all nodes of this test',
    QUIRE_CLUSTER_ADDRESS: `127.0.0.1:${takePorts(1)}`,
    QUIRE_CLUSTER_SHARDS: '1',
  });
  stopping.push(() => quire.stop());
  owner = await quire.user('hourly');
  const scopes = ['pages:read', 'pages:write', 'functions:read', 'functions:write'];
  token = (await owner.call('POST', '/api/auth/tokens', { body: { name: 'test', scopes } })).body.token;
}, 120_000);
afterAll(async () => {
  for (const stop of stopping.toReversed()) await stop();
}, 60_000);

async function ok(method: string, path: string, body?: object) {
  const { status, body: answer } = await quire.call(method, path, { token, ...(body && { body }) });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  return answer;
}
const sql = async (text: string) =>
  (await ok('POST', `/api/functions/${SLUG}/database`, { sql: text })).results;
const write = (value: string) => sql(`update t set a = '${value}'`);
const read = async () => (await sql('select a from t'))[0].a;

interface Listed {
  at: string;
  changes: { databases: string[] };
}

test('databases are copied once an hour, and before what is hard to take back', async () => {
  const code = 'export default { fetch: () => new Response() };';
  await ok('POST', '/api/functions', { slug: SLUG, code, enableDatabase: true });
  const { id } = await owner.publish({ functions: [SLUG] });
  await sql("create table t as select 'one' as a");
  const list = async (): Promise<Listed[]> => (await ok('GET', `/api/pages/${id}/moments`)).moments;
  const keep = (name: string): Promise<Listed> => ok('POST', `/api/pages/${id}/moments`, { name });
  const restore = (at: string, more: object = {}) =>
    ok('POST', `/api/pages/${id}/restore`, { at, parts: ['databases'], ...more });
  /** The next moment that is kept by itself. */
  const next = async (): Promise<Listed> => {
    const [last] = await list();
    quire.advance(MINUTE);
    await waitUntil(async () => (await list())[0]?.at !== last?.at, 2 * MINUTE);
    return (await list())[0] as Listed;
  };

  // Somebody asks for these, so the database is copied.
  await keep('One');
  await write('two');
  await ok('PATCH', `/api/pages/${id}`, { description: 'Changed' });
  const early = await next();
  expect(early.changes.databases).toEqual([]);

  // Nothing else has changed: the page waits for the next copy of its database.
  quire.advance(HOUR);
  const hourly = await next();
  expect(hourly.changes.databases).toEqual([SLUG]);
  await write('three');
  const named = await keep('Three');
  expect(named.changes.databases).toEqual([SLUG]);

  // Whoever restores it sees of when the database is.
  const { changes } = await restore(early.at, { dry_run: true });
  expect([changes.databases, Object.keys(changes.database_times)]).toEqual([[SLUG], [SLUG]]);
  const age = Date.parse(early.at) - Date.parse(changes.database_times[SLUG]);
  expect([age >= MINUTE, age < HOUR]).toEqual([true, true]);
  await restore(early.at);
  expect(await read()).toBe('one');
  expect((await restore(named.at)).changes.database_times).toBeUndefined();
  expect(await read()).toBe('three');
  await restore(hourly.at);
  expect(await read()).toBe('two');

  // The copy before the restore is young, but not of what is there now.
  await ok('PATCH', `/api/pages/${id}`, { description: 'Changed again' });
  const after = await next();
  await write('four');
  await restore(after.at);
  expect(await read()).toBe('two');

  // Before an agent changes the database, it is copied, however young the last copy is.
  await write('five');
  const params = { name: 'execute_sql', arguments: { slug: SLUG, sql: "update t set a = 'six'" } };
  const headers = { 'mcp-protocol-version': '2025-11-25' };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  expect((await quire.call('POST', '/mcp', { token, headers, body })).status).toBe(200);
  expect(await read()).toBe('six');
  const [before] = await list();
  expect(before?.changes.databases).toEqual([SLUG]);
  await restore(before?.at ?? '');
  expect(await read()).toBe('five');
}, 600_000);
