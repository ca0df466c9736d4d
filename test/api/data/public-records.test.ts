import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Storage, startStorage } from '../../../server/platform/storage/index.ts';
import { readPublicRecords } from '../../../server/product/data/index.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';

/** Which records make a new picture of a page: only those that strangers see. */

let quire: TestApp;
let owner: TestUser;
let storage: Storage;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('public-records');
  storage = await startStorage({ dataFolder: quire.dataFolder, migrateTo: 'as they are' });
});
afterAll(async () => {
  await storage.stop();
  await quire.stop();
});

const PATHS = { social_app: 'social-data', team_app: 'team-data', solo_app: 'solo-data' } as const;

async function fill(storage_mode: keyof typeof PATHS, rules?: Record<string, string>) {
  const page = await owner.publish({ storage_mode });
  const path = `/api/pages/${page.id}/${PATHS[storage_mode]}/notes`;
  if (rules) {
    const schema = { fields: { text: { type: 'string' } }, rules };
    const set = await owner.call('PUT', `${path}/schema`, { body: { schema } });
    expect(set.status).toBe(200);
  }
  expect((await owner.call('POST', path, { body: { data: { text: 'x' } } })).status).toBe(201);
  return { id: page.id, storage_mode };
}

test('strangers see social data and what a rule opens, and nothing else', async () => {
  const seen = [await fill('social_app'), await fill('team_app', { read: 'anyone' })];
  const hidden = [
    await fill('solo_app'),
    await fill('team_app'),
    await fill('social_app', { read: 'member' }),
    await fill('social_app', { read: 'author' }),
  ];
  const found = await readPublicRecords(storage.db, [...seen, ...hidden]);
  expect([...found.keys()].sort()).toEqual(seen.map(({ id }) => id).sort());
  for (const records of found.values()) expect(records).toEqual({ count: 1, changedAt: expect.any(Number) });
  // Data of another storage mode than the page has now.
  const [{ id } = { id: 0 }] = seen;
  expect(await readPublicRecords(storage.db, [{ id, storage_mode: 'team_app' }])).toEqual(new Map());
  expect(await readPublicRecords(storage.db, [])).toEqual(new Map());
});
