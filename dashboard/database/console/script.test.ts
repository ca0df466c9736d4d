import { expect, test } from 'bun:test';
import {
  chosenStatements,
  findWarnings,
  placedStatements,
  placeOfError,
  sayError,
  statementAt,
} from './script.ts';

const TEXT = "SELECT 1;\n-- two\nSELECT ';' ;\n\nDELETE FROM notes";

test('finds each statement at its place', () => {
  const found = placedStatements(TEXT);
  expect(found.map(({ sql }) => sql)).toEqual(['SELECT 1', "SELECT ';'", 'DELETE FROM notes']);
  for (const { sql, from } of found) expect(TEXT.slice(from, from + sql.length)).toBe(sql);
});

test('chooses the selection, everything, or the statement at the cursor', () => {
  const all = placedStatements(TEXT);
  expect(chosenStatements(TEXT, { from: 3, to: 3 })).toEqual(all);
  const start = TEXT.indexOf('DELETE');
  expect(chosenStatements(TEXT, { from: start - 1, to: TEXT.length })).toEqual(all.slice(2));
  expect(statementAt(all, 4)).toBe(all[0]);
  expect(statementAt(all, TEXT.length)).toBe(all[2]);
  expect(statementAt([], 0)).toBeUndefined();
});

test.each([
  ['SELEC 1', 'near "SELEC": syntax error at offset 0', { line: 1, column: 1 }],
  ["SELECT 'é',\n nope", 'no such column: nope at offset 14', { line: 2, column: 2 }],
  ['SELECT *\nFROM nope', 'no such table: nope', { line: 2, column: 6 }],
  ['SELECT 1', 'something else', { line: 1, column: 1 }],
])('places the error of %j: %s', (sql, message, place) => {
  expect(placeOfError(sql, { sql, from: 0 }, message)).toEqual(place);
  const shifted = `\n\n  ${sql}`;
  const { line, column } = placeOfError(shifted, { sql, from: 4 }, message);
  expect([line, column]).toEqual([place.line + 2, place.line === 1 ? place.column + 2 : place.column]);
});

test('says the line of an error, if there are several, and no offset', () => {
  const message = 'no such column: nope at offset 7';
  const sql = 'SELECT nope';
  expect(sayError(sql, { sql, from: 0 }, message)).toBe('no such column: nope');
  const text = `SELECT 1;\n${sql}`;
  expect(sayError(text, { sql, from: 10 }, message)).toBe('Line 2: no such column: nope');
});

test('says what is destroyed', () => {
  const warnings = findWarnings(placedStatements(`${TEXT}; UPDATE notes SET a = 1; DROP TABLE x; SELECT 1`));
  expect(warnings).toEqual([
    'This permanently deletes all rows of notes.',
    'This changes all rows of notes, because it has no WHERE clause.',
    'This permanently deletes the table x.',
  ]);
});
