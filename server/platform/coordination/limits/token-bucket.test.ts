import { expect, test } from 'bun:test';
import { TokenBucket } from './token-bucket.ts';

test('gives all at once, then as many as come back', () => {
  const bucket = new TokenBucket(20, 40);
  const taken = Array.from({ length: 41 }, () => bucket.take(1_000));
  expect(taken.slice(0, 40).every((wait) => wait === 0)).toBe(true);
  expect(taken[40]).toBe(50);
  expect(bucket.take(1_049)).toBe(1);
  expect(bucket.take(1_050)).toBe(0);
  expect(bucket.take(1_050)).toBe(50);
  expect(bucket.isFull(3_049)).toBe(false);
  expect(bucket.isFull(3_050)).toBe(true);
});

test('does not collect more than fits, and survives a clock that goes back', () => {
  const bucket = new TokenBucket(1, 2);
  expect([bucket.take(0), bucket.take(0), bucket.take(0)]).toEqual([0, 0, 1000]);
  expect([bucket.take(9e9), bucket.take(9e9), bucket.take(9e9)]).toEqual([0, 0, 1000]);
  expect(bucket.take(5)).toBe(1000);
});

test('gives a full bucket for more than fits, and lets it owe the rest', () => {
  const bucket = new TokenBucket(100, 200);
  expect(bucket.take(0, 500)).toBe(0);
  expect(bucket.take(0, 1)).toBe(3_010);
  expect(bucket.take(3_010, 1)).toBe(0);
});
