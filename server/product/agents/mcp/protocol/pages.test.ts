import { expect, test } from 'bun:test';
import { takePage } from './pages.ts';

const items = (count: number) => Array.from({ length: count }, (_, at) => at);

test('a list of up to 100 items is one page, and the parts of a longer one make the whole', () => {
  expect(takePage(items(100), undefined)).toEqual({ page: items(100) });
  const first = takePage(items(101), undefined);
  expect(first.page).toHaveLength(100);
  expect(takePage(items(101), first.nextCursor)).toEqual({ page: [100] });
  expect(takePage(items(5), '100')).toEqual({ page: [] });
});

test.each(['', '0', '-1', '1.5', 'x', '1e9', '9999999999'])('refuses %j as a cursor', (cursor) => {
  expect(() => takePage(items(5), cursor)).toThrow('not one of ours');
});
