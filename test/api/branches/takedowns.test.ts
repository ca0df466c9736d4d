import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import { type BranchApp, branchApp, handler } from '../../support/branches/branches.ts';

/** What an administrator takes down is not shown by a branch instead. */

const REASON = 'It copies the pages of a bank.';

let app: BranchApp;
let boss: Administrator;
beforeAll(async () => {
  app = await branchApp({ QUIRE_CHROMIUM: 'off' });
  boss = await administrator(app.quire, 'boss');
});
afterAll(() => app.quire.stop());

const ask = (method: string, path: string, body?: object) => app.owner.call(method, path, body && { body });
const decide = async (kind: 'pages' | 'functions', name: number | string, isDown: boolean) => {
  const path = `/api/admin/${kind}/${name}/${isDown ? 'take-down' : 'restore'}`;
  expect((await boss.admin('POST', path, isDown ? { reason: REASON } : undefined)).status).toBe(200);
};

test('the branches of a page are taken down with it and given back with it, and nothing is made of it', async () => {
  const page = await app.owner.publish({ name: 'Bank', html_content: '<h1>Bank</h1>' });
  const branches = `/api/pages/${page.id}/branches`;
  const slugs = [page.slug];
  for (const name of ['one', 'two']) {
    slugs.push((await app.branch(page.id, name)).page.slug);
    await ask('PATCH', `${branches}/${name}`, { access: { mode: 'public' } });
  }
  const shown = async () =>
    Promise.all(slugs.map(async (slug) => (await app.quire.request(`/p/${slug}`)).status));
  // Rendered pages are kept in memory.
  expect(await shown()).toEqual([200, 200, 200]);
  const two = (await ask('GET', `${branches}/two`)).body.page.id;
  await decide('pages', two, true);
  expect(await shown()).toEqual([200, 200, 451]);
  const refusals = async (name: string) => [
    (await ask('POST', `${branches}/${name}/merge`, {})).body,
    (await ask('POST', `${branches}/${name}/merge`, { dry_run: true })).body,
  ];
  const down = { code: 'TAKEN_DOWN', error: expect.stringContaining(REASON) };
  expect(await refusals('two')).toMatchObject([down, down]);

  await decide('pages', page.id, true);
  expect(await shown()).toEqual([451, 451, 451]);
  expect(await refusals('one')).toMatchObject([down, down]);
  const made = await ask('POST', branches, { name: 'three', data: 'all' });
  expect([made.status, made.body]).toEqual([451, expect.objectContaining(down)]);
  expect((await ask('GET', branches)).body.branches).toHaveLength(2);
  // A second decision, with another reason, is about the same branches.
  await decide('pages', page.id, true);

  await decide('pages', page.id, false);
  expect(await shown()).toEqual([200, 200, 451]);
  expect((await ask('POST', `${branches}/one/merge`, { dry_run: true })).status).toBe(200);
});

test('copies of a function that is taken down, and the function made again, are taken down too', async () => {
  const slug = await app.deploy(handler('return Response.json({ live: true })'));
  const page = await app.owner.publish({ name: 'Shop', functions: [slug] });
  await app.branch(page.id, 'before');
  const call = async (name: string) => (await app.call(name, {}, app.owner)).status;
  expect(await call(`${slug}--before`)).toBe(200);
  await decide('functions', slug, true);
  await app.branch(page.id, 'after');
  const all = [slug, `${slug}--before`, `${slug}--after`];
  for (const each of all) expect([each, await call(each)]).toEqual([each, 451]);

  const { at } = (await ask('POST', `/api/pages/${page.id}/moments`, { name: 'with it' })).body;
  expect((await ask('DELETE', `/api/functions/${slug}`)).status).toBe(204);
  expect(await call(slug)).toBe(404);
  await ask('POST', `/api/pages/${page.id}/restore`, { at });
  expect(await call(slug)).toBe(451);
  expect((await ask('GET', `/api/functions/${slug}`)).body.takenDown.reason).toBe(REASON);
  await decide('functions', slug, false);
  expect(await call(slug)).toBe(200);
});

test('a merge brings a function that is taken down as it is', async () => {
  const page = await app.owner.publish({ name: 'Empty' });
  const branch = await app.branch(page.id, 'adds');
  const slug = await app.deploy(handler('return Response.json({})'), { pageId: branch.page.id });
  await decide('functions', slug, true);
  expect((await ask('POST', `/api/pages/${page.id}/branches/adds/merge`, {})).status).toBe(200);
  const { functions } = (await ask('GET', `/api/pages/${page.id}`)).body.page;
  expect(functions).toHaveLength(1);
  expect((await app.call(functions[0], {}, app.owner)).status).toBe(451);
}, 60_000);
