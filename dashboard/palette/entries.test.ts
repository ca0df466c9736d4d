import { expect, test } from 'bun:test';
import { type PaletteEntry, rank } from './entries.ts';

const entry = (label: string, group: string, rest: Partial<PaletteEntry> = {}): PaletteEntry => ({
  id: `${group} ${label}`,
  group,
  label,
  icon: 'page',
  ...rest,
});
const shown = (entries: PaletteEntry[], query: string) =>
  [...rank(entries, query)].map(([group, hits]) => [group, hits.map((hit) => hit.entry.label)]);

test('the group with the best entry comes first', () => {
  const entries = [entry('Homepage', 'Docs'), entry('New page', 'Actions'), entry('Functions', 'Areas')];
  expect(shown(entries, 'page')).toEqual([
    ['Actions', ['New page']],
    ['Docs', ['Homepage']],
  ]);
});

test('scattered letters are left out where a word fits, and found where none does', () => {
  const entries = [entry('Team wall', 'Pages'), entry('Who calls', 'Docs')];
  expect(shown(entries, 'wall')).toEqual([['Pages', ['Team wall']]]);
  expect(shown(entries, 'tmwll')).toEqual([['Pages', ['Team wall']]]);
});

test('what the service found is kept, the same entry is listed once, and groups are short', () => {
  const found = entry('Zoo', 'Pages', { isFound: true });
  expect(shown([found, { ...found, group: 'Recent' }], 'animals')).toEqual([['Pages', ['Zoo']]]);
  const many = Array.from({ length: 20 }, (_, index) => entry(`Page ${index}`, 'Pages'));
  expect(rank(many, 'page').get('Pages')).toHaveLength(6);
});

test('what somebody owns comes before docs that fit as well', () => {
  const docs = entry('Restore', 'Docs', { isReference: true });
  const page = entry('Recipe for a very long evening', 'Pages');
  expect(shown([docs, page], 're').map(([group]) => group)).toEqual(['Pages', 'Docs']);
  expect(shown([docs, page], 'restore')).toEqual([['Docs', ['Restore']]]);
});
