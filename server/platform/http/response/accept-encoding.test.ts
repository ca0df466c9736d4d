import { expect, test } from 'bun:test';
import { wantedEncoding } from './accept-encoding.ts';

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
])('%p selects %p', (header, encoding) => {
  expect(wantedEncoding(header).smallest).toBe(encoding);
  // The second result comes from the cache.
  expect(wantedEncoding(header).smallest).toBe(encoding);
});

test.each<[string, 'br' | 'gzip' | undefined]>([
  ['gzip, deflate, br', 'gzip'],
  ['*', 'gzip'],
  ['br', 'br'],
  ['br, gzip;q=0.9', 'br'],
  ['gzip;q=0', undefined],
])('%p selects %p where encoding has to be fast', (header, encoding) => {
  expect(wantedEncoding(header).quickest).toBe(encoding);
});

test('hostile headers do not fill the memory and are still parsed', () => {
  for (let i = 0; i < 1_000; i++) expect(wantedEncoding(`gzip, x${i}`).smallest).toBe('gzip');
  expect(wantedEncoding('br;q=0.25, gzip;q=0.125').smallest).toBe('br');
});
