import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { createDeadlines } from './deadlines.ts';

let moment = 0;
const deadlines = createDeadlines(1_000, () => moment);
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function advance(milliseconds: number): void {
  moment += milliseconds;
  jest.advanceTimersByTime(milliseconds);
}

test('each ends at its own time, also those that started after the first', () => {
  const late: string[] = [];
  deadlines.begin(() => late.push('first'));
  advance(400);
  deadlines.begin(() => late.push('second'));
  advance(599);
  expect(late).toEqual([]);
  advance(1);
  expect(late).toEqual(['first']);
  advance(399);
  expect(late).toEqual(['first']);
  advance(1);
  expect(late).toEqual(['first', 'second']);
});

test('a finished one never ends late, and its neighbours do', () => {
  const late: string[] = [];
  deadlines.begin(() => late.push('first'));
  const ended = deadlines.begin(() => late.push('ended'));
  advance(500);
  deadlines.begin(() => late.push('last'));
  deadlines.end(ended);
  advance(2_000);
  expect(late).toEqual(['first', 'last']);
});

test('one that starts after all others have ended also ends', () => {
  const late: string[] = [];
  deadlines.end(deadlines.begin(() => late.push('ended')));
  advance(5_000);
  deadlines.begin(() => late.push('alone'));
  advance(1_000);
  expect(late).toEqual(['alone']);
});
