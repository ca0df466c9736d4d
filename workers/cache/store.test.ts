import { expect, test } from 'bun:test';
import { ENTRY_PART, type Entry, MAX_ENTRIES, Store } from './store.ts';

const entry = (bytes: number, expiresAt = Number.POSITIVE_INFINITY): Entry => ({
  ...{ status: 200, statusText: 'OK', headers: new Headers(), storedAt: 0, expiresAt },
  body: new Uint8Array(bytes),
});
const KILOBYTE = 1_024;

test('forgets what has expired', () => {
  const store = new Store(100 * KILOBYTE);
  store.put('a', entry(1, 1_000));
  expect(store.get('a', 999)).toBeDefined();
  expect(store.get('a', 1_000)).toBeUndefined();
  expect(store.size).toBe(0);
  store.put('a', entry(1, 1_000));
  expect([store.delete('a', 1_000), store.size]).toEqual([false, 0]);
});

test('says whether it deleted something', () => {
  const store = new Store(100 * KILOBYTE);
  store.put('a', entry(1));
  expect([store.delete('a', 0), store.delete('a', 0)]).toEqual([true, false]);
});

test('drops what was not used for longest when it is full', () => {
  // Each takes up 11 KB and the two bytes of its key.
  const store = new Store(44 * KILOBYTE + 8);
  for (const key of ['a', 'b', 'c', 'd']) expect(store.put(key, entry(9 * KILOBYTE))).toBe(true);
  store.get('a', 0);
  store.put('e', entry(9 * KILOBYTE));
  store.put('e', entry(9 * KILOBYTE));
  const kept = ['a', 'b', 'c', 'd', 'e'].filter((key) => store.get(key, 0));
  expect(kept).toEqual(['a', 'c', 'd', 'e']);
});

test('accepts a response of a quarter of its bytes, and refuses a byte more', () => {
  const store = new Store(ENTRY_PART * 10 * KILOBYTE);
  const most = 8 * KILOBYTE - 2;
  expect(store.put('a', entry(most))).toBe(true);
  expect(store.put('a', entry(most + 1))).toBe(false);
  expect(store.get('a', 0)?.body.byteLength).toBe(most);
});

test('counts keys and headers', () => {
  const store = new Store(ENTRY_PART * 10 * KILOBYTE);
  expect(store.put('k'.repeat(5 * KILOBYTE), entry(0))).toBe(false);
  expect(store.put('a', { ...entry(0), headers: new Headers({ x: 'y'.repeat(5 * KILOBYTE) }) })).toBe(false);
});

test('has a limit for the number of responses', () => {
  const store = new Store(1_000 * MAX_ENTRIES * KILOBYTE);
  for (let i = 0; i <= MAX_ENTRIES; i++) store.put(`${i}`, entry(0));
  expect([store.size, store.get('0', 0), store.get('1', 0)?.status]).toEqual([MAX_ENTRIES, undefined, 200]);
});

test('bounds what it receives, of one response and of all', () => {
  const store = new Store(40);
  const one = store.receive();
  expect([one.reserve(10), one.reserve(1)]).toEqual([true, false]);
  const others = [store.receive(), store.receive(), store.receive()];
  expect(others.map((other) => other.reserve(10))).toEqual([true, true, true]);
  const last = store.receive();
  expect(last.reserve(1)).toBe(false);
  one.release();
  one.release();
  expect([last.reserve(10), last.reserve(1)]).toEqual([true, false]);
});
