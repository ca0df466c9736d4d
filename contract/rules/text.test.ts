import { expect, test } from 'bun:test';
import { characterCount, isStorable } from './text.ts';

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
