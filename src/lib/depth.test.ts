import { expect, test } from 'bun:test';
import { isDeeper } from './depth.ts';

const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test.each([
  [1, 0, false],
  ['text', 0, false],
  [{ a: [1, 2, { b: null }] }, 2, false],
  [{ a: [1, 2, { b: null }] }, 1, true],
  [nested(101), 100, false],
  [nested(102), 100, true],
  [nested(200_000), 100, true],
])('%p', (value, levels, expected) => {
  expect(isDeeper(value, levels as number)).toBe(expected as boolean);
});
