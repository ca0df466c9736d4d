import { expect, test } from 'bun:test';
import { ENGLISH } from '../../../../contract/rules/texts/fill.ts';
import { toWait } from './durations.ts';

for (const [seconds, words] of [
  [1, 'in 1 second'],
  [99, 'in 99 seconds'],
  [100, 'in 2 minutes'],
  [900, 'in 15 minutes'],
  [901, 'in 16 minutes'],
  [5999, 'in 100 minutes'],
  [6000, 'in 2 hours'],
] as const) {
  test(`${seconds} seconds are ${words}`, () => {
    const { text, values } = toWait(seconds);
    expect(ENGLISH.say(text, values)).toBe(words);
  });
}
