import { expect, test } from 'bun:test';
import { compareVersions } from './compare.ts';

const file = (path: string, content: string) => ({
  path,
  hash: content,
  size: content.length,
  type: '',
  updatedAt: '',
});
const version = (html_content: string, ...files: Array<[string, string]>) => ({
  html_content,
  files: files.map(([path, content]) => file(path, content)),
});

test('tells what was added, changed and removed, the page itself first', () => {
  const before = version('é', ['a.png', 'aa'], ['b.css', 'b'], ['same.js', 's']);
  const after = version('html', ['b.css', 'bbb'], ['c/new.png', 'c'], ['same.js', 's']);
  expect(compareVersions(before, after)).toEqual([
    { path: 'index.html', kind: 'changed', before: 2, after: 4 },
    { path: 'a.png', kind: 'removed', before: 2, after: undefined },
    { path: 'b.css', kind: 'changed', before: 1, after: 3 },
    { path: 'c/new.png', kind: 'added', before: undefined, after: 1 },
  ]);
});

test('everything of the first version is new', () => {
  expect(compareVersions(undefined, version('x', ['a', 'a'])).map(({ kind }) => kind)).toEqual([
    'added',
    'added',
  ]);
  expect(compareVersions(version('x'), version('x'))).toEqual([]);
});
