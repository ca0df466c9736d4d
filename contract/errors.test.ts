import { expect, test } from 'bun:test';
import { fault, sayFailure, withOperation, withoutOperation, withoutPlace, withPlace } from './errors.ts';
import { createTranslator, ENGLISH } from './rules/texts/fill.ts';

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

const german = createTranslator('de', {
  'The slug {slug} is taken.': 'Der Kurzname {slug} ist vergeben.',
  'This record was not found.': 'Dieser Datensatz wurde nicht gefunden.',
  'is required': 'ist erforderlich',
  'must have at most {max} characters': 'darf höchstens {max} Zeichen haben',
});

test.each([
  [{ error: 'This record was not found.' }, 'Dieser Datensatz wurde nicht gefunden.'],
  [
    { error: 'The slug a is taken.', text: 'The slug {slug} is taken.', values: { slug: 'a' } },
    'Der Kurzname a ist vergeben.',
  ],
  // In a batch, the number of the operation is a field too.
  [{ error: 'Operation 3: This record was not found.', index: 3 }, 'Dieser Datensatz wurde nicht gefunden.'],
  // A message that lists faults has the translations of the faults.
  [
    {
      error: 'a: is required; b: must have at most 9 characters.',
      details: [fault('a', 'is required'), fault('b', 'must have at most {max} characters', { max: 9 })],
    },
    'a: ist erforderlich; b: darf höchstens 9 Zeichen haben.',
  ],
  [{ error: 'Another sentence.', details: [fault('a', 'is required')] }, 'Another sentence.'],
  [{ error: 'constructor' }, 'constructor'],
])('an error response is translated: %j', (failure, expected) => {
  expect(sayFailure(failure, german)).toBe(expected);
  expect(sayFailure(failure, ENGLISH)).toBe(failure.error);
});
