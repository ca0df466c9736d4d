import { expect, test } from 'bun:test';
import { MAX_MARKDOWN_HTML, toMarkdown } from './markdown.ts';

test.each([
  [
    '<h1>One</h1><p>Two <b>three</b><br>four</p><h2 class=x>Five</h2>',
    '# One\n\nTwo **three**\nfour\n\n## Five',
  ],
  ['<ul><li>a</li><li>b <a href="/p/x">c</a></ul>', '- a\n- b [c](/p/x)'],
  ['<p>a &amp; b &lt;i&gt; &nbsp; 1 < 2</p>', 'a & b <i> 1 < 2'],
  [
    '<pre><code>let a = 1;\n  b();</code></pre><p>Use <code>b()</code>.',
    '```\nlet a = 1;\n  b();\n```\n\nUse `b()`.',
  ],
  ['<table><tr><th>a<th>b<tr><td>1<td>2</table>', '| a| b\n| 1| 2'],
  ['<img src="a.png" alt="A boat"><img src="b.png">', '![A boat](a.png)'],
  ['<!doctype html><!-- <h1>no</h1> --><head><title>no</title><style>no</style></head><body>yes', 'yes'],
  [
    'a<script>no("</p>")</script>b<template><p>no<template>no</template>no</template>c<svg><text>no</text></svg>d',
    'abcd',
  ],
  ['<noscript>no</noscript><p>yes</p></a></script>', 'yes'],
  ['<hr>', '---'],
  ['', ''],
  ['a<!-- never closed <p>b', 'a'],
])('%j', (html, markdown) => {
  expect(toMarkdown(html)).toBe(markdown);
});

test('leaves out the rest of a long document, and says so', () => {
  expect(toMarkdown('a'.repeat(MAX_MARKDOWN_HTML))).toBe('a'.repeat(MAX_MARKDOWN_HTML));
  expect(toMarkdown('a'.repeat(MAX_MARKDOWN_HTML + 1))).toBe(
    `${'a'.repeat(MAX_MARKDOWN_HTML)}\n\n[The rest of the page is left out.]`,
  );
});

test('takes time in proportion to the length, whatever the document repeats', () => {
  const cost = (html: string) => {
    const before = performance.now();
    toMarkdown(html);
    return performance.now() - before;
  };
  const usual = '<p>Words <b>and</b> more words.</p>\n';
  cost(usual.repeat(MAX_MARKDOWN_HTML / usual.length));
  const most = 500 * Math.max(1, cost(usual.repeat(MAX_MARKDOWN_HTML / usual.length)));
  for (const [start, part] of [
    ['<pre>', ' '],
    ['<pre>', ' \t'],
    ['<pre>', '\n'],
    ['<pre>', ' \n'],
    ['', '<'],
    ['', '<a '],
    ['', '<a href=x>'],
    ['', '<!'],
    ['<img ', 'b=1 '],
  ] as const)
    expect([part, cost(start + part.repeat(MAX_MARKDOWN_HTML / part.length)) < most]).toEqual([part, true]);
});
