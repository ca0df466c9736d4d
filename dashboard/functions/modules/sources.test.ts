import { expect, test } from 'bun:test';
import { fromSources, isSame, pathFault, toSources } from './sources.ts';

test('sources become what is sent, and back', () => {
  const sent = { code: 'main', files: { 'lib/x.ts': 'x' } };
  expect(fromSources(toSources(sent))).toEqual(sent);
  expect(isSame(toSources(sent), { 'function.ts': 'main', 'lib/x.ts': 'x' })).toBe(true);
  expect(isSame(toSources(sent), toSources({ ...sent, files: {} }))).toBe(false);
  expect(isSame(toSources(sent), toSources({ ...sent, files: { 'lib/y.ts': 'x' } }))).toBe(false);
});

const PATHS = ['function.ts', 'lib/x.ts'];
test.each([
  ['lib/y.ts', undefined],
  ['a@b-c_d.test.mjs', undefined],
  ['function.ts', 'main module'],
  ['lib/x.ts', 'already a file lib/x.ts'],
  ['notes', 'must end in .ts'],
  ['lib/', 'must end in .ts'],
  ['../x.ts', 'Use letters'],
  ['a b.ts', 'Use letters'],
  ['/x.ts', 'Use letters'],
  ['node_modules/x.ts', 'Use letters'],
  [`${'a'.repeat(197)}.ts`, undefined],
  [`${'a'.repeat(198)}.ts`, 'at most 200 characters'],
  ['lib/x.ts/y.ts', 'cannot be a folder too'],
])('at %s there can be a module, or it says why not', (path, words) => {
  const fault = pathFault(PATHS, path);
  if (words) expect(fault).toContain(words);
  else expect(fault).toBeUndefined();
});

test('a function has at most 200 files', () => {
  const paths = (count: number) => ['function.ts', ...Array.from({ length: count }, (_, at) => `${at}.ts`)];
  expect(pathFault(paths(199), 'new.ts')).toBeUndefined();
  expect(pathFault(paths(200), 'new.ts')).toContain('at most 200 files');
});
