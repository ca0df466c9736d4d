import { afterAll, beforeAll, expect, test } from 'bun:test';
import { HISTORY_SHARE } from '../../../contract/rules/limits.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';

/** History has a quarter of its owner's storage. When that is full, the moments that are missed least go first. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let app: TestApp;
let owner: TestUser;
beforeAll(async () => {
  app = await testApp();
  owner = await app.user('share-owner');
});
afterAll(() => app.stop());

/** A page whose only moment has no name, and its size. The test adds copies of it at other times. */
async function makePage() {
  const { id } = await owner.publish({ name: 'Share' });
  await owner.call('POST', `/api/pages/${id}/moments`, { body: { name: 'Newest' } });
  await runSql(
    app,
    `update moments set name = null, cause_kind = null, cause_by = null, cause_text = '' where page_id = ${id}`,
  );
  const [first] = await readSql<{ at: number; size: number }>(
    app,
    `select at, size from moments where page_id = ${id}`,
  );
  const newest = Number(first?.at);
  return {
    newest,
    size: Number(first?.size),
    add: (at: number, name?: string) =>
      runSql(
        app,
        `insert into moments (page_id, at, name, cause_kind, cause_by, cause_text, state, size) select page_id, ${at}, ${name === undefined ? 'null' : `'${name}'`}, cause_kind, cause_by, cause_text, state, size from moments where page_id = ${id} and at = ${newest}`,
      ),
    read: async () => {
      const { moments, oldest, storage } = (await owner.call('GET', `/api/pages/${id}/moments`)).body;
      return {
        times: moments.map(({ at }: { at: string }) => Date.parse(at)) as number[],
        oldest: Date.parse(oldest),
        storage,
      };
    },
    keep: (name: string) => owner.call('POST', `/api/pages/${id}/moments`, { body: { name } }),
    remove: (at: number) => owner.call('DELETE', `/api/pages/${id}/moments/${new Date(at).toISOString()}`),
  };
}

/** Lets the history of the owner take so many bytes, and sweeps. */
async function setShare(bytes: number): Promise<void> {
  const quota = Math.ceil(bytes / HISTORY_SHARE);
  await runSql(app, `update users set quota_bytes = ${quota} where id = ${owner.id}`);
  await app.app.sweep();
}

test('the finest moments go first and those with a name last, the oldest moves, and one more is refused', async () => {
  const page = await makePage();
  const { newest, size } = page;
  const hour = Math.floor(newest / HOUR_MS) * HOUR_MS;
  const [early, named, late] = [hour - 6 * HOUR_MS, hour - 5 * HOUR_MS, hour - HOUR_MS + 5.5 * MINUTE_MS];
  await page.add(early);
  await page.add(named, 'Early');
  await page.add(late, 'Late');
  const minutes = (from: number) => Array.from({ length: 10 }, (_, minute) => from + minute * MINUTE_MS);
  const [earlier, later] = [minutes(hour - 2 * HOUR_MS), minutes(hour - HOUR_MS)];
  for (const at of [...earlier, ...later]) await page.add(at);

  await setShare(24 * size);
  const all = [newest, ...later, late, ...earlier, named, early].sort((a, b) => b - a);
  expect(await page.read()).toEqual({
    times: all,
    oldest: early,
    storage: { bytes: 24 * size, quota: 24 * size },
  });

  // The last moment of each hour stays.
  await setShare(23 * size);
  const hourly = [newest, Math.max(...later), late, Math.max(...earlier), named, early];
  expect(await page.read()).toMatchObject({ times: hourly, oldest: early, storage: { bytes: 6 * size } });

  await setShare(3 * size);
  expect(await page.read()).toMatchObject({ times: [newest, late, named], oldest: named });

  await setShare(2 * size);
  expect(await page.read()).toMatchObject({ times: [newest, late], oldest: late });

  const refused = await page.keep('One more');
  expect([refused.status, refused.body.code, refused.body.error]).toEqual([
    403,
    'QUOTA_EXCEEDED',
    'The history of this owner’s pages takes a quarter of their storage, which is the limit. Delete moments with a name first.',
  ]);
  expect((await page.remove(late)).status).toBe(200);
  expect((await page.keep('Fits again')).status).toBe(201);
});
