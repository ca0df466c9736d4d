import { expect, test } from 'bun:test';
import { isSame } from './match.ts';

const reported = (message: string, line: number | null = 3) => ({ message, line });

test.each([
  ['Uncaught TypeError: x is not a function', 'TypeError: x is not a function', 9],
  ['Unhandled rejection: no such record', 'Unhandled rejection: Error: no such record', undefined],
  // What Firefox and Chromium say about the same line.
  ['TypeError: x is undefined', "TypeError: Cannot read properties of undefined (reading 'y')", 3],
])('%s is the same error as %s', (message, seen, line) => {
  expect(isSame(reported(message), { message: seen, ...(line !== undefined && { line }) })).toBe(true);
});

test.each([
  ['TypeError: x is not a function', 'TypeError: y is not a function', 9],
  ['TypeError: x is undefined', 'ReferenceError: y is not defined', 3],
  ['no such record', 'too many records', 3],
])('%s is another error than %s', (message, seen, line) => {
  expect(isSame(reported(message), { message: seen, line })).toBe(false);
});
