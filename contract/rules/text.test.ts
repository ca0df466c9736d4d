import { expect, test } from 'bun:test';
import { characterCount, isStorable, withCommas } from './text.ts';

test('an emoji counts as one character', () => {
  expect(characterCount('a😀b')).toBe(3);
  expect(characterCount('')).toBe(0);
});

test('NUL and unpaired surrogates cannot be stored', () => {
  expect(isStorable('plain 😀')).toBe(true);
  expect(isStorable('a\0')).toBe(false);
  expect(isStorable('\ud83d')).toBe(false);
  expect(isStorable('\ude00x')).toBe(false);
});

test('writes whole numbers as English does', () => {
  for (const value of [0, 7, 999, 1_000, 12_345, 100_000, 1_000_000, -1_234_567, Number.MAX_SAFE_INTEGER]) {
    expect(withCommas(value)).toBe(value.toLocaleString('en'));
  }
});
