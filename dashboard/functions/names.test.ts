import { expect, test } from 'bun:test';
import { secretNameFault, slugFault } from './names.ts';

test.each([
  ['a', undefined],
  ['a-b-9', undefined],
  ['a'.repeat(100), undefined],
  ['a'.repeat(101), /At most 100/],
  ['A', /Only a-z/],
  ['a_b', /Only a-z/],
  ['-a', /begin and end/],
  ['a-', /begin and end/],
] as const)('the slug %s', (slug, words) => {
  const fault = slugFault(slug);
  if (words) expect(fault).toMatch(words);
  else expect(fault).toBeUndefined();
});

test.each([
  ['API_KEY', undefined],
  ['A'.repeat(100), undefined],
  ['A'.repeat(101), /100 at most/],
  ['1A', /beginning with a letter/],
  ['key', /Only A-Z/],
  ['DB', /the database/],
] as const)('the secret %s', (name, words) => {
  const fault = secretNameFault(name);
  if (words) expect(fault).toMatch(words);
  else expect(fault).toBeUndefined();
});
