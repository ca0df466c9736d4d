import { expect, test } from 'bun:test';
import { readDomain } from './domain-names.ts';

test('a name with many marks on one letter is refused before it is read', () => {
  const pile = (marks: number) => `a${'\u0300\u0316'.repeat(marks)}.example`;
  expect(readDomain(pile(100_000))).toEqual({ fault: 'must have at most 300 characters' });
  expect(readDomain(pile(1))).toEqual({ domain: 'xn--0ca64i.example' });
});
