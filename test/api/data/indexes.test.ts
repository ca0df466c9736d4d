import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { waitUntil } from '../../support/server.ts';

/** Indexes on fields of collections: who can set them, which there can be, and when they go. */

let quire: TestApp;
let owner: TestUser;
let visitor: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  visitor = await quire.user('visitor');
});
afterAll(() => quire.stop());

const TEXT = { type: 'string' };
const base = ({ id }: PublishedPage, rest = '') => `/api/pages/${id}/social-data/orders${rest}`;
const putSchema = (page: PublishedPage, schema: object, by = owner) =>
  by.call('PUT', base(page, '/schema'), { body: { schema } });
const publish = () => owner.publish({ storage_mode: 'social_app' });
const isReady = async (page: PublishedPage) => {
  const { body } = await owner.call('GET', base(page, '/schema'));
  return body.indexes?.length > 0 && body.indexes.every(({ state }: { state: string }) => state === 'ready');
};
async function fill(page: PublishedPage, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < count; from += 100) {
    const operations = Array.from({ length: Math.min(100, count - from) }, (_, at) => ({
      op: 'create',
      data: { status: (from + at) % 2 ? 'open' : 'done', title: `${from + at}`, pad: 'p'.repeat(600) },
    }));
    const { body } = await owner.call('POST', base(page, '/batch'), { body: { operations } });
    ids.push(...body.results.map(({ record }: { record: { id: string } }) => record.id));
  }
  return ids;
}
const list = async (page: PublishedPage, query: Record<string, string>) =>
  (await owner.call('GET', base(page, `?${new URLSearchParams(query)}`))).body;
test.each([
  [['missing'], 'schema.indexes.0'],
  [['list'], 'schema.indexes.0'],
  [['object'], 'schema.indexes.0'],
  [['title', 'title'], 'schema.indexes.1'],
  [['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'], 'schema.indexes'],
  [['it"s'], 'schema.indexes.0'],
])('refuses the indexes %p and names the place', async (indexes, path) => {
  const page = await publish();
  const letters = Object.fromEntries([...'abcdefghi'].map((name) => [name, TEXT]));
  const fields = {
    ...{ ...letters, title: TEXT, list: { type: 'array', items: TEXT }, 'it"s': TEXT },
    object: { type: 'object', properties: { inner: TEXT } },
  };
  const { status, body } = await putSchema(page, { fields, indexes });
  expect(status).toBe(400);
  expect(body.details.map((fault: { path: string }) => fault.path)).toContain(path);
  const eight = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'object.inner'];
  const allowed = await putSchema(page, { fields, indexes: eight });
  expect([allowed.status, allowed.body.schema.indexes]).toEqual([200, eight]);
  expect(allowed.body.indexes.map(({ field }: { field: string }) => field)).toEqual(eight);
});

test('only the owner sets indexes, and whoever can read the collection sees their state', async () => {
  const page = await publish();
  const schema = { fields: { title: TEXT }, indexes: ['title'] };
  expect((await putSchema(page, schema, visitor)).status).toBe(403);
  expect((await quire.call('PUT', base(page, '/schema'), { body: { schema } })).status).toBe(401);
  expect((await putSchema(page, schema)).status).toBe(200);
  await waitUntil(() => isReady(page));
  const seen = await visitor.call('GET', base(page, '/schema'));
  expect(seen.body.indexes).toEqual([{ field: 'title', state: 'ready' }]);
  // A schema without indexes says nothing about them.
  await putSchema(page, { fields: { title: TEXT } });
  expect((await visitor.call('GET', base(page, '/schema'))).body).not.toHaveProperty('indexes');
});

test('a list comes from the entries of the index, once it is ready', async () => {
  const page = await publish();
  await fill(page, 500);
  await putSchema(page, { fields: { status: TEXT }, indexes: ['status'] });
  await waitUntil(() => isReady(page));
  const open = { where: '{"status":"open"}' };
  expect((await list(page, open)).total).toBe(250);
  // Without its entries, an index has no records: so it is used, and only where it should be.
  const some = `record_id in (select id from records where collection_id =
    (select id from collections where page_id = ${page.id}))`;
  await runSql(quire, `delete from record_index_entries where ${some}`);
  expect((await list(page, open)).records).toEqual([]);
  expect((await list(page, { where: '{"title":"7"}' })).total).toBe(1);
});

test('the entries of a dropped index, and of a deleted page, are removed', async () => {
  const page = await publish();
  const ofPage = async () => {
    const rows = await readSql<{ count: number }>(
      quire,
      `select (select count(*) from record_index_entries where index_id >= ${first})
        + (select count(*) from record_index_blocks where index_id >= ${first}) as count`,
    );
    return Number(rows[0]?.count);
  };
  const [newest] = await readSql<{ id: number }>(quire, 'select max(id) as id from record_indexes');
  const first = Number(newest?.id) + 1;
  await fill(page, 300);
  const fields = { status: TEXT, title: TEXT };
  await putSchema(page, { fields, indexes: ['status', 'title'] });
  await waitUntil(() => isReady(page));
  expect(await ofPage()).toBe(602);
  await putSchema(page, { fields, indexes: ['title'] });
  quire.advance(61_000);
  await putSchema(page, { fields, indexes: ['title'], strict: false });
  await waitUntil(async () => (await ofPage()) === 301);
  expect((await owner.call('DELETE', `/api/pages/${page.id}`)).status).toBeLessThan(300);
  quire.advance(61_000);
  const other = await publish();
  await putSchema(other, { fields: {} });
  await waitUntil(async () => (await ofPage()) === 0);
});

test('a fork builds the indexes of its own records', async () => {
  const page = await publish();
  await putSchema(page, { fields: { status: TEXT }, indexes: ['status'] });
  const { body: fork } = await owner.call('POST', `/api/pages/${page.id}/fork`, { body: {} });
  await fill(fork.page ?? fork, 300);
  await waitUntil(() => isReady(fork.page ?? fork));
  expect((await list(fork.page ?? fork, { where: '{"status":"open"}' })).total).toBe(150);
  expect((await list(page, { where: '{"status":"open"}' })).total).toBe(0);
});

test('counts follow many values, and blocks that are divided', async () => {
  const page = await publish();
  await putSchema(page, { fields: { status: TEXT, title: TEXT }, indexes: ['status', 'title'] });
  const ids = await fill(page, 6_000);
  await waitUntil(() => isReady(page));
  const [blocks] = await readSql<{ count: number }>(
    quire,
    `select count(*) as count from record_index_blocks where index_id in (select id from record_indexes
      where field = 'title' and collection_id = (select id from collections where page_id = ${page.id}))`,
  );
  expect(Number(blocks?.count)).toBeGreaterThan(2);
  for (const id of ids.slice(0, 40)) await owner.call('DELETE', base(page, `/${id}`));
  expect((await list(page, { where: '{"status":"open"}' })).total).toBe(2_980);
  const kept = Array.from({ length: 6_000 }, (_, at) => String(at)).slice(40);
  for (const from of ['0', '2', '33', '5', '9'])
    expect((await list(page, { where: JSON.stringify({ title: { gte: from } }) })).total).toBe(
      kept.filter((title) => title >= from).length,
    );
  // More records than are gathered: the newest of them, with a condition on another field.
  const found = await list(page, { where: '{"status":{"ne":"x"},"pad":{"contains":"p"}}', limit: '3' });
  expect([found.total, found.records.map((one: { id: string }) => one.id)]).toEqual([
    5_960,
    ids.slice(-3).reverse(),
  ]);
}, 240_000);

test('a write by a version that does not know indexes lets them be built again', async () => {
  const page = await publish();
  const ids = await fill(page, 500);
  await putSchema(page, { fields: { status: TEXT }, indexes: ['status'] });
  await waitUntil(() => isReady(page));
  const collection = `(select id from collections where page_id = ${page.id})`;
  const data = JSON.stringify({ status: 'lost' });
  await runSql(
    quire,
    `update records set data = '${data}' where collection_id = ${collection} and id = '${ids[0]}'`,
  );
  await runSql(
    quire,
    `update record_counts set updated_at = updated_at + 1 where collection_id = ${collection}`,
  );
  // Not used from then on, and built again a while after it was built.
  expect((await list(page, { where: '{"status":"lost"}' })).total).toBe(1);
  quire.advance(11 * 60_000);
  expect((await list(page, { where: '{"status":"lost"}' })).total).toBe(1);
  await owner.call('PATCH', base(page, `/${ids[1]}`), { body: { data: { status: 'lost' } } });
  await waitUntil(() => isReady(page));
  expect((await list(page, { where: '{"status":"lost"}' })).total).toBe(2);
});

test('a restored record is in the index again', async () => {
  const page = await publish();
  const [id = ''] = await fill(page, 400);
  await putSchema(page, { fields: { status: TEXT }, indexes: ['status'] });
  await waitUntil(() => isReady(page));
  const all = (await list(page, { where: '{"status":"done"}' })).total;
  quire.advance(10);
  await owner.call('DELETE', base(page, `/${id}`));
  expect((await list(page, { where: '{"status":"done"}' })).total).toBe(all - 1);
  const { body } = await owner.call('GET', base(page, `/${id}/history`));
  await owner.call('POST', base(page, `/${id}/restore`), { body: { at: body.changes[0].at } });
  expect((await list(page, { where: '{"status":"done"}' })).total).toBe(all);
});

test('lists of long texts with the same beginning are in order, also after a record that does not match', async () => {
  const page = await publish();
  await putSchema(page, { fields: { text: TEXT, n: { type: 'number' } }, indexes: ['text'] });
  // More than a statement can name one by one, and more than are sorted without the readers for slow queries.
  const count = 700;
  const ids: string[] = [];
  for (let from = 0; from < count; from += 100) {
    const operations = Array.from({ length: 100 }, (_, at) => ({
      op: 'create',
      data: { text: 'l'.repeat(301) + String(count - from - at).padStart(3, '0'), n: from + at },
    }));
    const { body } = await owner.call('POST', base(page, '/batch'), { body: { operations } });
    ids.push(...body.results.map(({ record }: { record: { id: string } }) => record.id));
  }
  await waitUntil(() => isReady(page));
  const numbers = async (query: Record<string, string>) => {
    const { records } = await list(page, { orderBy: 'data.text', order: 'asc', limit: '3', ...query });
    return records.map(({ data }: { data: { n: number } }) => data.n);
  };
  expect(await numbers({})).toEqual([699, 698, 697]);
  expect(await numbers({ offset: '500' })).toEqual([199, 198, 197]);
  expect(await numbers({ after: ids[650] as string })).toEqual([649, 648, 647]);
  const where = JSON.stringify({ n: { lt: 600 } });
  expect(await numbers({ where, after: ids[650] as string })).toEqual([599, 598, 597]);
  expect(await numbers({ where, after: ids[50] as string, offset: '1' })).toEqual([48, 47, 46]);
});

test('an index that cannot be built does not keep those of others from being built', async () => {
  const [broken, other] = [await publish(), await publish()];
  for (const page of [broken, other]) await fill(page, 1);
  const collection = `(select id from collections where page_id = ${broken.id})`;
  await runSql(quire, `update records set text = '{' where collection_id = ${collection}`);
  for (const page of [broken, other]) await putSchema(page, { fields: { title: TEXT }, indexes: ['title'] });
  await waitUntil(() => isReady(other));
  expect(await isReady(broken)).toBe(false);
  await putSchema(broken, { fields: { title: TEXT } });
});

test('the entries of indexes do not count towards the quota, so a full account can build them', async () => {
  const small = await testApp({ QUIRE_QUOTA_BYTES: '200000' });
  const one = await small.user('one');
  const orders = `/api/pages/${(await one.publish({ storage_mode: 'social_app' })).id}/social-data/orders`;
  const fields = { status: TEXT, title: TEXT };
  await one.call('PUT', `${orders}/schema`, { body: { schema: { fields, indexes: ['title'] } } });
  const add = (count: number) => {
    const create = { op: 'create', data: { status: 'open', title: 'x' } };
    return one.call('POST', `${orders}/batch`, { body: { operations: Array(count).fill(create) } });
  };
  while ((await add(100)).status === 200);
  const schema = { fields, indexes: ['status'] };
  expect((await one.call('PUT', `${orders}/schema`, { body: { schema } })).status).toBe(200);
  while ((await add(1)).status === 200);
  const readUsage = () => readSql(small, `select bytes from usage where user_id = ${one.id}`);
  const used = await readUsage();
  await waitUntil(async () => (await one.call('GET', `${orders}/schema`)).body.indexes[0].state === 'ready');
  const built = await readSql<{ built: number }>(
    small,
    "select built from record_indexes where field = 'status'",
  );
  expect([Number(built[0]?.built) > 0, await readUsage()]).toEqual([true, used]);
  await small.stop();
});
