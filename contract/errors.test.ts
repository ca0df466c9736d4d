import { expect, test } from 'bun:test';
import { withOperation, withoutOperation, withoutPlace, withPlace } from './errors.ts';

test.each([
  [{ line: 3, column: 7 }, 'No such table (yet). (line 3, column 7)'],
  [{ file: 'lib/a (1).ts', line: 1, column: 1 }, 'No such table (yet). (lib/a (1).ts, line 1, column 1)'],
])('a message about code ends with its place, and can be read without it', (place, text) => {
  expect(withPlace('No such table (yet).', place)).toBe(text);
  expect(withoutPlace(text, place)).toBe('No such table (yet).');
  expect(withoutPlace(text, { line: 4, column: 7 })).toBe(text);
});

test('a message about an operation starts with its index, and can be read without it', () => {
  const text = withOperation('Operation 1: is a title.', 12);
  expect(text).toBe('Operation 12: Operation 1: is a title.');
  expect(withoutOperation(text, 12)).toBe('Operation 1: is a title.');
  expect(withoutOperation(text, 1)).toBe(text);
});
