import { expect, test } from 'bun:test';
import { readStack } from './stack.ts';

const FILES = ['function.ts', 'lib/x.ts'];

test('splits a stack into its message and the places in the code', () => {
  const { message, frames } = readStack(
    'TypeError: no b\nin two lines\n    at inner (lib/x.ts:6:17)\n    at async Object.fetch (function.ts:6:26)',
    FILES,
  );
  expect(message).toBe('TypeError: no b\nin two lines');
  expect(frames).toEqual([
    { text: 'at inner (lib/x.ts:6:17)', place: { file: 'lib/x.ts', line: 6, column: 17 } },
    { text: 'at async Object.fetch (function.ts:6:26)', place: { file: 'function.ts', line: 6, column: 26 } },
  ]);
});

test('finds the main module under the name that it has without a compiler', () => {
  const { frames } = readStack('Error\n    at function.js:3:1', FILES);
  expect(frames[0]?.place).toEqual({ file: 'function.ts', line: 3, column: 1 });
});

test('has no place for code of others, and no frames for what has no stack', () => {
  const { frames } = readStack(
    'Error\n    at parse (node_modules/zod/index.js:1:2)\n    at <anonymous>',
    FILES,
  );
  expect(frames.map(({ place }) => place)).toEqual([undefined, undefined]);
  expect(readStack('a string was thrown', FILES)).toEqual({ message: 'a string was thrown', frames: [] });
});
