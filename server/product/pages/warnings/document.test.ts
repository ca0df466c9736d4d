import { expect, test } from 'bun:test';
import { readDocument } from './document.ts';

const BASE = 'http://quire.example';
/** The findings, each as `kind line:column what`. */
async function found(html: string): Promise<string[]> {
  return (await readDocument(html, BASE)).map((each) => {
    const what =
      'slug' in each ? each.slug : 'path' in each ? each.path : 'message' in each ? each.message : '';
    return `${each.kind} ${each.line}:${each.column} ${what}`.trim();
  });
}
const inScript = (code: string) => found(`<script>${code}</script>`);

test('finds errors at their place in the document', async () => {
  const html =
    '<p>\n<script>let a = 1;</script>\n<script type="module">import x from "y"; let b = ;</script>\n<script>\n\nf(]\n</script>';
  expect(await found(html)).toEqual(['syntax 3:50 Unexpected token', 'syntax 6:3 Unexpected token']);
});

test.each([
  ['<script type="text/template">{{ ; }}</script><script type="application/json">{"a":}</script>'],
  [
    '<script type="importmap">{;</script><script type="text/babel"><p/></script><script src="https://x.example/x.js">;;(</script>',
  ],
  ['<template><script>{{ x </script><img src="{{ a }}"></template>'],
  ['<!-- <script>let = ;</script> --><textarea><script>(</script></textarea>'],
  ['<script type="module">await 1; export {}; import.meta.url</script>'],
  [
    '<script>const id = {{PAGE_ID}}; const url = "/api/pages/{{PAGE_ID}}/team"; page_{{PAGE_ID}} = 1</script>',
  ],
  ['<script>class A { #x = 1; static { } } a?.b ?? c;</script>'.replace('for await (x of y);', '')],
  ['<script>/(?<year>\\d{4})/v; 1_000n; label: for (;;) { break label }</script>'],
  ['<script>// fetch("/api/functions/old")\n/* PageFunctions.call("older") */</script>'],
  ['<script><!-- hidden from old browsers\nlet a = 1\n--></script>'],
])('has nothing to say about %j', async (html) => {
  expect(await found(html)).toEqual([]);
});

test.each([
  ['await 1', 'syntax 1:15'],
  ['import x from "y"', 'syntax 1:9'],
  ['let a; let a', 'syntax 1:20'],
  ['return 1', 'syntax 1:9'],
  ['/(/', 'syntax 1:10'],
])('a classic script cannot be %j', async (code, start) => {
  expect((await inScript(code))[0]).toStartWith(start);
});

test.each<[string, string[]]>([
  ["PageFunctions.call('poll', {})", ['call 1:28 poll']],
  ['await_(window.PageFunctions.call("poll"))', ['call 1:42 poll']],
  ['PageFunctions.call(`poll`)', ['call 1:29 poll']],
  ["PageFunctions.fetch('shop-api', '/')", ['call 1:29 shop-api']],
  ["api.fetch('shop', '/'); env.ASSETS.fetch('a.json'); PageFunctions.other('shop')", []],
  ['PageFunctions.call("Not a slug")', ['call 1:28 Not a slug']],
  ['PageFunctions.call(name); PageFunctions.call("a" + b); other.call("poll")', []],
  ["fetch('/api/functions/poll')", ['call 1:15 poll']],
  ["fetch('/api/functions/poll?x=1', { method: 'POST' })", ['call 1:15 poll']],
  ["const url = '/api/functions/poll/database'", ['call 1:21 poll']],
  [`fetch("${BASE}/api/functions/poll")`, ['call 1:15 poll']],
  ['fetch("https://other.example/api/functions/poll")', []],
  ["fetch('/api/functions/' + slug); fetch('/api/functions/po' + rest)", []],
  [`fetch(\`/api/functions/\${slug}\`); fetch(\`/api/functions/po\${rest}\`)`, []],
  [`fetch(\`/api/functions/poll?x=\${x}\`)`, ['call 1:16 poll']],
  [`fetch(\`\${base}/api/functions/poll\`)`, []],
  [
    "fetch('/api/functions/a'); fetch('/api/functions/a'); fetch('/api/functions/b')",
    ['call 1:15 a', 'call 1:69 b'],
  ],
])('finds the functions that %s calls', async (code, expected) => {
  expect(await inScript(code)).toEqual(expected);
});

test.each<[string, string[]]>([
  ['<img src="logo.png"><img src=./img/a.png?v=2>', ['file 1:11 logo.png', 'file 1:30 ./img/a.png']],
  [
    '<script src="app.js"></script><link rel=stylesheet href="css/style.css">',
    ['file 1:14 app.js', 'file 1:58 css/style.css'],
  ],
  [
    '<a href="about.html">x</a><a href="about">y</a><a href="../up">z</a>',
    ['file 1:10 about.html', 'file 1:36 about', 'file 1:57 ../up'],
  ],
  ['<link href="/style.css"><img src="/favicon.ico">', ['file 1:13 /style.css', 'file 1:35 /favicon.ico']],
  [
    '<img srcset="a.png 1x, b.png 2x"><video poster=p.jpg>',
    ['file 1:14 a.png', 'file 1:14 b.png', 'file 1:48 p.jpg'],
  ],
  [
    '<style>a{background:url(bg.png)} /* url(no.png) */ @import "x.css";</style>',
    ['file 1:21 bg.png', 'file 1:52 x.css'],
  ],
  [
    '<script type=module>import "./a.js"; import b from "../b.js"; export * from "./c.js"; import("./d.js")</script>',
    ['file 1:28 ./a.js', 'file 1:52 ../b.js', 'file 1:77 ./c.js', 'file 1:94 ./d.js'],
  ],
  ['<script>fetch("data.json"); fetch("/x.csv")</script>', ['file 1:15 data.json', 'file 1:35 /x.csv']],
  ['<script>window.fetch("data.json")</script>', ['file 1:22 data.json']],
  [
    '<form action="/api/functions/contact"><button formaction="send.php">',
    ['call 1:15 contact', 'file 1:59 send.php'],
  ],
])('finds the files that %s needs', async (html, expected) => {
  expect(await found(html)).toEqual(expected);
});

test.each([
  '<a href="#top"></a><a href=""></a><a href="?page=2"></a><a href="./"></a><a href="/"></a>',
  '<a href="https://x.example/a.html"></a><a href="//x.example/a.css"></a><a href="mailto:a@b.c"></a>',
  '<img src="data:image/png;base64,AAAA"><img src="/images/abc.png"><a href="/p/other"></a><a href="/docs/"></a>',
  `<img src="{{ url }}"><img src="\${url}"><a href="<%= url %>">`,
  '<base href="https://cdn.example/"><img src="logo.png"><script type=module>import "./a.js"</script>',
  '<img srcset="data:image/gif;base64,AA, 1x">',
  '<script type=module>import "react"; import("lodash"); fetch(url); fetch("/api/pages/1/solo-data/x")</script>',
  '<img alt="src=logo.png"><p title="href=about.html"></p>',
])('%s needs no file', async (html) => {
  expect(await found(html)).toEqual([]);
});

test('reports at most 50 findings', async () => {
  expect(await found('<script>(</script>'.repeat(50))).toHaveLength(50);
  expect(await found('<script>(</script>'.repeat(51))).toHaveLength(50);
});

test('checks 512 KB of scripts and says that there is more', async () => {
  const mostly = `<script>"${'x'.repeat(512 * 1024 - 2)}"</script>`;
  expect(await found(mostly)).toEqual([]);
  expect(await found(`${mostly}<script>(</script>`)).toEqual(['too much script 1:524306']);
});

test('a script that is nested too deeply has one finding', async () => {
  const [finding, ...others] = await inScript('['.repeat(100_000));
  expect(finding).toStartWith('too deep 1:');
  expect(others).toEqual([]);
});

/** The processor time that reading takes, in milliseconds, and how much it found. */
async function readTimed(html: string): Promise<{ milliseconds: number; findings: number }> {
  const before = process.cpuUsage();
  const findings = await readDocument(html, BASE);
  const { user, system } = process.cpuUsage(before);
  return { milliseconds: (user + system) / 1000, findings: findings.length };
}

/** What it costs to compile code and to collect garbage, whatever is read. */
const NOISE_MS = 300;

test.each<[string, (count: number) => string, findings: number]>([
  ['links that do not end', (count) => '<a href="'.repeat(count), 0],
  ['comments of styles that do not end', (count) => '<style>/*'.repeat(count), 0],
  ['addresses in styles that do not end', (count) => '<style>url('.repeat(count), 0],
  ['sets of images that do not end', (count) => '<img srcset=", , '.repeat(count), 0],
  ['templates that do not end', (count) => '<template>'.repeat(count), 0],
  ['tags that do not end', (count) => '<script'.repeat(count), 0],
  ['links to one file', (count) => '<a href=b>'.repeat(count), 1],
  ['text like attributes', (count) => 'src='.repeat(count), 0],
  ['commas', (count) => ', '.repeat(count), 0],
  ['beginnings of comments in a style', (count) => `<style>${'/*'.repeat(count)}</style>`, 0],
  ['one set of many images', (count) => `<img srcset="${'a, '.repeat(count)}">`, 1],
  ['commas in a set of images', (count) => `<img srcset="a${','.repeat(count)}b">`, 1],
])('reading many %s takes time in proportion to their number', async (_, make, findings) => {
  const some = await readTimed(make(5_000));
  const eightTimes = await readTimed(make(40_000));
  expect([some.findings, eightTimes.findings]).toEqual([findings, findings]);
  // In proportion to the square it would be 64 times as long.
  expect(eightTimes.milliseconds).toBeLessThan(24 * some.milliseconds + NOISE_MS);
});

test('gives up on a pattern with more than a hundred names, which takes long to compile', async () => {
  const pattern = (names: number) => `/${Array.from({ length: names }, (_, at) => `(?<a${at}>b)`).join('')}/`;
  expect(await inScript(pattern(100))).toEqual([]);
  expect(await inScript(pattern(101))).toEqual(['too deep 1:9']);
  expect(await inScript(pattern(20_000))).toEqual(['too deep 1:9']);
});
