import { expect, test } from 'bun:test';
import { parseRange } from './ranges.ts';

test.each<[string | null, [number, number] | null | undefined]>([
  [null, undefined],
  ['bytes=0-', [0, 100]],
  ['bytes=0-0', [0, 1]],
  ['bytes=10-19', [10, 20]],
  ['bytes=99-', [99, 100]],
  ['bytes=90-1000', [90, 100]],
  ['Bytes=0-9', [0, 10]],
  ['bytes=-1', [99, 100]],
  ['bytes=-1000', [0, 100]],
  ['bytes=0-99999999999999999999999999', [0, 100]],
  ['bytes=100-', null],
  ['bytes=100-200', null],
  ['bytes=99999999999999999999999999-', null],
  ['bytes=-0', null],
  ['bytes=20-10', undefined],
  ['bytes=0-9,20-29', undefined],
  [`bytes=${'0-0,'.repeat(10_000)}0-0`, undefined],
  [`bytes=${'9'.repeat(10_000)}-`, undefined],
  ['bytes=-', undefined],
  ['bytes=', undefined],
  ['bytes=a-b', undefined],
  ['bytes=1.5-2', undefined],
  ['bytes=+1-2', undefined],
  ['bytes=1-2-3', undefined],
  ['items=0-9', undefined],
  ['', undefined],
])('of 100 bytes, %j is %j', (header, expected) => {
  const range = parseRange(header, 100);
  expect(range && [range.start, range.end]).toEqual(expected as [number, number]);
});

test('an empty file has no parts', () => {
  expect([parseRange('bytes=0-', 0), parseRange('bytes=-1', 0), parseRange(null, 0)]).toEqual([
    null,
    null,
    undefined,
  ]);
});
