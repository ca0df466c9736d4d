import { expect, test } from 'bun:test';
import { toTimestamp } from './timestamp.ts';

const DAY_MS = 24 * 3600 * 1000;

test('a time is written as JavaScript writes it', () => {
  const edges = [
    0,
    1,
    999,
    1000,
    59_999,
    3_599_999,
    DAY_MS - 1,
    DAY_MS,
    Date.UTC(2028, 1, 29, 23, 59, 59, 999),
  ];
  const far = [-1, -DAY_MS, Date.UTC(9999, 11, 31), 8.64e15, -8.64e15];
  const many = Array.from({ length: 2000 }, (_, n) => 1_700_000_000_000 + n * 86_437_123);
  for (const time of [...edges, ...far, ...many])
    expect(toTimestamp(time)).toBe(new Date(time).toISOString());
});

test('a time that is not a number is refused, also after a valid one', () => {
  toTimestamp(0);
  expect(() => toTimestamp(Number.NaN)).toThrow(RangeError);
  expect(toTimestamp(0)).toBe('1970-01-01T00:00:00.000Z');
});
