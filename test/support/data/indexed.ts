import { expect } from 'bun:test';
import { waitUntil } from '../server.ts';

/** A collection with indexes and a search while they are built, and what its lists must then be. */

/** A request with the token of an owner. */
export type Ask = (
  method: string,
  path: string,
  options?: { body?: unknown },
  // biome-ignore lint/suspicious/noExplicitAny: tests read results of any shape
) => Promise<{ status: number; body: any }>;

const FIELDS = {
  title: { type: 'string' },
  status: { type: 'string' },
  price: { type: 'number' },
  pad: { type: 'string' },
};
const STATUSES = ['open', 'done', 'late'];
const WORDS = 40;
/** No word is the beginning of another one. */
const makeWord = (n: number) => `word${WORDS + (Math.floor(n) % WORDS)}`;

export const makeOrder = (n: number) => ({
  title: `Order of ${makeWord(n)}`,
  status: STATUSES[Math.floor(n) % 3],
  price: ((n * 7_919) % 10_007) + n / 1e6,
  pad: 'p'.repeat(200),
});

export async function fillOrders(ask: Ask, path: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    const operations = Array.from({ length: 100 }, (_, n) => ({ op: 'create', data: makeOrder(from + n) }));
    expect((await ask('POST', `${path}/batch`, { body: { operations } })).status).toBe(200);
  }
}

/** Sets or removes the indexes and the search of a collection. */
export async function setIndexes(ask: Ask, path: string, isIndexed = true): Promise<void> {
  const indexed = isIndexed ? { indexes: ['status', 'price'], search: ['title'] } : {};
  const put = await ask('PUT', `${path}/schema`, { body: { schema: { fields: FIELDS, ...indexed } } });
  expect(put.status).toBe(200);
}

/** How far the indexes and the search of a collection are. */
export async function readProgress(ask: Ask, path: string): Promise<{ isReady: boolean; percent: number }> {
  const { body } = await ask('GET', `${path}/schema`);
  const indexes = [...(body.indexes ?? []), ...(body.search ? [body.search] : [])] as {
    state: string;
    percent?: number;
  }[];
  return {
    isReady: indexes.length === 3 && indexes.every(({ state }) => state === 'ready'),
    percent: Math.min(100, ...indexes.map(({ percent = 100 }) => percent)),
  };
}

export const untilReady = (ask: Ask, path: string) =>
  waitUntil(async () => (await readProgress(ask, path)).isReady);

interface Order {
  id: string;
  data: ReturnType<typeof makeOrder>;
}

/** Reads all orders, and checks that filtered, ordered and searched lists and their totals follow from them. */
export async function assertIndexed(ask: Ask, path: string): Promise<Order[]> {
  const all = await readOrders(ask, path, {});
  for (const status of STATUSES) {
    const expected = all
      .filter(({ data }) => data.status === status)
      .toSorted((a, b) => a.data.price - b.data.price);
    const where = JSON.stringify({ status });
    const found = await readOrders(ask, path, { where, orderBy: 'data.price', order: 'asc' });
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    const count = await ask('GET', `${path}/count?${new URLSearchParams({ where })}`);
    expect(count.body).toEqual({ count: expected.length });
  }
  const range = JSON.stringify({ price: { gte: 1_000, lt: 5_000 } });
  const within = all.filter(({ data: { price } }) => price >= 1_000 && price < 5_000).map(({ id }) => id);
  const found = await readOrders(ask, path, { where: range });
  expect(found.map(({ id }) => id).toSorted()).toEqual(within.toSorted());
  for (let n = 0; n < WORDS; n += 13) await assertFound(ask, path, all, makeWord(n));
  return all;
}

/** Checks that the orders with a word in their title are found, and no others. */
export async function assertFound(ask: Ask, path: string, all: Order[], q: string): Promise<void> {
  const expected = all.filter(({ data }) => data.title.includes(q)).map(({ id }) => id);
  const found = await readOrders(ask, path, { q });
  expect([q, found.map(({ id }) => id).toSorted()]).toEqual([q, expected.toSorted()]);
  const count = await ask('GET', `${path}/count?${new URLSearchParams({ q })}`);
  expect(count.body).toEqual({ count: expected.length });
}

async function readOrders(ask: Ask, path: string, query: Record<string, string>): Promise<Order[]> {
  const orders: Order[] = [];
  for (;;) {
    const part = new URLSearchParams({ ...query, limit: '100', offset: String(orders.length) });
    const { status, body } = await ask('GET', `${path}?${part}`);
    expect(status).toBe(200);
    orders.push(...body.records);
    if (!body.hasMore) {
      expect(body.total).toBe(orders.length);
      return orders;
    }
  }
}
