import { expect, test } from 'bun:test';
import { formatBytes } from './format.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1,023 bytes'],
  [1024, '1 KB'],
  [1536, '1.5 KB'],
  [64 * 1024, '64 KB'],
  [123.4 * 1024, '123 KB'],
  [1024 * 1024 - 1, '1 MB'],
  [4 * 1024 * 1024, '4 MB'],
  [1.44 * 1024 * 1024, '1.4 MB'],
  [5 * 1024 ** 4, '5 TB'],
  [5000 * 1024 ** 4, '5,000 TB'],
])('formats %d bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
