import { expect, test } from 'bun:test';
import { placeStatements } from './places.ts';

test('statements have their number, line and column', () => {
  const script = 'SELECT 1; SELECT 2;\n\n  -- a;b\n  SELECT\n3;END';
  expect([...placeStatements(script)]).toEqual([
    { text: 'SELECT 1', statement: 1, line: 1, column: 1 },
    { text: 'SELECT 2', statement: 2, line: 1, column: 11 },
    { text: 'SELECT\n3', statement: 3, line: 4, column: 3 },
    { text: 'END', statement: 4, line: 5, column: 3 },
  ]);
});

test('a line of very many statements takes no longer than as many lines', () => {
  const count = 200_000;
  let last: unknown;
  for (const place of placeStatements('END;'.repeat(count))) last = place;
  expect(last).toEqual({ text: 'END', statement: count, line: 1, column: 4 * count - 3 });
});
