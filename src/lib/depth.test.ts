import { expect, test } from 'bun:test';
import { isDeeper } from './depth.ts';

const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test.each([
  [1, 0, false],
  ['text', 0, false],
  [{ a: [1, 2, { b: null }] }, 3, false],
  [{ a: [1, 2, { b: null }] }, 2, true],
])('%j has more than %d levels: %p', (value, levels, expected) => {
  expect(isDeeper(value, levels as number)).toBe(expected as boolean);
});

test('a level more is one too many, and a great many more are no trouble', () => {
  expect(isDeeper(nested(100), 100)).toBe(false);
  expect(isDeeper(nested(101), 100)).toBe(true);
  expect(isDeeper(nested(200_000), 100)).toBe(true);
});
