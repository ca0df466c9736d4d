import { expect, test } from 'bun:test';
import { lengthWithin } from './tokens.ts';

/** One letter or mark of each kind that Unicode has. */
const KINDS = [
  'a',
  'A',
  'ǅ',
  'ʰ',
  '中',
  '\u0301',
  '7',
  'Ⅷ',
  '²',
  '_',
  '-',
  '(',
  '+',
  '€',
  '^',
  '😀',
  ' ',
  '\n',
];

test.each([...KINDS, '\u0001', '\u200b', '\ue000', '\ud800'])(
  'a text of many %j has many tokens',
  (letter) => {
    expect(lengthWithin(letter.repeat(20_000), 10)).toBeLessThan(2_000);
  },
);
