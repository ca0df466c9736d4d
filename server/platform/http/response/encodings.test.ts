import { expect, test } from 'bun:test';
import { isKnown } from './encodings.ts';

const asking = (tags: string) => new Request('http://localhost/', { headers: { 'if-none-match': tags } });

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b",\t"a"', true],
  ['"b" , W/"a" ,"c"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
])('If-None-Match: %s contains the tag "a": %p', (tags, known) => {
  expect(isKnown(asking(tags), '"a"')).toBe(known);
});

test('a header of a million spaces is parsed in one pass', () => {
  // With quadratic time this would take hours.
  const spaces = ' '.repeat(1_000_000);
  expect(isKnown(asking(`"b"${spaces}"c",${spaces}"a"`), '"a"')).toBeTrue();
});
