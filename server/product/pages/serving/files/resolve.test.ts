import { describe, expect, test } from 'bun:test';
import { decodePath, encodePath, resolvePath } from './resolve.ts';

const entry = { hash: 'a'.repeat(64), size: 1, updatedAt: 0 };
const manifest = (...paths: string[]) => new Map(paths.map((path) => [path, entry]));
const SITE = manifest('a.txt', 'about.html', 'docs/index.html', 'docs/more.html', 'img/é ü.png', '100%.txt');

/** What a path leads to, as `kind path`. */
function found(written: string, files = SITE): string {
  const what = resolvePath(files, written);
  return 'path' in what ? `${what.kind} ${what.path}` : what.kind;
}

test.each([
  ['', 'page'],
  ['index.html', 'page'],
  ['a.txt', 'file a.txt'],
  ['about', 'file about.html'],
  ['about.html', 'file about.html'],
  ['docs', 'folder docs'],
  ['docs/', 'file docs/index.html'],
  ['docs/index.html', 'file docs/index.html'],
  ['docs/more', 'file docs/more.html'],
  ['img/%C3%A9%20%c3%bc.png', 'file img/é ü.png'],
  ['img/e%CC%81%20u%CC%88.png', 'file img/é ü.png'],
  ['100%25.txt', 'file 100%.txt'],
  ['%61.txt', 'file a.txt'],
])('%j leads to the %s', (written, expected) => {
  expect(found(written)).toBe(expected);
});

test.each([
  ['A.txt'],
  ['a.txt/'],
  ['a.txt/b'],
  ['img'],
  ['img/'],
  ['about/'],
  ['/a.txt'],
  ['docs//'],
  ['docs//more.html'],
  ['docs%2fmore.html'],
  ['docs%2Fmore.html'],
  ['docs%252fmore.html'],
  ['docs/../a.txt'],
  ['docs/%2e%2e/a.txt'],
  ['%2e%2e/%2e%2e/etc/passwd'],
  ['..%5c..%5ca.txt'],
  ['a.txt%00'],
  ['a.txt%00.png'],
  ['%'],
  ['%zz'],
  ['%c3%28'],
  ['%ff%fe'],
  ['%ed%a0%80'],
  ['__proto__'],
  ['constructor'],
  ['x'.repeat(10_000)],
  ['%61'.repeat(10_000)],
])('%j leads nowhere', (written) => {
  expect(found(written)).toBe('missing');
});

test('a page can answer what is missing with its 404.html', () => {
  expect(resolvePath(manifest('404.html'), 'x')).toEqual({
    kind: 'missing',
    page: { path: '404.html', entry },
  });
  expect(resolvePath(SITE, 'x')).toEqual({ kind: 'missing' });
});

test('a file wins over a document and a folder of the same name', () => {
  const files = manifest('a', 'a.html', 'b.html', 'b/index.html');
  expect([found('a', files), found('b', files), found('b/', files)]).toEqual([
    'file a',
    'file b.html',
    'file b/index.html',
  ]);
});

describe('paths in URLs', () => {
  test.each(['a b/ü%?#&.png', 'a/b', '日本/語.html'])('%j survives', (path) => {
    expect(decodePath(encodePath(path))).toBe(path);
  });
});
