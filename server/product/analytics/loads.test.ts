import { expect, test } from 'bun:test';
import { MAX_LOADS_PENDING } from './limits.ts';
import { type Load, Loads } from './loads.ts';

const VISIT = { address: '10.0.0.1' };

function taken(loads: Loads): Load[] {
  const all: Load[] = [];
  loads.take((load) => all.push({ ...load }));
  return all;
}

test('it is full at its limit, and empty when its loads are taken', () => {
  const loads = new Loads();
  const request = new Request('http://page/', { headers: { 'user-agent': 'Firefox' } });
  for (let i = 1; i < MAX_LOADS_PENDING; i++) loads.add(i, 0, request, VISIT);
  expect(loads.isFull).toBe(false);
  loads.add(MAX_LOADS_PENDING, 0, request, VISIT);
  expect(loads.isFull).toBe(true);
  expect(taken(loads).map(({ pageId }) => pageId)).toEqual(
    Array.from({ length: MAX_LOADS_PENDING }, (_, i) => i + 1),
  );
  expect([loads.isFull, taken(loads)]).toEqual([false, []]);
});

test.each([
  ['user-agent', 512, 'userAgent', ''],
  ['referer', 2_048, 'referer', null],
  ['host', 300, 'host', null],
] as const)('a header %s of more than %d characters is not kept', (name, limit, field, nothing) => {
  const loads = new Loads();
  for (const length of [limit, limit + 1]) {
    const headers = { 'user-agent': 'Firefox', referer: 'https://a.example/', [name]: 'x'.repeat(length) };
    loads.add(1, 0, new Request('http://page/', { headers }), VISIT);
  }
  expect(taken(loads).map((load) => load[field])).toEqual(['x'.repeat(limit), nothing]);
});

test('a load has nothing of the one before', () => {
  const loads = new Loads();
  const headers = { 'user-agent': 'Firefox', referer: 'https://a.example/', host: 'page' };
  loads.add(1, 5, new Request('http://page/', { headers }), VISIT);
  taken(loads);
  loads.add(2, 6, new Request('http://page/'), VISIT);
  expect(taken(loads)).toEqual([{ pageId: 2, at: 6, userAgent: '', address: '', referer: null, host: null }]);
});
