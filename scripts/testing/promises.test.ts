import { expect, test } from 'bun:test';
import { namePattern, readPromises } from './promises.ts';

test('reads the rows of all tables, with the document above each', () => {
  const proofs = readPromises();
  expect(proofs[0]?.document).toBe('README.md');
  expect(proofs.at(-1)?.document).toBe('docs/security.md');
  expect(proofs.map(({ promise }) => promise)).toContain('form | 50 fields');
});

test('a pattern matches each case of a test, in any group, and no longer name', () => {
  const pattern = new RegExp(namePattern(['is refused (%s)', 'allows $count a minute', 'works']));
  for (const name of ['a page is refused (no token)', 'chat allows 20 a minute', 'works', 'a group works'])
    expect(name).toMatch(pattern);
  for (const name of ['a page is refused', 'works twice', 'allows 20 an hour'])
    expect(name).not.toMatch(pattern);
});
