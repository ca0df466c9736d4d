import { expect, test } from 'bun:test';
import { KeptBytes } from './kept-bytes.ts';

const LIMITS = { total: 160, share: 40 };

/** Keeps something for one reader. Returns whether that was possible. */
const add = (kept: KeptBytes, share: number, bytes: number, source: string) =>
  kept.keep(share).resize(bytes, [source]);

test('one reader can have a quarter of a share, and not a byte more', () => {
  const kept = new KeptBytes(LIMITS);
  const first = kept.keep(1);
  expect(first.resize(10, ['a'])).toBe(true);
  expect(add(kept, 1, 1, 'a')).toBe(false);
  expect(add(kept, 2, 10, 'a')).toBe(true);
  expect(first.resize(11, ['a'])).toBe(false);
  expect(first.resize(7, ['a'])).toBe(true);
  expect(add(kept, 1, 4, 'a')).toBe(false);
  expect(add(kept, 1, 3, 'a')).toBe(true);
});

test('one reader can have a quarter of everything, and not a byte more', () => {
  const kept = new KeptBytes(LIMITS);
  for (const share of [1, 2, 3, 4]) expect(add(kept, share, 10, 'a')).toBe(true);
  expect(add(kept, 5, 1, 'a')).toBe(false);
  expect(add(kept, 5, 1, 'b')).toBe(true);
});

test('one share can have its part, and not a byte more', () => {
  const kept = new KeptBytes(LIMITS);
  for (const source of 'abcd') expect(add(kept, 1, 10, source)).toBe(true);
  expect(add(kept, 1, 1, 'e')).toBe(false);
  expect(add(kept, 2, 1, 'e')).toBe(true);
});

test('all shares together can have the total, and what has ended counts no more', () => {
  const kept = new KeptBytes(LIMITS);
  const last = kept.keep(4);
  for (const share of [1, 2, 3]) for (const n of [1, 2, 3, 4]) add(kept, share, 10, `${share}${n}`);
  for (const n of [1, 2, 3]) expect(add(kept, 4, 10, `4${n}`)).toBe(true);
  expect(last.resize(10, ['44'])).toBe(true);
  expect(add(kept, 5, 1, 'new')).toBe(false);
  last.end();
  last.end();
  expect(add(kept, 5, 11, 'new')).toBe(false);
  expect(add(kept, 5, 10, 'new')).toBe(true);
});

test('what several read counts for one who has room', () => {
  const kept = new KeptBytes(LIMITS);
  const shared = kept.keep(1);
  expect(shared.resize(4, ['full', 'other'])).toBe(true);
  expect(add(kept, 1, 6, 'full')).toBe(true);
  expect(shared.resize(5, ['full', 'full'])).toBe(false);
  expect(shared.resize(5, ['full', 'other'])).toBe(true);
  expect(add(kept, 1, 4, 'full')).toBe(true);
  expect(add(kept, 1, 6, 'other')).toBe(false);
  expect(add(kept, 1, 5, 'other')).toBe(true);
});
