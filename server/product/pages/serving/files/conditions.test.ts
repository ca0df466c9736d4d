import { expect, test } from 'bun:test';
import { httpDate, isUnchanged, readRange } from './conditions.ts';

const VERSION = { etag: '"abc"', modifiedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678) };
const DATE = httpDate(VERSION.modifiedAt);
const request = (headers: Record<string, string>) => new Request('http://page/', { headers });

test.each<[Record<string, string>, boolean]>([
  [{}, false],
  [{ 'if-none-match': '"abc"' }, true],
  [{ 'if-none-match': 'W/"abc"' }, true],
  [{ 'if-none-match': '"x", "abc"' }, true],
  [{ 'if-none-match': '*' }, true],
  [{ 'if-none-match': '"x"' }, false],
  [{ 'if-none-match': '"abcd"' }, false],
  [{ 'if-none-match': '"x"', 'if-modified-since': DATE }, false],
  [{ 'if-none-match': `${'"x",'.repeat(100_000)}"abc"` }, false],
  [{ 'if-modified-since': DATE }, true],
  [{ 'if-modified-since': httpDate(VERSION.modifiedAt + 60_000) }, true],
  [{ 'if-modified-since': httpDate(VERSION.modifiedAt - 60_000) }, false],
  [{ 'if-modified-since': 'yesterday' }, false],
])('a client that sends %j has it: %j', (headers, expected) => {
  expect(isUnchanged(request(headers), VERSION.etag, VERSION.modifiedAt)).toBe(expected);
});

test.each<[string | undefined, boolean]>([
  [undefined, true],
  ['"abc"', true],
  [DATE, true],
  ['"abc-gzip"', false],
  ['W/"abc"', false],
  [httpDate(VERSION.modifiedAt - 1000), false],
  ['nonsense', false],
])('with If-Range %j gets a part: %j', (condition, expected) => {
  const headers = { range: 'bytes=0-9', ...(condition !== undefined && { 'if-range': condition }) };
  expect(readRange(request(headers), 100, VERSION) !== undefined).toBe(expected);
});
