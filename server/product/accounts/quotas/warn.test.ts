import { expect, test } from 'bun:test';
import { chooseLevel } from './warn.ts';

test.each([
  [0, 79.9, 0],
  [0, 80, 80],
  [0, 94.9, 80],
  [0, 95, 95],
  [0, 200, 95],
  [80, 95, 95],
  [95, 85, 95],
  [95, 75, 95],
  [80, 74.9, 0],
  [95, 0, 0],
])('who was warned at %p and uses %p percent was warned at %p afterwards', (warned, percent, after) => {
  expect(chooseLevel(warned, percent)).toBe(after);
});
