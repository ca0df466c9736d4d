import { expect, test } from 'bun:test';
import { rich, t } from './translate.tsx';

test('values are put into a text, and numbers are formatted', () => {
  expect(t('{name} has {count}', { name: 'ada {count}', count: 12_345 })).toBe('ada {count} has 12,345');
  expect(t('{missing} stays')).toBe('{missing} stays');
});

test('the number decides between one and many', () => {
  const pages = (count: number) => t('{count|One page|{count} pages} in {place}', { count, place: 'Rome' });
  expect([0, 1, 2, 1_000].map(pages)).toEqual([
    '0 pages in Rome',
    'One page in Rome',
    '2 pages in Rome',
    '1,000 pages in Rome',
  ]);
});

test('a value cannot add an element', () => {
  const parts = rich('Hello <b>{name}</b>!', { b: (text) => [text] }, { name: '<b>x</b>' });
  expect(parts).toEqual(['Hello ', undefined, ['<b>x</b>'], '!']);
});
