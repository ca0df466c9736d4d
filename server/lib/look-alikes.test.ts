import { expect, test } from 'bun:test';
import { skeleton } from './look-alikes.ts';

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

test.each(['Acquire', 'Choir', 'Quite', 'Squire', ''])('%j does not', (text) =>
  expect(skeleton(text)).not.toBe(skeleton('Quire')),
);

test('two letters can look like one', () => expect(skeleton('adrnin')).toBe(skeleton('admin')));
