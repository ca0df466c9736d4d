import { expect, test } from 'bun:test';
import { planStoring } from './lifetime.ts';

const NOW = Date.parse('Tue, 13 Sep 2022 12:00:00 GMT');

function plan(headers: Record<string, string>, status = 200, request: Record<string, string> = {}) {
  const plan = planStoring(new Headers(request), { status, headers: new Headers(headers) }, NOW);
  return plan && { seconds: plan.lifetimeMs / 1_000, without: [...plan.withoutHeaders] };
}

test.each<[control: string, seconds: number]>([
  ['max-age=60', 60],
  ['Max-Age="60"', 60],
  ['s-maxage=5, max-age=60', 5],
  ['max-age=60, s-maxage=5', 5],
  ['max-age=60, max-age=1', 60],
  ['public, immutable, max-age=99999999999', 31_536_000],
  ['stale-while-revalidate=60', 7_200],
])('%p is fresh for %p seconds', (control, seconds) => {
  expect(plan({ 'cache-control': control })).toEqual({ seconds, without: [] });
});

test.each([
  'no-store',
  'private',
  'no-cache',
  'NO-STORE, max-age=60',
  'max-age=60, private',
  'private=""',
  'max-age=0',
  'max-age=-1',
  'max-age=soon',
  's-maxage=0, max-age=60',
])('%p is not stored', (control) => {
  expect(plan({ 'cache-control': control })).toBeUndefined();
});

test('without instructions the status decides', () => {
  const lifetimes = [200, 301, 302, 303, 404, 410, 201, 204, 307, 500].map(
    (status) => plan({}, status)?.seconds,
  );
  expect(lifetimes).toEqual([
    ...[7_200, 7_200, 1_200, 1_200, 180, 180],
    ...[undefined, undefined, undefined, undefined],
  ]);
  expect(plan({ 'cache-control': 'max-age=9' }, 500)?.seconds).toBe(9);
});

test.each<[headers: Record<string, string>, seconds: number | undefined]>([
  [{ expires: 'Tue, 13 Sep 2022 12:01:00 GMT' }, 60],
  [{ expires: 'Tue, 13 Sep 2022 12:01:00 GMT', date: 'Tue, 13 Sep 2022 12:00:30 GMT' }, 30],
  [{ expires: 'Tue, 13 Sep 2022 11:59:00 GMT' }, undefined],
  [{ expires: '0' }, undefined],
  [{ expires: 'Tue, 13 Sep 2022 12:01:00 GMT', 'cache-control': 'max-age=5' }, 5],
  [{ age: '20', 'cache-control': 'max-age=60' }, 40],
  [{ age: '60', 'cache-control': 'max-age=60' }, undefined],
])('%j is fresh for %p seconds', (headers, seconds) => {
  expect(plan(headers)?.seconds).toBe(seconds as number);
});

test('a response with cookies is not stored, unless it says that they can be removed', () => {
  const cookie = { 'set-cookie': 'a=b' };
  expect(plan(cookie)).toBeUndefined();
  expect(plan({ ...cookie, 'cache-control': 'max-age=60' })).toBeUndefined();
  for (const control of ['private=Set-Cookie, max-age=60', 'max-age=60, private="set-cookie"'])
    expect(plan({ ...cookie, 'cache-control': control })).toEqual({ seconds: 60, without: ['set-cookie'] });
  expect(plan({ 'cache-control': 'no-cache="x-one, X-Two", max-age=60' })?.without).toEqual([
    'x-one',
    'x-two',
  ]);
});

test('a response to a request with credentials is stored only if it says that others can have it', () => {
  const request = { authorization: 'Bearer x' };
  expect(plan({ 'cache-control': 'max-age=60' }, 200, request)).toBeUndefined();
  expect(plan({ 'cache-control': 'public, max-age=60' }, 200, request)?.seconds).toBe(60);
  expect(plan({ 'cache-control': 's-maxage=60' }, 200, request)?.seconds).toBe(60);
});
