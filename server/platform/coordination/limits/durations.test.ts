import { expect, test } from 'bun:test';
import { inWords } from './durations.ts';

for (const [seconds, words] of [
  [1, '1 second'],
  [99, '99 seconds'],
  [100, '2 minutes'],
  [900, '15 minutes'],
  [901, '16 minutes'],
  [5999, '100 minutes'],
  [6000, '2 hours'],
] as const) {
  test(`${seconds} seconds are ${words}`, () => {
    expect(inWords(seconds)).toBe(words);
  });
}
