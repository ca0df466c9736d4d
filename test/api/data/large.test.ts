import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, type DataPage, publishApp } from '../../support/data/data.ts';
import { readSql } from '../../support/engines/storage.ts';

/** A collection so large that SQLite scans it on a separate thread. */

const COUNT = 2_500;
const RECORDS = 'select cast(count(*) as integer) as records from records';
let quire: TestApp;
let owner: TestUser;
let page: DataPage;
let numbers: string;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  page = await publishApp(owner, 'social');
  numbers = `${page.address}/numbers`;
  for (let from = 0; from < COUNT; from += 100) {
    const operations = Array.from({ length: 100 }, (_, index) => {
      const n = from + index;
      return { op: 'create', data: { n, shuffled: (n * 7919) % COUNT, even: n % 2 === 0 } };
    });
    const { status } = await owner.call('POST', `${numbers}/batch`, { body: { operations } });
    if (status !== 200) throw new Error(`filling failed: ${status}`);
  }
});
afterAll(() => quire.stop());

const ns = async (query: string) => {
  const { body } = await quire.call('GET', `${numbers}?${query}`);
  return [body.total, body.records.map((record: { data: { n: number } }) => record.data.n)];
};

test('conditions, order and groups cover all of it', async () => {
  expect(await ns('limit=2')).toEqual([COUNT, [COUNT - 1, COUNT - 2]]);
  expect(await ns('where={"n":{"in":[1,2400]}}')).toEqual([2, [2400, 1]]);
  expect(await ns('where={"even":true,"n":{"lt":6}}&order=asc')).toEqual([3, [0, 2, 4]]);
  expect(await ns('orderBy=data.shuffled&order=asc&limit=3')).toEqual([
    COUNT,
    [0, 1, 2].map((wanted) =>
      Array.from({ length: COUNT }, (_, n) => n).find((n) => (n * 7919) % COUNT === wanted),
    ),
  ]);
  expect(await ns('offset=2400&order=asc&limit=2')).toEqual([COUNT, [2400, 2401]]);
  const groups = await quire.call('GET', `${numbers}/count?groupBy=even`);
  expect(groups.body).toEqual({
    count: COUNT,
    groups: [
      { value: false, count: COUNT / 2 },
      { value: true, count: COUNT / 2 },
    ],
  });
});

test('finds a record that was just written', async () => {
  await create(owner, numbers, { n: -1 });
  expect(await ns('where={"n":-1}')).toEqual([1, [-1]]);
});

test('answers many such queries at once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => quire.call('GET', `${numbers}?where={"n":${n}}`)),
  );
  expect(answers.map(({ body }) => body.total)).toEqual(Array.from({ length: 100 }, () => 1));
});

test('asks clients to try again when too many queries wait', async () => {
  const answers = await Promise.all(
    Array.from({ length: 600 }, (_, n) => quire.call('GET', `${numbers}?where={"n":${n}}`)),
  );
  const refused = answers.filter(({ status }) => status === 503);
  expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
  expect(refused.every(({ headers }) => headers.has('retry-after'))).toBe(true);
});

test('is deleted with its page by the owner, and nothing of it by anyone else', async () => {
  const stranger = await quire.user('stranger');
  expect((await stranger.call('DELETE', `/api/pages/${page.id}`)).status).toBe(403);
  const count = (await quire.call('GET', `${numbers}/count`)).body.count;
  expect(count).toBeGreaterThanOrEqual(COUNT);
  expect(await readSql(quire, RECORDS)).toEqual([{ records: count }]);
  expect((await owner.call('DELETE', `/api/pages/${page.id}`)).status).toBe(200);
  expect(await readSql(quire, RECORDS)).toEqual([{ records: 0 }]);
  const usage = `select pages, cast(bytes as integer) as bytes from usage where user_id = ${owner.id}`;
  expect(await readSql(quire, usage)).toEqual([{ pages: 0, bytes: 0 }]);
});
