import { expect, test } from 'bun:test';
import { fitLinks, fitScripts, isAddress, mayHoldMarkup } from './scripts.ts';

test('fits scripts to the length of a text, and has none for very short ones', () => {
  for (const maxLength of [200, 60, 40, 37]) {
    const [script] = fitScripts('qa12345678', { maxLength });
    expect(script?.text.length).toBeLessThanOrEqual(maxLength);
    expect(script?.text).toContain('onerror');
  }
  expect(fitScripts('qa12345678', { maxLength: 30 })).toEqual([]);
  expect(fitScripts('qa12345678', { minLength: 100 }).every(({ text }) => text.length >= 100)).toBe(true);
});

test('fits scripts to a pattern, and knows patterns that keep all markup out', () => {
  expect(fitScripts('qa12345678', { pattern: '^[0-9 +]{6,18}$' })).toEqual([]);
  expect(mayHoldMarkup('123 456', { pattern: '^[0-9 +]{6,18}$' })).toBe(false);
  expect(fitScripts('qa12345678', { pattern: '^[^ ]+$' }).every(({ text }) => !text.includes(' '))).toBe(
    true,
  );
  expect(fitScripts('qa12345678', { pattern: '^[^ ]+$' })).not.toEqual([]);
  expect(mayHoldMarkup('a', {})).toBe(true);
});

test('knows addresses, and that only some patterns take a script in one', () => {
  expect(['url', 'homepage', 'imageUrl', 'photo_link'].map(isAddress)).toEqual([true, true, true, true]);
  expect(['title', 'curl', 'linked'].map(isAddress)).toEqual([false, false, false]);
  expect(fitLinks('qa12345678')).toHaveLength(1);
  expect(fitLinks('qa12345678', { pattern: '^https?://' })).toEqual([]);
});
