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

test('each is late when its own time is over, also those that began after the first', () => {
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

test('what has ended is never late, and those around it are', () => {
  const late: string[] = [];
  deadlines.begin(() => late.push('first'));
  const ended = deadlines.begin(() => late.push('ended'));
  advance(500);
  deadlines.begin(() => late.push('last'));
  deadlines.end(ended);
  advance(2_000);
  expect(late).toEqual(['first', 'last']);
});

test('one that begins after all others are over is late in its turn', () => {
  const late: string[] = [];
  deadlines.end(deadlines.begin(() => late.push('ended')));
  advance(5_000);
  deadlines.begin(() => late.push('alone'));
  advance(1_000);
  expect(late).toEqual(['alone']);
});
