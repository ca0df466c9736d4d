import { expect, test } from 'bun:test';
import { labelledPoints, niceTicks } from './scale.ts';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [11, [0, 5, 10, 15]],
  [100, [0, 50, 100]],
  [1_234, [0, 500, 1_000, 1_500]],
  [99_999, [0, 50_000, 100_000]],
])('a highest value of %d has the lines %p', (max, lines) => {
  expect(niceTicks(max)).toEqual(lines);
});

test('lines between whole numbers are allowed where values are', () => {
  expect(niceTicks(0.3, { isWhole: false })).toEqual([0, 0.1, 0.2, 0.3]);
});

test('lines of bytes are at round megabytes', () => {
  const MB = 1024 ** 2;
  expect(niceTicks(90 * MB, { base: 1024 })).toEqual([0, 50 * MB, 100 * MB]);
});

test('the highest line is never below the highest value, and there are few lines', () => {
  for (let max = 1; max < 1e7; max = Math.ceil(max * 1.37)) {
    const lines = niceTicks(max);
    expect(lines.at(-1) as number).toBeGreaterThanOrEqual(max);
    expect(lines.length).toBeLessThanOrEqual(6);
  }
});

const HOUR = 3_600_000;
const from = (start: number, step: number, count: number) =>
  Array.from({ length: count }, (_, i) => start + i * step);

test('labels of a day are at round hours of the person', () => {
  const start = Date.UTC(2026, 10, 16, 5);
  const hours = (points: number[], offset: number) => points.map((i) => (5 + i + offset) % 24);
  expect(hours(labelledPoints(from(start, HOUR, 24), 'hour', 9, 0), 0)).toEqual([6, 9, 12, 15, 18, 21, 0, 3]);
  expect(hours(labelledPoints(from(start, HOUR, 24), 'hour', 4, 2 * HOUR), 2)).toEqual([12, 18, 0, 6]);
});

test('labels of a week are at midnight', () => {
  const start = Date.UTC(2026, 10, 10, 5);
  const points = labelledPoints(from(start, HOUR, 168), 'hour', 8, 0);
  expect(points.map((i) => (5 + i) % 24)).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

test('labels of days end with today', () => {
  const days = from(0, 24 * HOUR, 30);
  expect(labelledPoints(days, 'day', 7, 0)).toEqual([4, 9, 14, 19, 24, 29]);
  expect(labelledPoints(from(0, 24 * HOUR, 7), 'day', 10, 0)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('one point, and none, are no problem', () => {
  expect(labelledPoints([5 * HOUR], 'hour', 5, 0)).toEqual([0]);
  expect(labelledPoints([], 'hour', 5, 0)).toEqual([]);
});
