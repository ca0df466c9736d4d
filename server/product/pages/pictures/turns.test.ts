import { expect, test } from 'bun:test';
import { Turns } from './turns.ts';

const all = (turns: Turns) => {
  const pages: number[] = [];
  for (let turn = turns.take(); turn; turn = turns.take()) pages.push(turn.pageId);
  return pages;
};

test('owners take turns, however many pages each has', () => {
  const turns = new Turns({ pages: 10, perOwner: 5 });
  for (const page of [11, 12, 13]) turns.add(1, page);
  turns.add(2, 21);
  turns.add(3, 31);
  expect(all(turns)).toEqual([11, 21, 31, 12, 13]);
  expect(turns.take()).toBeUndefined();
});

test('a page waits once', () => {
  const turns = new Turns({ pages: 10, perOwner: 5 });
  for (const page of [1, 2, 1, 1]) expect(turns.add(7, page)).toBe(true);
  expect(all(turns)).toEqual([1, 2]);
});

test('refuses pages past the limits, and takes more when some had their turn', () => {
  const turns = new Turns({ pages: 3, perOwner: 2 });
  expect([turns.add(1, 1), turns.add(1, 2), turns.add(1, 3)]).toEqual([true, true, false]);
  expect([turns.add(2, 4), turns.add(3, 5)]).toEqual([true, false]);
  turns.take();
  expect(turns.add(3, 5)).toBe(true);
});
