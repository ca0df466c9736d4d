import { expect, test } from 'bun:test';
import { toExitCode } from './usage.ts';

test.each([
  [400, 1],
  [401, 3],
  [403, 3],
  [404, 4],
  [409, 5],
  [429, 1],
  [500, 1],
])('status %d becomes exit code %d', (status, exitCode) => {
  expect(toExitCode(status)).toBe(exitCode);
});
