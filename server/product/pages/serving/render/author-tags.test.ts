import { expect, test } from 'bun:test';
import { authorTags } from './author-tags.ts';

test.each<[string, string[]]>([
  ['<meta property="og:title" content="x">', ['og:title']],
  ["<META NAME='Description' CONTENT=x>", ['description']],
  ['<meta content="a > b" name=twitter:card>', ['twitter:card']],
  ['<meta name = " og:url " /><meta/property=og:type/>', ['og:url', 'og:type/']],
  ['<meta charset="utf-8">', []],
  ['<metal name="x"><meta', []],
  ['<!-- <meta name="a"> --><meta name="b">', ['b']],
  ['<!--><meta name="a">-->', ['a']],
  ['<script>"<meta name=a>"</script ><meta name="b">', ['b']],
  ['<SCRIPT src="x"><meta name=a></Script><meta name=b>', ['b']],
  ['<script>never closed <meta name="a">', []],
  ['<title><meta name="a"></title><style><meta name="b"></style><meta name="c">', ['c']],
  ['<p title="<meta name=a>"><meta name="b"></p>', ['b']],
  ['<p title=\'"\'><meta name="a">', ['a']],
  ['</p title="><meta name=a>"><meta name="b">', ['b']],
  ['1 < 2 <meta name="a"> </ <meta name="b">', ['a', 'b']],
  ['<!doctype html><?xml ?><![CDATA[><meta name="a">', ['a']],
  ['<div><div><meta name="deep"></div>', ['deep']],
  ['<plaintext><meta name="a">', []],
  ['', []],
])('%j', (html, names) => {
  expect([...authorTags(html)]).toEqual(names);
});

test('parsing takes time in proportion to the length of the document', () => {
  const many = 200_000;
  for (const piece of [
    '<div>',
    '<s>',
    '<!--',
    '<script>',
    '<meta a',
    '<meta =',
    '</',
    '<a "',
    '<title>x',
    '<p a="',
  ])
    authorTags(piece.repeat(many));
  expect(authorTags(`${'<div>'.repeat(many)}<meta name="last">`).has('last')).toBe(true);
  expect(authorTags(`<meta ${'a'.repeat(1_000_000)} name=x>`).has('x')).toBe(true);
  expect(authorTags(`<meta ${'a '.repeat(500_000)} name=x>`).has('x')).toBe(true);
});
