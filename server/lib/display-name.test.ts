import { expect, test } from 'bun:test';
import { displayName, skeleton } from './display-name.ts';

test.each([
  ['Claude', 'Claude'],
  ['  two \n\t words\u2028here ', 'two words here'],
  ['Zoë’s «app» 📚', 'Zoë’s «app» 📚'],
  ['قصائد', 'قصائد'],
  ['abc\u202edef\u2066', 'abcdef'],
  ['a\u200bb\u034fc\u2800d\u3164e\ufff9f\u0000g\u001b[31m', 'abcdefg[31m'],
  [`Z${'\u0301'.repeat(40)}`, 'Ź\u0301\u0301'],
  ['\ud800', ''],
  ['\u200b\u00a0', ''],
])('shows %j as %j', (given, shown) => {
  expect(displayName(given, 60).normalize('NFC')).toBe(shown.normalize('NFC'));
});

test('cuts at the limit, not within a letter', () => {
  expect(displayName('📚'.repeat(60), 60)).toBe('📚'.repeat(60));
  expect(displayName('📚'.repeat(61), 60)).toBe(`${'📚'.repeat(59)}…`);
});

test.each([
  'quire',
  'QUIRE',
  'Q u i r e',
  'Q.u-i_r e',
  'Qu\u200bi\u00adre',
  'Quіrе',
  'Qu1re',
  'Qulre',
  'QuIre',
  'Ｑｕｉｒｅ',
  '𝐐𝐮𝐢𝐫𝐞',
  'Ⓠⓤⓘⓡⓔ',
  'Qúïrē',
  'ԛυıге',
])('%j looks like Quire', (text) => expect(skeleton(text)).toBe(skeleton('Quire')));

test.each(['Acquire', 'Choir', 'Quite', 'Squire', ''])('%j does not look like Quire', (text) =>
  expect(skeleton(text)).not.toBe(skeleton('Quire')),
);

test('two letters can look like one', () => expect(skeleton('adrnin')).toBe(skeleton('admin')));
