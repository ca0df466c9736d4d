import { describe, expect, test } from 'bun:test';
import { atLeast, atMost, atMostTimes, checkValues, type Figure, isMet, roundValues } from './figure.ts';

describe('a goal', () => {
  test('is met at its limit, and missed beyond it', () => {
    expect(isMet(atLeast(0.9), 0.9, 'aarch64')).toBe(true);
    expect(isMet(atLeast(0.9), 0.89, 'aarch64')).toBe(false);
    expect(isMet(atMost(50), 50, 'aarch64')).toBe(true);
    expect(isMet(atMost(50), 50.1, 'aarch64')).toBe(false);
  });

  test('needs both ends of a range', () => {
    expect(isMet(atLeast(1), { from: 0.9, to: 1.1 }, 'x86-64')).toBe(false);
    expect(isMet(atLeast(1), { from: 1, to: 1.1 }, 'x86-64')).toBe(true);
  });

  test('looks at its own part of a value', () => {
    expect(isMet(atMost(10, 1), [20, 9], 'aarch64')).toBe(true);
    expect(isMet(atMost(10, 1), [5, 11], 'aarch64')).toBe(false);
    expect(isMet(atMost(10, 1), [5], 'aarch64')).toBe(false);
    expect(isMet(atMostTimes(1.5), [2, 3], 'aarch64')).toBe(true);
    expect(isMet(atMostTimes(1.5), [2, 3.1], 'aarch64')).toBe(false);
  });

  test('can differ between architectures, and be absent on one', () => {
    const goal = atLeast({ 'x86-64': 0.65, aarch64: 0.42 });
    expect(goal.text).toBe('at least 0.65 on x86-64, 0.42 on aarch64');
    expect(isMet(goal, 0.5, 'x86-64')).toBe(false);
    expect(isMet(goal, 0.5, 'aarch64')).toBe(true);
    expect(isMet(atLeast({ aarch64: 1 }), 0.5, 'x86-64')).toBeUndefined();
  });
});

describe('the values of a run', () => {
  const figures: Figure[] = [{ name: 'Requests/s', digits: 1, rows: { Quire: undefined } }];

  test.each([
    ['a figure', { 'Requests/h': { Quire: 1 } }],
    ['a row', { 'Requests/s': { Other: 1 } }],
  ])('are refused with %s that is not declared', (_, values) => {
    expect(() => checkValues(figures, values)).toThrow('declare');
  });

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [[1, Number.NaN]]])('are refused with %p', (value) => {
    expect(() => checkValues(figures, { 'Requests/s': { Quire: value } })).toThrow('not a number');
  });

  test('are rounded to what the tables show', () => {
    const values = { 'Requests/s': { Quire: [1.26, 2] } };
    expect(roundValues(figures, values)).toEqual({ 'Requests/s': { Quire: [1.3, 2] } });
  });
});
