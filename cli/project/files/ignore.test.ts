import { expect, test } from 'bun:test';
import { parseIgnoreRules } from './ignore.ts';

test.each<[rules: string, ignored: string[], sent: string[]]>([
  ['# a comment\n\n   ', [], ['a', '# a comment']],
  ['*.log', ['a.log', 'b/c/a.log', '.log'], ['a.log.txt', 'log']],
  ['/todo.txt', ['todo.txt'], ['a/todo.txt']],
  ['a/*.txt', ['a/b.txt'], ['b/a/b.txt', 'a/b/c.txt']],
  ['a/**/z.txt', ['a/z.txt', 'a/b/c/z.txt'], ['z.txt', 'b/z.txt']],
  ['**/tmp', ['tmp', 'a/tmp'], ['a/tmpx']],
  ['a/**', ['a/b', 'a/b/c'], ['a']],
  ['?.js', ['a.js', '\u{1f600}.js'], ['ab.js', '.js']],
  ['[a-c][!0-9].js', ['bx.js'], ['dx.js', 'b1.js']],
  ['*.txt\n!keep.txt', ['a.txt'], ['keep.txt', 'a/keep.txt']],
  ['\\#a\n\\!b\nc\\ ', ['#a', '!b', 'c '], ['a', 'b', 'c']],
  ['a.txt \r\nb.txt\r\n', ['a.txt', 'b.txt'], []],
  ['caf\u0065\u0301', ['caf\u00e9'], []],
  ['[', ['['], ['a']],
])('%j', (rules, ignored, sent) => {
  const ignores = parseIgnoreRules(rules);
  for (const path of ignored) expect([path, ignores(path, false)]).toEqual([path, true]);
  for (const path of sent) expect([path, ignores(path, false) ?? false]).toEqual([path, false]);
});

test('a slash at the end is only for folders', () => {
  const ignores = parseIgnoreRules('build/');
  expect([ignores('build', true), ignores('a/build', true), ignores('build', false)]).toEqual([
    true,
    true,
    undefined,
  ]);
});

test('a pattern with many stars takes no exponential time', () => {
  const ignores = parseIgnoreRules(`${'*a'.repeat(60)}b\n${'**/a/'.repeat(60)}b`);
  expect(ignores(`${'a'.repeat(250)}c`, false)).toBeUndefined();
  expect(ignores(`${'a/'.repeat(400)}c`, false)).toBeUndefined();
});
