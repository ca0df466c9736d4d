import { describe, expect, test } from 'bun:test';
import { Router } from './router.ts';

const router = new Router<string>();
for (const route of [
  'GET /',
  'GET /pages/:id',
  'GET /pages/new',
  'POST /pages/:id/batch',
  'GET /pages/:id/:record',
  'GET /pages/:id/:record/files/:name',
  'GET /pages/new/list',
]) {
  const [method, path] = route.split(' ') as [string, string];
  router.add(method, path, route);
}

const NOTHING = undefined;

describe.each<[string, string, string | undefined, Record<string, string>?]>([
  ['GET', '/', 'GET /', {}],
  ['GET', '/pages/7', 'GET /pages/:id', { id: '7' }],
  ['GET', '/pages/new', 'GET /pages/new', {}],
  ['POST', '/pages/7/batch', 'POST /pages/:id/batch', { id: '7' }],
  // The fixed segment has no such method, so the parameter gets it.
  ['GET', '/pages/7/batch', 'GET /pages/:id/:record', { id: '7', record: 'batch' }],
  // The fixed segment leads nowhere.
  ['GET', '/pages/new/9', 'GET /pages/:id/:record', { id: 'new', record: '9' }],
  ['GET', '/pages/new/list', 'GET /pages/new/list', {}],
  [
    'GET',
    '/pages/new/list/files/a',
    'GET /pages/:id/:record/files/:name',
    { id: 'new', record: 'list', name: 'a' },
  ],
  ['GET', '/p%61ges/a%2Fb', 'GET /pages/:id', { id: 'a/b' }],
  ['GET', '/pages/100%25', 'GET /pages/:id', { id: '100%' }],
  ['GET', '/pages/%41%2', 'GET /pages/:id', { id: 'A%2' }],
  ['GET', '/pages/%C3%A9%FF', 'GET /pages/:id', { id: '%C3%A9%FF' }],
  ['GET', '/pages/__proto__', 'GET /pages/:id', { id: '__proto__' }],
  ['GET', '/pages', NOTHING],
  ['GET', '/pages/', NOTHING],
  ['GET', '/pages/7/', NOTHING],
  ['GET', '//pages/7', NOTHING],
  ['PUT', '/pages/7', NOTHING],
  ['GET', '/pages/7/8/files', NOTHING],
  ['GET', '/pages/7/8/files/9/10', NOTHING],
])('%s %s', (method, path, target, params = {}) => {
  test(target === undefined ? 'is not found' : `is ${target}`, () => {
    const expected = target === undefined ? undefined : { target, params };
    expect(router.find(method, path)).toEqual(expected);
  });
});

test('a star stands for all that follows, and everything else is preferred', () => {
  const starred = new Router<string>();
  starred.add('GET', '/a/:id/files', 'list');
  starred.add('GET', '/a/:id/files/*path', 'file');
  starred.add('GET', '/a/:id/files/fixed/:x', 'fixed');
  expect(starred.find('GET', '/a/1/files')).toEqual({ target: 'list', params: { id: '1' } });
  const found = (path: string) => starred.find('GET', `/a/1/files${path}`);
  expect(found('/b')).toEqual({ target: 'file', params: { id: '1', path: 'b' } });
  expect(found('/b/c%20d/e%2Ff')).toEqual({ target: 'file', params: { id: '1', path: 'b/c d/e/f' } });
  expect(found('/fixed/1')).toEqual({ target: 'fixed', params: { id: '1', x: '1' } });
  expect(found('/fixed/1/2')).toEqual({ target: 'file', params: { id: '1', path: 'fixed/1/2' } });
  expect(found('//b/')).toEqual({ target: 'file', params: { id: '1', path: '/b/' } });
  expect(found('/')).toBeUndefined();
  expect(starred.find('PUT', '/a/1/files/b')).toBeUndefined();
});

test('of two targets for the same path, the first stays', () => {
  const twice = new Router<number>();
  twice.add('GET', '/a/:b', 1);
  twice.add('GET', '/a/:c', 2);
  expect(twice.find('GET', '/a/x')).toEqual({ target: 1, params: { b: 'x' } });
});
