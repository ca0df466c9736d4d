import { expect, test } from 'bun:test';
import { ENGLISH } from '../rules/texts/fill.ts';
import { LEFT_REASONS, readReason } from './words.ts';

test('finds the sentence and the name in each reason why something was not tried', () => {
  for (const { text } of Object.values(LEFT_REASONS)) {
    const values = text.includes('{name}') ? { name: 'a: b {name} c' } : undefined;
    const said = ENGLISH.say(text, values);
    expect(readReason(said)).toEqual(values ? { text, values } : { text });
  }
  expect(readReason('something else')).toEqual({ text: 'something else' });
});
