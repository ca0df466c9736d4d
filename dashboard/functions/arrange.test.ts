import { expect, test } from 'bun:test';
import { arrange } from './arrange.ts';

const item = (slug: string, rest: object = {}) => ({
  ...{ slug, displayName: '', description: '', updatedAt: '2026-01-01', isPublic: true, takenDown: null },
  ...rest,
});
const ITEMS = [
  item('beta', { updatedAt: '2026-01-03' }),
  item('zeta', { displayName: 'Alpha', isPublic: false }),
  item('gamma', { takenDown: { at: '', reason: '' }, description: 'Sends MAIL' }),
];
const CALLS = new Map([
  ['gamma', [1, 2]],
  ['beta', [2]],
]);
type Place = Parameters<typeof arrange>[1];
const list = (place: Partial<Place>) =>
  arrange(ITEMS as never[], { query: '', order: 'name', state: undefined, ...place }, CALLS).map(
    ({ slug }: { slug: string }) => slug,
  );

test.each<[Partial<Place>, string[]]>([
  [{}, ['zeta', 'beta', 'gamma']],
  [{ order: 'updated' }, ['beta', 'zeta', 'gamma']],
  [{ order: 'activity' }, ['gamma', 'beta', 'zeta']],
  [{ state: 'public' }, ['beta']],
  [{ state: 'private' }, ['zeta']],
  [{ state: 'taken_down' }, ['gamma']],
  [{ query: ' mail ' }, ['gamma']],
  [{ query: 'alpha', state: 'public' }, []],
])('%j lists %j', (place, slugs) => expect(list(place)).toEqual(slugs));
