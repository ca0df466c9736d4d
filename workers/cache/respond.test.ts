import { expect, test } from 'bun:test';
import { respondMatch } from './respond.ts';

const TEXT = '0123456789';

async function match(request: Record<string, string>, headers: Record<string, string> = {}, status = 200) {
  const entry = {
    ...{ status, statusText: '', headers: new Headers(headers) },
    ...{ body: new TextEncoder().encode(TEXT), storedAt: 1_000, expiresAt: 9_000 },
  };
  const response = respondMatch(entry, new Headers(request), 3_500);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('sends the whole response, and how old it is', async () => {
  const { status, headers, text } = await match({}, { 'content-type': 'text/x-own', age: '5' }, 404);
  expect([status, text]).toEqual([404, TEXT]);
  expect(Object.fromEntries(headers)).toEqual({
    ...{ 'content-type': 'text/x-own', 'cf-cache-status': 'HIT', age: '7', 'content-length': '10' },
  });
});

test.each<[range: string, status: number, text: string, contentRange: string | null]>([
  ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
  ['bytes=7-', 206, '789', 'bytes 7-9/10'],
  ['bytes=-3', 206, '789', 'bytes 7-9/10'],
  ['bytes=-30', 206, TEXT, 'bytes 0-9/10'],
  ['bytes=5-99', 206, '56789', 'bytes 5-9/10'],
  ['bytes=9-9', 206, '9', 'bytes 9-9/10'],
  ['bytes=10-', 416, '', 'bytes */10'],
  ['bytes=-0', 416, '', 'bytes */10'],
  ['bytes=4-2', 200, TEXT, null],
  ['bytes=-', 200, TEXT, null],
  ['bytes=1-2,4-5', 200, TEXT, null],
  ['items=1-2', 200, TEXT, null],
  [`bytes=${'9'.repeat(400)}-`, 200, TEXT, null],
])('answers the range %p with %p', async (range, status, text, contentRange) => {
  const found = await match({ range });
  expect([found.status, found.text, found.headers.get('content-range')]).toEqual([
    status,
    text,
    contentRange,
  ]);
});

test('sends no ranges of what is compressed, of errors, or of what has changed', async () => {
  const range = 'bytes=2-4';
  expect((await match({ range }, { 'content-encoding': 'gzip' })).status).toBe(200);
  expect((await match({ range }, {}, 404)).status).toBe(404);
  expect((await match({ range, 'if-range': '"a"' }, { etag: '"b"' })).status).toBe(200);
  expect((await match({ range, 'if-range': '"a"' }, { etag: '"a"' })).status).toBe(206);
});

test.each<[wanted: string, status: number]>([
  ['"thing"', 304],
  ['  W/"thing" ', 304],
  ['"other"', 200],
  ['"other", "with, comma" , W/"thing"', 304],
  ['*', 304],
  [' * ', 304],
  ['thing', 200],
])('If-None-Match: %p gives %p', async (wanted, status) => {
  const { text, ...found } = await match({ 'if-none-match': wanted }, { etag: '"thing"' });
  expect([found.status, text]).toEqual([status, status === 304 ? '' : TEXT]);
  expect((await match({ 'if-none-match': wanted }, { etag: 'W/"thing"' })).status).toBe(status);
});

test.each<[since: string, status: number]>([
  ['Tue, 13 Sep 2022 11:00:00 GMT', 200],
  ['Tue, 13 Sep 2022 12:00:00 GMT', 304],
  ['Tue, 13 Sep 2022 13:00:00 GMT', 304],
  ['13 Sep 2022 13:00:00 GMT', 200],
])('If-Modified-Since: %p gives %p', async (since, status) => {
  const stored = { 'last-modified': 'Tue, 13 Sep 2022 12:00:00 GMT' };
  expect((await match({ 'if-modified-since': since }, stored)).status).toBe(status);
});

test('If-None-Match counts more than If-Modified-Since', async () => {
  const stored = { etag: '"new"', 'last-modified': 'Tue, 13 Sep 2022 12:00:00 GMT' };
  const request = { 'if-none-match': '"old"', 'if-modified-since': 'Tue, 13 Sep 2022 13:00:00 GMT' };
  expect((await match(request, stored)).status).toBe(200);
});
