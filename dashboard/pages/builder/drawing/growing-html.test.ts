import { expect, test } from 'bun:test';
import { MAX_GROWING_HTML } from '../../../../contract/rules/builder-limits.ts';
import { hasContent, toComplete } from './growing-html.ts';

const DOCUMENT = `<!doctype html>
<html lang="en"><head><title>A < B</title><style>h1 > a { color: red }</style>
<SCRIPT src="x.js"></SCRIPT></head>
<body onload="x()"><h1 title="a > b">Bees</h1><script>if (a < b && c > d) run("</scr" + "ipt>")</script><script type="module">go()</script><scripty>text</scripty></body></html>`;

test('a document only grows, by whole tags, wherever its pieces end', () => {
  let before = '';
  for (let end = 0; end <= DOCUMENT.length; end++) {
    const now = toComplete(DOCUMENT.slice(0, end));
    expect(now.startsWith(before)).toBe(true);
    before = now;
  }
  expect(before.match(/<script type="text\/held"/gi)).toHaveLength(3);
  expect(before).toContain('<scripty>');
});

test.each<[string, boolean]>([
  ['', false],
  ['<!doctype html><html><head><title>Bees</title><style>body { color: red', false],
  ['<!doctype html><html><head><title>Bees</title></head><body class="a"><main>', false],
  ['<!doctype html><html><head><title>Bees</title></head><body><script>let a = 1', false],
  ['<!doctype html><html><head></head><body><!-- the head', false],
  ['<!doctype html><html><head></head><body><h1>B', true],
  ['<!doctype html><html><head></head><body><svg viewBox="0 0 1 1">', true],
  ['<title>Bees</title><h1>Bees', true],
])('knows whether %j has something to see', (html, expected) => {
  expect(hasContent(html)).toBe(expected);
});

test.each(['<', '<body', '<script', '<!--', '<style>', '</head', '"<a'])(
  'a document that only repeats %j is read at once',
  (piece) => {
    const html = piece.repeat(MAX_GROWING_HTML / piece.length);
    // In quadratic time, this would not end before the test does.
    hasContent(html);
    expect(toComplete(html).length).toBeLessThanOrEqual(html.length * 5);
  },
);
