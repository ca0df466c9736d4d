import { expect, test } from 'bun:test';
import { findColors, findDeclarations } from './css-colors.ts';
import { DocumentMap } from './document-map.ts';
import { findDocumentColors, groupColors } from './page-colors.ts';

const isName = (word: string) => ['red', 'tan', 'white', 'tomato'].includes(word);
const list = (css: string) =>
  findColors(css, isName).map(
    ({ property, value, isDark }) => `${property} ${value}${isDark ? ' dark' : ''}`,
  );

test.each<[css: string, expected: string[]]>([
  [':root { --accent: #B54; --line: rgb(0 0 0 / 10%) }', ['--accent #B54', '--line rgb(0 0 0 / 10%)']],
  ['a { color: red; background: white url(red.png) }', ['color red', 'background white']],
  ['a#bad, a#face { border: 1px solid #12345678 }', ['border #12345678']],
  ['/* color: red */ a { color: /* #fff */ tan; content: "red; color: #fff" }', ['color tan']],
  ['a { animation: red 1s; font-family: tan; grid-area: red }', []],
  ['a { b & { color: #fff } color: #000', ['color #fff', 'color #000']],
  [
    '@media (prefers-color-scheme: dark) { :root { --ink: #eee } } b { color: #111 }',
    ['--ink #eee dark', 'color #111'],
  ],
  [':root { --sheet: light-dark(#fff, #201f18) }', ['--sheet #fff', '--sheet #201f18 dark']],
  ['[data-theme=dark] a { color: #abc }', ['color #abc dark']],
  [
    'a { background: linear-gradient(red, color-mix(in oklab, #123, tan 20%)) }',
    ['background red', 'background #123', 'background tan'],
  ],
  ['a { color: var(--red); background: redder; fill: pre-red; stroke: red-post }', []],
  ['a { width: 10px; transition: color 1s red; --x: 12#345 }', ['--x #345']],
  ['}}} a { color: #123 ', ['color #123']],
  ['a { color: #12 ; color: #12345; color: #1234567 }', []],
])('finds the colors of %s', (css, expected) => {
  expect(list(css)).toEqual(expected);
});

test('a declaration has the place of its value', () => {
  const css = 'margin:0;color: red !important';
  expect(findDeclarations(css).map(({ property, from, to }) => [property, css.slice(from, to)])).toEqual([
    ['margin', '0'],
    ['color', ' red !important'],
  ]);
});

test('a page has its custom properties one by one, and other colors once', () => {
  const map = new DocumentMap(
    '<style>:root{--a:#fff;--b:#FFF}\np{color:#fff}</style><p style="color: #FFF; background: red">x</p><style>i{color:red}</style>',
  );
  const colors = groupColors(findDocumentColors(map, 'index.html', isName));
  expect(colors.map(({ name, value, uses }) => [name, value, uses.length])).toEqual([
    ['--a', '#fff', 1],
    ['--b', '#FFF', 1],
    [undefined, '#fff', 2],
    [undefined, 'red', 2],
  ]);
  for (const { value, uses } of colors)
    for (const { from, to } of uses)
      expect(map.source.slice(from, to).toLowerCase()).toBe(value.toLowerCase());
});

test('reads a large style sheet in a moment, and not more colors than a person can see', () => {
  const css = 'a{color:red;'.repeat(20_000);
  expect(findColors(css, isName)).toHaveLength(500);
  expect(findColors('('.repeat(100_000), isName)).toEqual([]);
  expect(findColors(`${'.'.repeat(60_000)}{color:red}`, isName)).toHaveLength(1);
  expect(findColors(`.dark${':not('.repeat(20_000)}{color:red}`, isName)).toHaveLength(1);
  expect(findColors(`${'a{'.repeat(50_000)}${'top:1;'.repeat(20_000)}`, isName)).toEqual([]);
  expect(findColors(`a{--x:${'light-dark('.repeat(5_000)}${'red '.repeat(600)}}`, isName)).toHaveLength(500);
});
