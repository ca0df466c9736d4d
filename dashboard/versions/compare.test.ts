import { expect, test } from 'bun:test';
import { compareEntries, textEntry } from './compare.ts';

const entries = (files: Record<string, string>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, textEntry(text)]));
const compare = (before: Record<string, string>, after: Record<string, string>) =>
  compareEntries(entries(before), entries(after), 'index.html');

test('tells what was added, changed and removed, the main file first', () => {
  const before = { 'index.html': 'é', 'a.png': 'aa', 'b.css': 'b', 'same.js': 's' };
  const after = { 'c/new.png': 'c', 'same.js': 's', 'b.css': 'bbb', 'index.html': 'html' };
  expect(compare(before, after)).toEqual([
    { path: 'index.html', kind: 'changed', before: 2, after: 4 },
    { path: 'a.png', kind: 'removed', before: 2, after: undefined },
    { path: 'b.css', kind: 'changed', before: 1, after: 3 },
    { path: 'c/new.png', kind: 'added', before: undefined, after: 1 },
  ]);
});

test('everything of the first version is new', () => {
  expect(compare({}, { x: 'x', a: 'a' }).map(({ kind }) => kind)).toEqual(['added', 'added']);
  expect(compare({ x: 'x' }, { x: 'x' })).toEqual([]);
});
