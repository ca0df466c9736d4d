import { expect, test } from 'bun:test';
import { secretNameFault, slugFault } from './names.ts';

test.each([
  ['a', undefined],
  ['a-b-9', undefined],
  ['a'.repeat(100), undefined],
  ['a'.repeat(101), /at most 100/],
  ['A', /only a-z/],
  ['a_b', /only a-z/],
  ['-a', /start and end/],
  ['a-', /start and end/],
] as const)('checks the slug %s', (slug, words) => {
  const fault = slugFault(slug);
  if (words) expect(fault).toMatch(words);
  else expect(fault).toBeUndefined();
});

test.each([
  ['API_KEY', undefined],
  ['A'.repeat(100), undefined],
  ['A'.repeat(101), /at most 100/],
  ['1A', /start with a letter/],
  ['key', /only A-Z/],
  ['DB', /the database/],
] as const)('checks the name of the secret %s', (name, words) => {
  const fault = secretNameFault(name);
  if (words) expect(fault).toMatch(words);
  else expect(fault).toBeUndefined();
});
