import { expect, test } from 'bun:test';
import { Windows } from './windows.ts';

const HOUR = 3_600_000;

test('counts in a window that starts with the first point', () => {
  const windows = new Windows(100, 10);
  expect(windows.add('ada', 0)).toEqual({ count: 1, msBeforeNext: 100 });
  expect(windows.add('ada', 99)).toEqual({ count: 2, msBeforeNext: 1 });
  windows.subtract('ada', 99);
  expect(windows.add('ada', 99)).toEqual({ count: 2, msBeforeNext: 1 });
  expect(windows.add('ada', 100)).toEqual({ count: 1, msBeforeNext: 100 });
  // A point of an earlier window is not taken from this one.
  windows.subtract('bob', 0);
  expect(windows.add('bob', 0).count).toBe(1);
});

test('forgets windows that have ended', () => {
  const windows = new Windows(100, 1_000);
  for (let key = 0; key < 500; key++) windows.add(String(key), 0);
  windows.add('0', 100);
  expect(windows.size).toBe(1);
});

test('a hundred thousand keys of strangers take no more space, and reset no counter that has more points', () => {
  const windows = new Windows(HOUR, 1_000);
  for (let point = 0; point < 5; point++) windows.add('victim', 0);
  for (let key = 0; key < 100_000; key++) windows.add(`stranger ${key}`, 1);
  expect(windows.size).toBeLessThanOrEqual(1_000);
  expect(windows.add('victim', 2).count).toBe(6);
});

test('of keys with about as many points, the oldest goes first', () => {
  const windows = new Windows(HOUR, 4);
  for (const key of ['a', 'b', 'b', 'c', 'd', 'e']) windows.add(key, 0);
  expect(windows.size).toBe(4);
  expect(windows.add('b', 1).count).toBe(3);
  expect(windows.add('c', 1).count).toBe(2);
  // The key `a` was forgotten, and takes the place of the oldest that has one point.
  expect(windows.add('a', 1).count).toBe(1);
  expect(windows.add('e', 1).count).toBe(2);
  expect(windows.add('d', 1).count).toBe(1);
});
