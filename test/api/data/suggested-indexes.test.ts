import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';

/** Owners learn which indexes would make slow lists fast. */

const SCHEMA = {
  fields: { status: { type: 'string' }, price: { type: 'number' }, pad: { type: 'string' } },
};
/** Together they are so large that reading all of them is slow. */
const [RECORDS, LETTERS, AT_ONCE] = [90, 200_000, 15];

let quire: TestApp;
let owner: TestUser;
let visitor: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  visitor = await quire.user('visitor');
});
afterAll(() => quire.stop());

const orders = (page: PublishedPage) => `/api/pages/${page.id}/social-data/orders`;

async function publish(records: number): Promise<PublishedPage> {
  const page = await owner.publish({ storage_mode: 'social_app' });
  await owner.call('PUT', `${orders(page)}/schema`, { body: { schema: SCHEMA } });
  for (let from = 0; from < records; from += AT_ONCE) {
    const operations = Array.from({ length: AT_ONCE }, (_, n) => ({
      op: 'create',
      data: { status: n % 2 ? 'open' : 'done', price: from + n, pad: 'p'.repeat(LETTERS) },
    }));
    expect((await owner.call('POST', `${orders(page)}/batch`, { body: { operations } })).status).toBe(200);
  }
  return page;
}

const list = async (page: PublishedPage, query: Record<string, string>, rest = '') => {
  const answer = await visitor.call('GET', `${orders(page)}${rest}?${new URLSearchParams({ ...query })}`);
  expect(answer.status).toBe(200);
};
const inSpec = async (page: PublishedPage, user: TestUser) =>
  (await user.call('GET', `/api/pages/${page.id}/agent-spec`)).body.schemas[0].suggestedIndexes;
const inSchema = async (page: PublishedPage, user: TestUser) =>
  (await user.call('GET', `${orders(page)}/schema`)).body.suggestedIndexes;

test('a field by which a large collection was read is suggested to the owner until it has an index', async () => {
  const page = await publish(RECORDS);
  await list(page, { limit: '1' });
  await list(page, { limit: '1', orderBy: 'updated_at' });
  await list(page, { limit: '1', where: '{"pad":{"contains":"x"}}' });
  await list(page, { limit: '1', where: '{"unknown":1}' });
  await list(page, { limit: '1', where: '{"status":"open"}', mine: 'true' });
  expect(await inSpec(page, owner)).toBeUndefined();

  await list(page, { where: '{"status":"open"}' }, '/count');
  expect(await inSpec(page, owner)).toEqual(['status']);
  await list(page, { limit: '1', orderBy: 'data.price', where: '{"pad":{"contains":"x"}}' });
  expect(await inSpec(page, owner)).toEqual(['price', 'status']);
  expect(await inSchema(page, owner)).toEqual(['price', 'status']);
  expect([await inSpec(page, visitor), await inSchema(page, visitor)]).toEqual([undefined, undefined]);

  const schema = { ...SCHEMA, indexes: ['price'] };
  const put = await owner.call('PUT', `${orders(page)}/schema`, { body: { schema } });
  expect(put.body.suggestedIndexes).toEqual(['status']);
});

test('nothing is suggested for a small collection', async () => {
  const page = await publish(AT_ONCE);
  await list(page, { limit: '1', where: '{"status":"open"}', orderBy: 'data.price' });
  expect(await inSpec(page, owner)).toBeUndefined();
});
