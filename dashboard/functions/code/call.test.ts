import { expect, test } from 'bun:test';
import { toSearch } from './call.ts';

test('a call of a function of a page says for whom it is made, unless the query does', () => {
  expect(toSearch(' ?page=2&sort=name ', undefined)).toBe('page=2&sort=name');
  expect(toSearch('', 'nobody')).toBe('quire_as=nobody');
  expect(toSearch('?page=2', 'ada')).toBe('page=2&quire_as=ada');
  expect(toSearch('quire_as=owner&page=2', 'ada')).toBe('quire_as=owner&page=2');
});
