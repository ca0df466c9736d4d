import { expect, test } from 'bun:test';
import { updateTimes } from './times.ts';

test('files that ran get their time, the others keep theirs, and short ones are left out', () => {
  const known = { 'a.test.ts': 5_000, 'b.test.ts': 4_000, 'c.test.ts': 3_000 };
  const ran = new Map([
    ['b.test.ts', { milliseconds: 8_040 }],
    ['c.test.ts', { milliseconds: 400 }],
    ['d.test.ts', { milliseconds: 1_000 }],
  ]);
  expect(Object.entries(updateTimes(known, ran))).toEqual([
    ['b.test.ts', 8_000],
    ['a.test.ts', 5_000],
    ['d.test.ts', 1_000],
  ]);
});
