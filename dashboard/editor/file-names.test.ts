import { expect, test } from 'bun:test';
import { placeIn, toRelativePath } from './file-names.ts';

test.each([
  ['<img src="', '', 'source'],
  ['<img alt="" src="im', 'im', 'source'],
  ["<a href='about", 'about', 'link'],
  ['<link rel="stylesheet" href = "css/st', 'css/st', 'link'],
  ['<img srcset="a.png 1x, b', 'b', 'source'],
  ['<video poster="', '', 'source'],
  ['  background: url(', '', 'style'],
  ['src: url("fonts/in', 'fonts/in', 'style'],
  ['<div style="background: url(im', 'im', 'style'],
  ["@import '", '', 'import'],
  ["import { a } from './", './', 'module'],
  ['import "', '', 'module'],
  ["await import('li", 'li', 'module'],
])('%j is a place for the name of a file', (before, typed, use) => {
  expect(placeIn(before)).toEqual({ typed, use } as ReturnType<typeof placeIn>);
});

test.each(['<p>src', '<img src="a.png"', '<img alt="', 'const src = a', 'url(a.png)'])(
  '%j is not',
  (before) => {
    expect(placeIn(before)).toBeUndefined();
  },
);

test.each([
  ['index.html', 'cat.png', 'cat.png'],
  ['index.html', 'images/cat.png', 'images/cat.png'],
  ['css/style.css', 'images/cat.png', '../images/cat.png'],
  ['css/style.css', 'css/print.css', 'print.css'],
  ['a/b/c.html', 'a/d/e.js', '../d/e.js'],
  ['a/b.html', 'a', '../a'],
  ['index.html', 'my cat (1).png', 'my%20cat%20%281%29.png'],
  ['index.html', '日本/写真.jpg', '日本/写真.jpg'],
  ['index.html', '100%?#.txt', '100%25%3F%23.txt'],
  ['index.html', 'a:b.txt', './a:b.txt'],
])('%s refers to %s as %s', (from, to, address) => {
  expect(toRelativePath(from, to)).toBe(address);
  expect(decodeURIComponent(new URL(address, `http://page/${encodeURI(from)}`).pathname)).toBe(`/${to}`);
});

test('modules are named with a dot', () => {
  expect(toRelativePath('main.js', 'lib/a.js', true)).toBe('./lib/a.js');
  expect(toRelativePath('lib/a.js', 'main.js', true)).toBe('../main.js');
});
