import { expect, test } from 'bun:test';
import { type ListPlace, readListPlace, writeListPlace } from './list-place.ts';

const OFFERED = { orders: ['updated', 'name'], states: ['draft', 'taken_down'] } as const;
type Place = ListPlace<'updated' | 'name', 'draft' | 'taken_down'>;
const START: Place = { query: '', order: 'updated', state: undefined, view: undefined };

test.each<[Partial<Place>, string]>([
  [{}, ''],
  [
    { query: 'a b&c', order: 'name', state: 'taken_down', view: 'list' },
    'q=a+b%26c&sort=name&state=taken_down&view=list',
  ],
  [{ view: 'cards' }, 'view=cards'],
])('writes %j as %p and reads it back', (given, address) => {
  const place = { ...START, ...given };
  expect(String(writeListPlace(place, OFFERED))).toBe(address);
  expect(readListPlace(address, OFFERED)).toEqual(place);
});

test.each(['sort=views', 'state=open', 'view=table', 'q=', 'sort=__proto__'])('ignores %p', (address) => {
  expect(readListPlace(address, OFFERED)).toEqual(START);
});

test('cuts a search that is too long', () => {
  expect(readListPlace(`q=${'x'.repeat(201)}`, OFFERED).query.length).toBe(200);
});
