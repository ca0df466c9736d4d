import { expect, test } from 'bun:test';
import { Progress } from './progress.ts';

const OUTPUT = [
  'a.test.ts:',
  '(pass) one',
  '',
  'b.test.ts:',
  '(pass) two',
  '(skip) x',
  'error: no',
  '(fail) three',
];

test('shows failures with their file, and nothing about what passes', () => {
  const shown: string[] = [];
  OUTPUT.forEach(new Progress((line) => shown.push(line), 1_000).lines('PostgreSQL: '));
  expect(shown).toEqual(['\nPostgreSQL: b.test.ts:', 'error: no', '(fail) three']);
});

test('counts while tests run', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const progress = new Progress((line) => line.startsWith('[') && resolve(line), 1);
  OUTPUT.forEach(progress.lines(''));
  progress.start();
  expect(await promise).toMatch(/^\[\d+:\d\d\] 2 passed, 1 failed$/);
  progress.stop();
});
