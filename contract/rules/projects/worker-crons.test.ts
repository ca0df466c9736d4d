import { expect, test } from 'bun:test';
import { fromWorkerCron, toWorkerCron } from './worker-crons.ts';

test.each([
  ['0 3 * * *', '0 3 * * *'],
  ['0 3 * * 1', '0 3 * * SUN'],
  ['0 3 * * 2-6', '0 3 * * MON-FRI'],
  ['*/5 1-7 1 1-7 7', '*/5 1-7 1 1-7 SAT'],
  ['0 3 * * 1-7', '0 3 * * SUN-SAT'],
  ['0 3 * * mon,4', '0 3 * * mon,WED'],
  ['0 3 * * */2', '0 3 * * */2'],
  ['not a cron', 'not a cron'],
])('a Worker’s %s is %s here', (given, expected) => {
  expect(fromWorkerCron(given)).toBe(expected);
});

test.each([
  ['0 3 * * 0', '0 3 * * SUN'],
  ['0 3 * * 7', '0 3 * * SUN'],
  ['0 3 * * 1-5', '0 3 * * MON-FRI'],
  ['0 3 * * 5-7', '0 3 * * FRI,SAT,SUN'],
  ['0 3 * * 1-5/2', '0 3 * * MON,WED,FRI'],
  ['0 3 L * SUN', '0 3 L * SUN'],
])('%s is %s for a Worker', (given, expected) => {
  expect(toWorkerCron(given)).toBe(expected);
});

test('names stay the same there and back', () => {
  expect(fromWorkerCron(toWorkerCron('0 3 * * 1-5'))).toBe('0 3 * * MON-FRI');
});
