import { afterAll, beforeAll, expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import type { Branch } from '../../../contract/pages/branches/branches.ts';
import { type BranchApp, branchApp } from '../../support/branches/branches.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';

/** Branches with many records: they are filled in turns, and what happens to the page meanwhile counts. */

const RECORDS = 4_000;
const BATCH = 100;

let app: BranchApp;
let pageId: number;
beforeAll(async () => {
  app = await branchApp({ QUIRE_WRITES_PER_MINUTE: '0' });
  pageId = (await app.owner.publish({ name: 'Big', storage_mode: 'social_app' })).id;
  for (let first = 0; first < RECORDS; first += BATCH) {
    const operations = Array.from({ length: BATCH }, (_, at) => ({
      ...{ op: 'create', data: { n: first + at, text: 'a text of some length, as people write it' } },
    }));
    await ask('POST', `/api/pages/${pageId}/social-data/notes/batch`, { operations });
  }
}, 60_000);
afterAll(() => app.quire.stop());

async function ask(method: string, path: string, body?: object) {
  const response = await app.owner.call(method, path, body && { body });
  expect([path, response.status, response.body.error]).toEqual([
    ...[path, response.status < 300 ? response.status : 200, undefined],
  ]);
  return response.body;
}
const make = (name: string) => ask('POST', `/api/pages/${pageId}/branches`, { name, data: 'all' });
const list = async (): Promise<Branch[]> => (await ask('GET', `/api/pages/${pageId}/branches`)).branches;
const countFilled = async () =>
  Number(
    (await readSql<{ n: number }>(app.quire, `select count(*) as n from branches where step = 'records'`))[0]
      ?.n,
  );
const countRecords = async (id: number) =>
  (await ask('GET', `/api/pages/${id}/social-data/notes?limit=1`)).total as number;

test('five branches become ready two at a time, each with all records, while others write', async () => {
  const made = Promise.all(['a', 'b', 'c', 'd', 'e'].map(make));
  let most = 0;
  let written = 0;
  let branches: Branch[] = [];
  while (branches.length < 5 || branches.some(({ state }) => state === 'making')) {
    await ask('POST', `/api/pages/${pageId}/social-data/notes`, { data: { n: -1 } });
    written++;
    most = Math.max(most, await countFilled());
    branches = await list();
    await setImmediate();
  }
  await made;
  expect(most).toBe(2);
  for (const { page, base } of branches) {
    const later = await readSql<{ n: number }>(
      app.quire,
      `select count(*) as n from records where collection_id = (select min(id) from collections) and created_at > ${Date.parse(base)}`,
    );
    expect(await countRecords(page.id)).toBe(RECORDS + written - Number(later[0]?.n));
  }
  expect(await countRecords(pageId)).toBe(RECORDS + written);
}, 60_000);

test('a branch that waits for its turn is deleted at once, and takes no turn', async () => {
  for (const { name } of await list()) await ask('DELETE', `/api/pages/${pageId}/branches/${name}`);
  const making = ['x', 'y'].map(make);
  while ((await list()).length < 2) await setImmediate();
  const body = { name: 'z', data: 'all' };
  const last = app.owner.call('POST', `/api/pages/${pageId}/branches`, { body });
  while ((await list()).length < 3) await setImmediate();
  const waiting = (await list()).find(({ name }) => name === 'z');
  expect(waiting?.state).toBe('making');
  await ask('DELETE', `/api/pages/${pageId}/branches/z`);
  expect((await last).body).toMatchObject({
    ...{ code: 'NOT_FOUND', error: 'This branch was deleted while it was being made.' },
  });
  await Promise.all(making);
  while ((await list()).some(({ state }) => state === 'making')) await setImmediate();
  expect((await list()).map(({ name }) => name).toSorted()).toEqual(['x', 'y']);
  expect(app.quire.logs.join('\n')).not.toContain('a branch could not be made');
}, 60_000);

/** Waits until a branch has some of the records that it gets. */
async function untilCopying(slug: string): Promise<void> {
  const copied = `select 1 from records join collections on collections.id = collection_id
    join pages on pages.id = page_id where slug = '${slug}' limit 1`;
  while ((await readSql(app.quire, copied)).length === 0) await setImmediate();
}

test('a page that is deleted while its branches are still copied takes them along, and leaves nothing', async () => {
  const { owner } = app;
  const readUsage = async () =>
    (
      await readSql<{ pages: number; bytes: number }>(
        app.quire,
        `select pages, functions, bytes from usage where user_id = ${owner.id}`,
      )
    )[0];
  const before = await readUsage();
  const slug = await app.deploy('export default { fetch: () => new Response("here") };', {
    enableDatabase: true,
  });
  const made = await owner.publish({ name: 'Short', storage_mode: 'social_app', functions: [slug] });
  for (let first = 0; first < 3_000; first += BATCH) {
    const operations = Array.from({ length: BATCH }, (_, at) => ({ op: 'create', data: { n: first + at } }));
    await ask('POST', `/api/pages/${made.id}/social-data/notes/batch`, { operations });
  }
  const path = `/api/pages/${made.id}/branches`;
  const making = ['one', 'two', 'waits'].map((name) =>
    owner.call('POST', path, { body: { name, data: 'all' } }),
  );
  await untilCopying(`${made.slug}--one`);
  const { branches } = (await ask('GET', path)) as { branches: Branch[] };
  expect(branches.map(({ state }) => state)).toContain('making');
  expect((await owner.call('DELETE', `/api/pages/${made.id}`)).status).toBeLessThan(300);
  for (const { status, body } of await Promise.all(making))
    expect([status, body.code]).toEqual(status === 201 ? [201, undefined] : [404, 'NOT_FOUND']);
  const ids = [made.id, ...branches.map(({ page }) => page.id)].join();
  for (const query of [
    `select id from pages where id in (${ids}) or branch_of = ${made.id}`,
    `select page_id from branches where of_page_id = ${made.id}`,
    `select id from collections where page_id in (${ids})`,
    'select id from records where collection_id not in (select id from collections)',
  ])
    expect([query, await readSql(app.quire, query)]).toEqual([query, []]);
  expect((await owner.call('DELETE', `/api/functions/${slug}`)).status).toBeLessThan(300);
  expect(await readUsage()).toEqual(before);
  expect(app.quire.logs.join('\n')).not.toContain('a branch could not be made');
  // The slug is free, and so is the name of the branch.
  const again = await owner.publish({ name: 'Short', storage_mode: 'social_app' });
  expect(again.slug).toBe(made.slug);
  expect((await app.branch(again.id, 'one')).state).toBe('ready');
}, 60_000);

test('a branch that is being made is removed once nobody knows any more what the records were', async () => {
  const { owner } = app;
  const { page } = await ask('GET', `/api/pages/${pageId}`);
  const { body: moment } = await owner.call('POST', `/api/pages/${pageId}/moments`, {
    body: { name: 'Then' },
  });
  const body = { name: 'late', data: 'all', at: moment.at };
  const making = owner.call('POST', `/api/pages/${pageId}/branches`, { body });
  await untilCopying(`${page.slug}--late`);
  // As when the log of records is too large for its owner.
  await runSql(
    app.quire,
    `update collections set log_from = ${Date.parse(moment.at) + 1} where page_id = ${pageId}`,
  );
  const { status, body: refused } = await making;
  expect([status, refused.code, refused.error]).toEqual([
    ...[409, 'CONFLICT', expect.stringContaining('The history of notes begins at')],
  ]);
  expect((await list()).map(({ name }) => name)).not.toContain('late');
  // From the same moment, another one is not even begun.
  const again = await owner.call('POST', `/api/pages/${pageId}/branches`, { body });
  expect([again.status, again.body.error]).toEqual([409, refused.error]);
  const removed = app.quire.logs.filter((line) => line.includes('a branch could not be made and is removed'));
  expect(removed).toHaveLength(1);
  await make('now');
}, 60_000);

test('what a visitor deletes as their own data while a branch is made is not on the branch', async () => {
  const { owner, stranger } = app;
  const page = await owner.publish({ name: 'Visited', storage_mode: 'social_app' });
  for (let first = 0; first < 1_500; first += BATCH) {
    const operations = Array.from({ length: BATCH }, (_, at) => ({ op: 'create', data: { n: first + at } }));
    const path = `/api/pages/${page.id}/social-data/notes/batch`;
    expect((await stranger.call('POST', path, { body: { operations } })).status).toBe(200);
  }
  const making = app.branch(page.id, 'slow');
  await untilCopying(`${page.slug}--slow`);
  for (let isDone = false; !isDone; ) {
    const { status, body } = await stranger.call('DELETE', `/api/auth/stored/${page.id}`);
    expect(status).toBe(200);
    isDone = body.isDone;
  }
  const branch = await making;
  expect([await countRecords(page.id), await countRecords(branch.page.id)]).toEqual([0, 0]);
  expect((await stranger.call('GET', '/api/auth/stored')).body.pages).toEqual([]);
}, 60_000);
