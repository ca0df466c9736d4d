import { expect, test } from 'bun:test';
import { lastHours, totalOf } from './series.ts';

const NOW = Date.parse('2026-03-04T12:34:56Z');
const hour = (iso: string, calls: number, errors: number, averageMs: number, maxMs: number) => ({
  hour: iso,
  calls,
  errors,
  averageMs,
  maxMs,
});

test('fills hours without calls with zeros and leaves out older hours', () => {
  const series = lastHours(
    [hour('2026-03-03T12:00:00.000Z', 9, 0, 1, 1), hour('2026-03-04T10:00:00.000Z', 2, 1, 30, 50)],
    24,
    NOW,
  );
  expect(series).toHaveLength(24);
  expect(series[0]?.hour).toBe('2026-03-03T13:00:00.000Z');
  expect(series.at(-1)).toEqual(hour('2026-03-04T12:00:00.000Z', 0, 0, 0, 0));
  expect(series.filter(({ calls }) => calls > 0)).toEqual([hour('2026-03-04T10:00:00.000Z', 2, 1, 30, 50)]);
});

test('averages over calls, and returns zeros when there are none', () => {
  const total = totalOf([hour('a', 1, 1, 100, 100), hour('b', 3, 0, 20, 40)]);
  expect(total).toEqual({ calls: 4, errors: 1, errorRate: 0.25, averageMs: 40, maxMs: 100 });
  expect(totalOf([])).toEqual({ calls: 0, errors: 0, errorRate: 0, averageMs: 0, maxMs: 0 });
});
