import { expect, test } from 'bun:test';
import { buildPath } from './call.ts';

const path = '/api/pages/:id/files/*path';

test('names are one part of a path or the rest of it, and are encoded', () => {
  const params = { id: 'a/b', path: 'img/é ?.png' };
  expect(buildPath({ path }, { params })).toBe('/api/pages/a%2Fb/files/img/%C3%A9%20%3F.png');
});

test('a query has every value that was given, also zero, false and the empty text', () => {
  const query = { offset: 0, unread: false, search: '', before: undefined, name: 'a b' };
  expect(buildPath({ path: '/api/pages' }, { query })).toBe(
    '/api/pages?offset=0&unread=false&search=&name=a+b',
  );
  expect(buildPath({ path: '/api/pages' }, { query: { before: undefined } })).toBe('/api/pages');
});
