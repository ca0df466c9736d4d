import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restoreArchive } from '../../../server/product/backup/index.ts';
import type { PublishedPage, TestUser } from '../../support/app.ts';
import { promote, reopen } from '../../support/backup.ts';
import { readSql } from '../../support/engines/storage.ts';
import { type FunctionApp, functionApp, handler } from '../../support/functions/app.ts';
import { PASSWORD, type TestResponse } from '../../support/http/call.ts';
import { unpackExport } from '../../support/privacy/export.ts';

/** Moments in backups and exports, and when their account is deleted. */

const DAY_MS = 24 * 3600 * 1000;
const SLUG = 'travelling';

let service: FunctionApp;
let folder: string;
let owner: TestUser;
let page: PublishedPage;
let at: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-moments-travel-'));
  service = await functionApp({ QUIRE_DEPLOYS_PER_HOUR: '0' });
  owner = service.owner;
  await promote(service.quire, 'stranger');
  await ok('POST', '/api/functions', { slug: SLUG, code: code('a'), enableDatabase: true });
  page = await owner.publish({
    name: 'Trip',
    html_content: '<p>a</p>',
    storage_mode: 'team_app',
    functions: [SLUG],
  });
  await service.sql(SLUG, { sql: "create table t as select 'a' as value" });
  const { id } = await ok('POST', notes(), { data: { state: 'a' } });
  at = (await ok('POST', `/api/pages/${page.id}/moments`, { name: 'Before the trip' })).at;
  await ok('PATCH', `/api/pages/${page.id}`, { html_content: '<p>b</p>' });
  await ok('PATCH', `/api/functions/${SLUG}`, { code: code('b') });
  await service.sql(SLUG, { sql: "update t set value = 'b'" });
  await ok('PATCH', `${notes()}/${id}`, { data: { state: 'b' } });
});
afterAll(async () => {
  await service.quire.stop();
  rmSync(folder, { recursive: true });
});

const code = (state: string) => handler(`return new Response('${state}')`);
const notes = () => `/api/pages/${page.id}/team-data/notes`;
async function ok(method: string, path: string, body?: object) {
  const answer = await owner.call(method, path, body && { body });
  expect([method, path, answer.status < 300, answer.body.error]).toEqual([method, path, true, undefined]);
  return answer.body;
}

type Call = (method: string, path: string, options?: object) => Promise<TestResponse>;
/** What the parts of the application have. */
async function readStates(call: Call): Promise<string[]> {
  const read = async (method: string, path: string, body?: object) =>
    (await call(method, path, { token: owner.token, ...(body && { body }) })).body;
  const { results } = await read('POST', `/api/functions/${SLUG}/database`, { sql: 'select value from t' });
  return [
    (await read('GET', `/api/pages/${page.id}`)).page.html_content,
    (await read('GET', `/api/functions/${SLUG}/code`)).code,
    results[0].value,
    (await read('GET', notes())).records[0].data.state,
  ];
}
const all = (state: string) => [`<p>${state}</p>`, code(state), state, state];

test('a server that was restored from a backup can restore the moments in it', async () => {
  const { quire } = service;
  const login = { username: 'stranger', password: PASSWORD, scopes: ['admin'] };
  const token = (await quire.call('POST', '/api/auth/token', { body: login })).body.accessToken;
  const headers = { authorization: `Bearer ${token}` };
  const backup = await quire.request('/api/admin/backup', { headers });
  const to = { dataFolder: join(folder, 'restored') };
  await restoreArchive(backup.body as ReadableStream<Uint8Array>, to);
  const { app, call } = await reopen(to);
  try {
    expect(await readStates(call)).toEqual(all('b'));
    const own = { token: owner.token };
    const { moments } = (await call('GET', `/api/pages/${page.id}/moments`, own)).body;
    expect(moments).toContainEqual(expect.objectContaining({ at, name: 'Before the trip' }));
    const restored = await call('POST', `/api/pages/${page.id}/restore`, { ...own, body: { at } });
    expect([restored.status, restored.body.changes?.not_restored]).toEqual([200, []]);
    expect(await readStates(call)).toEqual(all('a'));
    await call('POST', `/api/pages/${page.id}/restore`, { ...own, body: { at: restored.body.undo } });
    expect(await readStates(call)).toEqual(all('b'));
  } finally {
    await app.stop();
  }
  // The server that was backed up is as before.
  expect(await readStates(quire.call)).toEqual(all('b'));
});

test('an export says which moments there are, and what they have', async () => {
  const headers = { authorization: `Bearer ${owner.token}` };
  const archive = await unpackExport(await service.quire.request('/api/auth/export', { headers }), folder);
  const path = archive.paths.find((each) => each.endsWith('/moments.jsonl')) ?? 'none';
  expect(archive.lines(path)).toContainEqual({
    ...{ at, name: 'Before the trip', cause: 'Kept as “Before the trip”.', by: owner.username },
    ...{ page_version: 1, functions: [{ slug: SLUG, version: 1 }] },
  });
});

test('nothing of the history of an account is left when it is deleted', async () => {
  const { quire } = service;
  const tables = ['moments', 'moment_snapshots', 'database_snapshots', 'restores', 'record_changes'];
  const count = async () =>
    Promise.all(
      tables.map(async (table) => {
        const [row] = await readSql<{ n: number }>(quire, `select count(*) as n from ${table}`);
        return Number(row?.n);
      }),
    );
  await ok('POST', `/api/pages/${page.id}/restore`, { at });
  expect((await count()).every((rows) => rows > 0)).toBe(true);
  const segments = join(quire.dataFolder, 'blobs/database-snapshots');
  const hashes = join(quire.dataFolder, 'databases/snapshots');
  expect([readdirSync(segments).length > 0, readdirSync(hashes).length > 0]).toEqual([true, true]);

  const left = await quire.call('POST', '/api/auth/account/delete', {
    headers: { cookie: await owner.login() },
    body: { username: owner.username },
  });
  expect(left.status).toBe(200);
  quire.advance(7 * DAY_MS + 1000);
  await quire.app.sweep();
  expect(await count()).toEqual(tables.map(() => 0));
  while (readdirSync(segments).length > 0) await Bun.sleep(50);
  expect(readdirSync(hashes)).toEqual([]);
  expect(existsSync(join(quire.dataFolder, 'databases', String(owner.id)))).toBe(false);
});
