import { expect, test } from 'bun:test';
import { pathOfReference, replaceReferences, withBase } from './references.ts';

test.each<['html' | 'css' | 'javascript', string, string]>([
  ['html', '<link rel="stylesheet" href="a.css">', '<link rel="stylesheet" href="NEW">'],
  ['html', "<img alt='' src='a.css'>", "<img alt='' src='NEW'>"],
  ['html', '<img srcset="a.css 1x, b.png 2x">', '<img srcset="NEW 1x, b.png 2x">'],
  ['html', '<p style="background: url(a.css)">', '<p style="background: url(NEW)">'],
  [
    'html',
    '<script type="module">import x from "a.css"</script>',
    '<script type="module">import x from "NEW"</script>',
  ],
  ['html', '<p data-src="a.css">a.css</p>', '<p data-src="a.css">a.css</p>'],
  [
    'css',
    '@import "a.css"; b { background: url( "a.css" ) }',
    '@import "NEW"; b { background: url( "NEW" ) }',
  ],
  [
    'javascript',
    "import 'a.css'; import('a.css'); export * from 'a.css'",
    "import 'NEW'; import('NEW'); export * from 'NEW'",
  ],
  ['javascript', "fetch('a.css')", "fetch('a.css')"],
])('in %s, %j becomes %j', (language, text, replaced) => {
  expect(replaceReferences(text, language, (address) => (address === 'a.css' ? 'NEW' : undefined))).toBe(
    replaced,
  );
});

test.each([
  ['cat.png', 'index.html', 'cat.png'],
  ['../img/my%20cat.png?x#y', 'css/style.css', 'img/my cat.png'],
  ['/cat.png', 'docs/a.html', 'cat.png'],
  ['cafe%CC%81.png', 'index.html', 'café.png'],
  ['https://example.com/cat.png', 'index.html', undefined],
  ['//example.com/cat.png', 'index.html', undefined],
  ['data:text/css,a', 'index.html', undefined],
  ['#top', 'index.html', undefined],
  ['%zz', 'index.html', undefined],
])('%j in %s means %p', (address, from, path) => {
  expect(pathOfReference(address, from)?.path).toBe(path as string);
});

test.each([
  [
    '<!doctype html>\n<html lang="en"><head><title>x',
    '<!doctype html>\n<html lang="en"><head><base href="/b/"><title>x',
  ],
  ['<!doctype html><p>x', '<!doctype html><base href="/b/"><p>x'],
  ['<!-- a --> <p>x', '<!-- a --> <base href="/b/"><p>x'],
  ['<header>x', '<base href="/b/"><header>x'],
])('%j starts elsewhere', (html, expected) => {
  expect(withBase(html, '/b/')).toBe(expected);
});
