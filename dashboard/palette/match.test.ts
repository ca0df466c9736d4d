import { expect, test } from 'bun:test';
import { match } from './match.ts';

const order = (query: string, texts: string[]) =>
  texts
    .flatMap((text) => {
      const found = match(text, query);
      return found ? [{ text, ...found }] : [];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ text }) => text);

test('the whole text comes first, then the start of a word, a part of a word, and scattered letters', () => {
  expect(order('page', ['p-a-g-e', 'homepage', 'New page', 'Page', 'Function'])).toEqual([
    'Page',
    'New page',
    'homepage',
    'p-a-g-e',
  ]);
});

test('words fit in any order, and all of them must', () => {
  expect(match('Team wall', 'wall te')).toBeDefined();
  expect(match('Team wall', 'wall x')).toBeUndefined();
  expect(match('Team wall', '')).toEqual({ score: 0, letters: new Set(), isScattered: false });
});

test('marks the letters that fit', () => {
  expect([...(match('Guest book', 'book')?.letters ?? [])]).toEqual([6, 7, 8, 9]);
  expect([...(match('guestbook', 'gsb')?.letters ?? [])]).toEqual([0, 3, 5]);
});

test('letters that are far apart do not fit', () => {
  expect(match('a very long text about bees and their combs', 'abc')).toBeUndefined();
});
