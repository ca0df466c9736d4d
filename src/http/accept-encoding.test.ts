import { expect, test } from 'bun:test';
import { chooseEncoding } from './accept-encoding.ts';

test.each<[string | null, 'br' | 'gzip' | undefined]>([
  [null, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate, zstd', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=0', undefined],
  ['gzip; q=0.000', undefined],
  ['gzip;q=0, br', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.1, gzip', 'gzip'],
  ['br;q=0.5, gzip;q=0.5', 'br'],
  ['br;q=0.5, gzip;Q=0.501', 'gzip'],
  ['identity;q=1, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip;q=1', 'gzip'],
  ['identity;q=0, gzip', 'gzip'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['gzip, *;q=0', 'gzip'],
  ['brotli', undefined],
  ['gzip-x', undefined],
  ['gzip;q=nonsense', undefined],
  ['gzip;q=2', undefined],
  ['br;level=1;q=0.1, gzip;q=0.2', 'gzip'],
])('%p asks for %p', (header, encoding) => {
  expect(chooseEncoding(header)).toBe(encoding);
  // The second time it is remembered.
  expect(chooseEncoding(header)).toBe(encoding);
});

test('hostile headers do not fill the memory and are still read', () => {
  for (let i = 0; i < 1_000; i++) expect(chooseEncoding(`gzip, x${i}`)).toBe('gzip');
  expect(chooseEncoding('br;q=0.25, gzip;q=0.125')).toBe('br');
});
