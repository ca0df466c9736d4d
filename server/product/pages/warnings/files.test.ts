import { expect, test } from 'bun:test';
import { findFile } from './files.ts';

const entry = { hash: 'a'.repeat(64), size: 1, updatedAt: 0 };
const FILES = new Map(
  ['style.css', 'img/a b.png', 'about.html', 'docs/index.html'].map((path) => [path, entry]),
);

test.each<[string, string | undefined, boolean]>([
  ['style.css', 'style.css', true],
  ['./style.css', 'style.css', true],
  ['/style.css', 'style.css', true],
  ['img/../style.css', 'style.css', true],
  ['img/a b.png', 'img/a b.png', true],
  ['img/a%20b.png', 'img/a b.png', true],
  ['about', 'about', true],
  ['docs', 'docs', true],
  ['docs/', 'docs/', true],
  ['index.html', 'index.html', true],
  ['other.css', 'other.css', false],
  ['%zz', undefined, false],
  ['../style.css', undefined, false],
  ['../../../style.css', undefined, false],
])('%s leads to %p, which is there: %p', (address, path, isThere) => {
  expect(findFile(FILES, address)).toEqual({ path, isThere });
});
