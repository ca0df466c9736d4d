import { expect, test } from 'bun:test';
import { drawSpark, HEIGHT, WIDTH } from './spark-path.ts';

const days = (...last: number[]) => [...Array.from({ length: 14 - last.length }, () => 0), ...last];

test('draws nothing without numbers', () => {
  for (const values of [[], [0], days(), days(-1, Number.NaN, Number.POSITIVE_INFINITY, 0)])
    expect(drawSpark(values)).toBeUndefined();
});

test('the first day is a stick, not a line from zero', () => {
  expect(drawSpark(days(5))).toEqual({ line: 'M86 22 L86 2', area: '', last: [WIDTH - 2, 2] });
});

test('the line begins on the first day with a number', () => {
  expect(drawSpark(days(1, 0, 2))).toEqual({
    line: 'M73.1 12 L79.5 22 L86 2',
    area: 'M73.1 22 L73.1 12 L79.5 22 L86 2 L86 22 Z',
    last: [86, 2],
  });
});

test('stays inside, also with huge numbers', () => {
  const { line } = drawSpark(Array.from({ length: 14 }, (_, day) => day * 1e300)) ?? { line: '' };
  for (const number of line.match(/[\d.]+/g) ?? []) expect(Number(number)).toBeLessThanOrEqual(WIDTH);
  expect(line.endsWith(`L86 ${HEIGHT - 22}`)).toBe(true);
});
