import { expect, test } from 'bun:test';
import { freePath, listRows, parentFolders } from './paths.ts';
import { keyTarget } from './tree/keys.ts';

const PATHS = ['index.html', 'b/2.png', 'b/10.png', 'b/deep/x.js', 'a/y.css', 'Style.css'];
const outline = (open: string[]) =>
  listRows(PATHS, (folder) => open.includes(folder)).map(({ path, level }) => `${'-'.repeat(level)}${path}`);

test('folders come first, numbers count, and closed folders hide their files', () => {
  expect(outline([])).toEqual(['-a', '-b', '-index.html', '-Style.css']);
  expect(outline(['b', 'b/deep'])).toEqual([
    '-a',
    '-b',
    '--b/deep',
    '---b/deep/x.js',
    '--b/2.png',
    '--b/10.png',
    '-index.html',
    '-Style.css',
  ]);
});

test('a row knows its place among its siblings', () => {
  const row = listRows(PATHS, () => true).find(({ path }) => path === 'b/10.png');
  expect(row).toMatchObject({ name: '10.png', place: 3, siblings: 3 });
});

test.each<[string, number, number | string | undefined]>([
  ['ArrowDown', 0, 1],
  ['ArrowDown', 7, 7],
  ['ArrowUp', 0, 0],
  ['Home', 5, 0],
  ['End', 0, 7],
  ['ArrowRight', 0, 'open'],
  ['ArrowRight', 1, 2],
  ['ArrowRight', 6, undefined],
  ['ArrowLeft', 1, 'close'],
  ['ArrowLeft', 4, 1],
  ['ArrowLeft', 6, undefined],
  ['s', 0, 7],
  ['b', 1, 1],
  ['z', 0, undefined],
  ['Tab', 0, undefined],
])('%s on row %d leads to %p', (key, at, target) => {
  const isOpen = (folder: string) => folder !== 'a';
  expect(keyTarget(key, listRows(PATHS, isOpen), at, isOpen)).toEqual(target as number);
});

test('paths', () => {
  expect(parentFolders('a/b/c.png')).toEqual(['a', 'a/b']);
  const taken = new Set(['image.png', 'image-2.png', 'a.b/c']);
  const free = (path: string) => freePath(path, (each) => taken.has(each));
  expect([free('new.png'), free('image.png'), free('a.b/c')]).toEqual(['new.png', 'image-3.png', 'a.b/c-2']);
});
