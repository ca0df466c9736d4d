import { expect, test } from 'bun:test';
import { findPackages, locatePackage, parseSpecifier } from './source.ts';

test.each([
  ['npm:zod', { specifier: 'npm:zod', name: 'zod', range: 'latest' }],
  ['npm:zod@4', { specifier: 'npm:zod@4', name: 'zod', range: '4' }],
  ['npm:zod@^4.1.0/mini/x', { specifier: 'npm:zod@^4.1.0', name: 'zod', range: '^4.1.0' }],
  ['npm:zod/mini', { specifier: 'npm:zod', name: 'zod', range: 'latest' }],
  ['npm:@a/b@1/c', { specifier: 'npm:@a/b@1', name: '@a/b', range: '1' }],
  ['npm:@a/b', { specifier: 'npm:@a/b', name: '@a/b', range: 'latest' }],
])('reads %s', (text, found) => {
  expect(parseSpecifier(text)).toEqual(found);
});

test.each([
  'npm:',
  'npm:@a',
  'npm:../x',
  'npm:.x',
  'npm:a b',
  'npm:zod@>=4',
  `npm:${'x'.repeat(215)}`,
  'zod@4',
])('does not take %s for a package', (text) => {
  expect(parseSpecifier(text)).toBeUndefined();
});

test('finds each package once, in all files, and where it is first named', () => {
  const source = {
    code: `import a from "npm:a@1";\nimport b from 'npm:a@1/b';\nconst no = npm:x;`,
    files: { 'lib.ts': '\n  export * from "npm:@s/c@2/d";' },
  };
  expect(findPackages(source).map(({ specifier }) => specifier)).toEqual(['npm:a@1', 'npm:@s/c@2']);
  expect(locatePackage(source, 'npm:a@1')).toEqual({ file: 'function.ts', line: 1, column: 15 });
  expect(locatePackage(source, 'npm:@s/c@2')).toEqual({ file: 'lib.ts', line: 2, column: 17 });
});

test('looks at 2,000 places at most, so that a source of a megabyte takes no longer', () => {
  const last = '"npm:last@1"';
  const after = (places: number) => findPackages({ code: '"npm:a@1",'.repeat(places) + last, files: {} });
  expect(after(1_999).map(({ name }) => name)).toEqual(['a', 'last']);
  expect(after(100_000).map(({ name }) => name)).toEqual(['a']);
});
