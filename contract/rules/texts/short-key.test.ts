import { expect, test } from 'bun:test';
import { SHORT_KEY_CHARACTERS, toShortKey } from './short-key.ts';

test('a short key has always the same length, and similar texts have different ones', () => {
  const texts = Array.from({ length: 5_000 }, (_, index) => `Page ${index}`);
  const keys = new Set([...texts, '', 'ä', '🙂'].map(toShortKey));
  expect([...keys].filter((key) => key.length !== SHORT_KEY_CHARACTERS)).toEqual([]);
  expect(keys.size).toBe(5_003);
});
