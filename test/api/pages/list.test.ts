import { afterAll, beforeAll, expect, test } from 'bun:test';
import { administrator } from '../../support/accounts/administrator.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';

/** The list of one's own pages, in order and by state. */

let quire: TestApp;
let lia: TestUser;
beforeAll(async () => {
  quire = await testApp();
  lia = await quire.user('lia');
});
afterAll(() => quire.stop());

test('is in the order that was asked for, and has the states that were asked for', async () => {
  const ids = new Map<string, number>();
  for (const name of ['beta', 'Alpha', 'gamma', 'Delta']) ids.set(name, (await lia.publish({ name })).id);
  const other = await quire.user('liam');
  await other.publish({ name: 'Not mine' });
  const change = (name: string, body: object) => lia.call('PATCH', `/api/pages/${ids.get(name)}`, { body });
  expect((await change('gamma', { is_published: false })).status).toBe(200);
  expect((await change('beta', { access: { mode: 'private' } })).status).toBe(200);
  const boss = await administrator(quire);
  const path = `/api/admin/pages/${ids.get('Delta')}/take-down`;
  expect((await boss.admin('POST', path, { reason: 'Spam.' })).status).toBe(200);
  const day = Date.now() - (Date.now() % 86_400_000);
  const seen = (name: string, at: number, views: number) =>
    `INSERT INTO page_days (page_id, day, views, errors, visitors) VALUES (${ids.get(name)}, ${at}, ${views}, 0, 1)`;
  await runSql(quire, seen('gamma', day, 2), seen('gamma', day - 86_400_000, 2), seen('beta', day, 3));
  await runSql(quire, seen('Delta', day - 14 * 86_400_000, 100));

  const list = async (query: string) => {
    const { body } = await lia.call('GET', `/api/pages?${query}`);
    return [body.pages.map(({ name }: { name: string }) => name), body.total];
  };
  expect((await list(''))[1]).toBe(4);
  expect(await list('order=name')).toEqual([['Alpha', 'beta', 'Delta', 'gamma'], 4]);
  const [byActivity] = await list('order=activity');
  expect(byActivity.slice(0, 2)).toEqual(['gamma', 'beta']);
  expect(await list('order=activity&limit=1&offset=1')).toEqual([['beta'], 4]);
  expect(await list('order=activity&limit=1&offset=9')).toEqual([[], 4]);
  expect(await list('state=published')).toEqual([['Alpha'], 1]);
  expect(await list('state=draft')).toEqual([['gamma'], 1]);
  expect(await list('state=private')).toEqual([['beta'], 1]);
  expect(await list('state=taken_down')).toEqual([['Delta'], 1]);
  expect(await list('state=draft&order=activity&q=GAM')).toEqual([['gamma'], 1]);
  expect(await list('state=draft&order=activity&q=nothing')).toEqual([[], 0]);
});

test.each(['order=views', 'state=open', 'state='])('refuses %p', async (query) => {
  expect((await lia.call('GET', `/api/pages?${query}`)).status).toBe(400);
});
