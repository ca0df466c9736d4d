import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ENGLISH } from '../texts/fill.ts';
import { findJsonFault, MAX_JSON_DEPTH } from './json-fault.ts';

function said(json: string) {
  const fault = findJsonFault(json);
  return fault && { message: ENGLISH.say(fault.text.text, fault.text.values), offset: fault.offset };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('finds an error exactly where JSON.parse does, in complete and broken texts', () => {
  const broken = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom('', ',', '}', ']', '"', ':', 'x', '\n', '\u00a0', '-', '0', '\\'),
    )
    .map(([text, at, piece]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + piece + text.slice(cut + 1);
    });
  fc.assert(
    fc.property(fc.oneof(fc.json(), broken, fc.string()), (text) => {
      expect(findJsonFault(text) === undefined).toBe(isJson(text));
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['{"a":1,}', 'expected a name in double quotes, found }', 7],
  ['[1 2]', 'expected , or ], found 2', 3],
  ['{"a" 1}', 'expected :, found 1', 5],
  ['{"a":1} x', 'expected the end of the text, found x', 8],
  ['', 'expected a value, found the end of the text', 0],
])('%j: %s', (text, message, offset) => {
  expect(said(text)).toEqual({ message, offset });
});

test('accepts values up to the greatest depth, and any number of them beside each other', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const many = Array.from({ length: 3 }, () => nested(MAX_JSON_DEPTH - 1));
  expect(findJsonFault(`[${many.join()}]`)).toBeUndefined();
  expect(said(nested(MAX_JSON_DEPTH + 1))).toEqual({
    message: 'expected at most 1000 levels, found [',
    offset: MAX_JSON_DEPTH,
  });
});
