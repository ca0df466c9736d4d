import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { waitUntil } from '../../support/server.ts';

/** Moments that are kept by themselves. The timer is the real one, so this takes a minute. */

const MINUTE_MS = 60_000;
const WORKER = `export default {
  async fetch(request, env) {
    await env.DB.prepare("insert into visits values ('called')").run();
    return new Response('noted');
  },
};`;

let app: TestApp;
let owner: TestUser;
beforeAll(async () => {
  app = await testApp();
  owner = await app.user('automatic-owner');
});
afterAll(() => app.stop());

async function ok(method: string, path: string, body?: object) {
  const answer = await owner.call(method, path, body && { body });
  expect([answer.status < 300, answer.body]).toEqual([true, expect.anything()]);
  return answer.body;
}

const listMoments = async (id: number) => (await ok('GET', `/api/pages/${id}/moments`)).moments;

async function publishWithDatabase(slug: string): Promise<number> {
  await ok('POST', '/api/functions', { slug, code: WORKER, enableDatabase: true });
  await ok('POST', `/api/functions/${slug}/database`, { sql: 'create table visits (what text)' });
  return (await owner.publish({ name: slug, functions: [slug] })).id;
}

test('within a minute of a record, of SQL, of a call and of a new version there is a moment, and none without a change', async () => {
  const pages = {
    record: (await owner.publish({ name: 'Record', storage_mode: 'team_app' })).id,
    sql: await publishWithDatabase('automatic-sql'),
    call: await publishWithDatabase('automatic-call'),
    version: (await owner.publish({ name: 'Version' })).id,
    quiet: (await owner.publish({ name: 'Quiet', storage_mode: 'team_app' })).id,
  };
  for (const id of Object.values(pages)) await ok('POST', `/api/pages/${id}/moments`, { name: 'Before' });
  app.advance(MINUTE_MS);

  await ok('POST', `/api/pages/${pages.record}/team-data/notes`, { data: { text: 'one' } });
  await ok('POST', '/api/functions/automatic-sql/database', { sql: "insert into visits values ('typed')" });
  const called = await app.request('/api/functions/automatic-call', { method: 'POST' });
  expect([called.status, await called.text()]).toEqual([200, 'noted']);
  await ok('PATCH', `/api/pages/${pages.version}`, { html_content: '<p>second</p>' });
  await ok('GET', `/api/pages/${pages.quiet}/team-data/notes`);

  const { quiet, ...changed } = pages;
  await waitUntil(async () => {
    for (const id of Object.values(changed)) if ((await listMoments(id)).length < 2) return false;
    return true;
  });
  const nothing = { functions: [], records: 0, databases: [] };
  const expected = {
    record: { ...nothing, records: 1 },
    sql: { ...nothing, databases: ['automatic-sql'] },
    call: { ...nothing, databases: ['automatic-call'] },
    version: { ...nothing, page_version: 2 },
  };
  for (const [name, changes] of Object.entries(expected)) {
    const [kept, before, ...others] = await listMoments(pages[name as keyof typeof pages]);
    expect([name, kept.name, kept.changes]).toEqual([name, undefined, changes]);
    expect([before.name, others]).toEqual(['Before', []]);
  }
  expect(await listMoments(quiet)).toHaveLength(1);
});
