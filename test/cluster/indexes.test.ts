import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TwoNodes, twoNodes } from '../support/cluster/nodes.ts';
import {
  type Ask,
  assertIndexed,
  fillOrders,
  makeOrder,
  readProgress,
  setIndexes,
  untilReady,
} from '../support/data/indexed.ts';

/** Two nodes build the indexes and the search of a collection, and write to it meanwhile. */

let cluster: TwoNodes;
beforeAll(async () => {
  cluster = await twoNodes();
}, 120_000);
afterAll(() => cluster.stop());

const RECORDS = 2_000;

test('indexes and a search have what both nodes wrote while they were built', async () => {
  const owner = await cluster.a.user();
  const { id } = await owner.publish({ storage_mode: 'social_app' });
  const orders = `/api/pages/${id}/social-data/orders`;
  const askA: Ask = (method, path, options) => owner.call(method, path, options);
  const askB: Ask = (method, path, options) =>
    cluster.b.call(method, path, { token: owner.token, ...options });
  await fillOrders(askA, orders, RECORDS);
  const oldest = (await askA('GET', `${orders}?order=asc&limit=100`)).body.records as { id: string }[];
  await setIndexes(askA, orders);

  let writes = 0;
  const write = async (ask: Ask, from: number) => {
    for (let n = from; !(await readProgress(ask, orders)).isReady; n += 2) {
      const at = `${orders}/${oldest[n]?.id}`;
      // No two records have the same price, so that there is one order.
      const [data, changed] = [makeOrder(RECORDS + n), makeOrder(2 * RECORDS + n + 0.5)];
      const answers = await Promise.all([
        ask('POST', orders, { body: { data } }),
        ...(oldest[n] ? [n % 4 < 2 ? ask('DELETE', at) : ask('PATCH', at, { body: { data: changed } })] : []),
      ]);
      for (const { status } of answers) expect(status).toBeLessThan(300);
      writes++;
    }
  };
  await Promise.all([write(askA, 0), write(askB, 1)]);
  expect(writes).toBeGreaterThan(0);
  await untilReady(askB, orders);
  const [fromA, fromB] = [await assertIndexed(askA, orders), await assertIndexed(askB, orders)];
  expect(fromB).toEqual(fromA);
}, 120_000);
