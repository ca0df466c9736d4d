import { expect, test } from 'bun:test';
import { type Place, readPlace, writePlace } from './place.ts';

const START: Place = { query: '', where: undefined, sort: undefined, page: 1, size: undefined };

test.each<[Partial<Place>, string]>([
  [{}, ''],
  [{ query: 'a&b #ü' }, 'q=a%26b+%23%C3%BC'],
  [{ sort: { key: 'n', direction: 'ascending' } }, 'sort=n'],
  [{ sort: { key: 'n', direction: 'descending' } }, 'sort=-n'],
  [{ sort: { key: '-n', direction: 'ascending' } }, 'sort=%2B-n'],
  [{ sort: { key: '-n', direction: 'descending' } }, 'sort=--n'],
  [{ where: '{"a":1}', page: 7, size: 100 }, 'where=%7B%22a%22%3A1%7D&page=7&size=100'],
])('writes %j as %p and reads it back', (given, address) => {
  const place = { ...START, ...given };
  expect(String(writePlace(place))).toBe(address);
  expect(readPlace(`?${address}`)).toEqual(place);
});

test.each(['page=0', 'page=-1', 'page=1e9', 'page=NaN', 'page=123456789', 'size=x', 'sort=', 'sort=-', 'q='])(
  'ignores %p',
  (address) => expect(readPlace(address)).toEqual(START),
);

test('cuts what is too long', () => {
  const place = readPlace(`?q=${'x'.repeat(201)}&where=${'y'.repeat(20_001)}`);
  expect([place.query.length, place.where?.length]).toEqual([200, 20_000]);
});
