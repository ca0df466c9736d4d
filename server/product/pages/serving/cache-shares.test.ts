import { expect, test } from 'bun:test';
import { createCacheShares } from './cache-shares.ts';

const page = (id: number, owner: number, size: number) => ({
  id,
  access: { owner_id: owner },
  size,
  isUsed: false,
});

function makeCache(maxBytes: number) {
  const removed: number[] = [];
  const cache = createCacheShares<ReturnType<typeof page>>(({ id }) => removed.push(id), maxBytes);
  return { cache, removed };
}

test('an owner can use everything that nobody else needs', () => {
  const { cache, removed } = makeCache(400);
  for (let id = 1; id <= 40; id++) cache.add(page(id, 1, 10));
  expect(cache.status()).toEqual({ pages: 40, bytes: 400 });
  cache.add(page(41, 1, 10));
  expect(removed).toEqual([1]);
  expect(cache.status()).toEqual({ pages: 40, bytes: 400 });
});

test('an owner above their share is evicted for others, and evicts nobody', () => {
  const { cache, removed } = makeCache(400);
  cache.add(page(1, 2, 10));
  for (let id = 100; id < 200; id++) cache.add({ ...page(id, 1, 10), isUsed: true });
  for (let id = 2; id <= 10; id++) cache.add(page(id, 2, 10));
  for (let id = 200; id < 300; id++) cache.add({ ...page(id, 1, 10), isUsed: true });
  for (let id = 1; id <= 10; id++) expect(cache.get(id)?.id).toBe(id);
  expect(removed.every((id) => id >= 100)).toBe(true);
  expect(cache.status().bytes).toBe(400);
});

test('within shares, the least recently used page is evicted first', () => {
  const { cache, removed } = makeCache(400);
  for (let id = 1; id <= 40; id++) cache.add({ ...page(id, id, 10), isUsed: id !== 7 });
  cache.add(page(41, 41, 10));
  expect(removed).toEqual([7]);
  cache.add(page(42, 42, 10));
  expect(removed).toEqual([7, 41]);
});

test('a page that is added again counts once, and a removed one does not count', () => {
  const { cache, removed } = makeCache(400);
  cache.add(page(1, 1, 300));
  cache.add(page(1, 1, 200));
  expect(cache.status()).toEqual({ pages: 1, bytes: 200 });
  cache.remove(1);
  cache.remove(1);
  expect(cache.status()).toEqual({ pages: 0, bytes: 0 });
  expect(removed).toEqual([1, 1]);
});
