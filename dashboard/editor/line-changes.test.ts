import { expect, test } from 'bun:test';
import { lineChanges } from './line-changes.ts';

const numbered = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, line) => `${word} ${line}`).join('\n');

test.each([
  ['the same text', 'a\nb', 'a\nb', { added: 0, removed: 0 }],
  ['the first version', '', 'a\nb\nc', { added: 3, removed: 0 }],
  ['everything removed', 'a\nb', '', { added: 0, removed: 2 }],
  ['a line in the middle', 'a\nc', 'a\nb\nc', { added: 1, removed: 0 }],
  ['a changed line', 'a\nb\nc', 'a\nB\nc', { added: 1, removed: 1 }],
  ['changes in separate places', 'a\nb\nc\nd\ne', 'a\nB\nc\nd\nE\nf', { added: 3, removed: 2 }],
  ['a moved line', 'a\nb\nc', 'c\na\nb', { added: 1, removed: 1 }],
  ['a line after a last line without newline', 'a', 'a\nb', { added: 1, removed: 0 }],
  ['only a newline at the end', 'a\nb', 'a\nb\n', { added: 0, removed: 0 }],
  ['the first version, with a newline at the end', '', 'a\n', { added: 1, removed: 0 }],
  ['an empty line at the end', 'a\n', 'a\n\n', { added: 1, removed: 0 }],
  ['nothing in common', 'a\nb', 'x\ny\nz', { added: 3, removed: 2 }],
])('%s', (_, before, after, changes) => {
  expect(lineChanges(before, after)).toEqual(changes);
});

test('counts the lines of texts that are too different to be compared in order', () => {
  expect(lineChanges(numbered(3_000), numbered(2_500, 'row'))).toEqual({ added: 2_500, removed: 3_000 });
});
