import { describe, expect, test } from 'bun:test';
import { isHot } from './slot.ts';

const idle = { inFlight: 0, isCrowded: false, recentCpuMs: 0 };

describe('a function gets another cell', () => {
  test.each([
    ['that waits for others in all of its calls', { inFlight: 23, recentCpuMs: 300 }, false],
    ['with 24 concurrent calls', { inFlight: 24 }, true],
    ['whose bodies wait for memory', { inFlight: 2, isCrowded: true }, true],
    ['that uses most of a core, when another call comes', { inFlight: 1, recentCpuMs: 701 }, true],
    ['that uses less', { inFlight: 1, recentCpuMs: 700 }, false],
    ['that has used a core and has finished its calls', { inFlight: 0, recentCpuMs: 1_000 }, false],
  ])('%s: %p', (_, state, expected) => {
    expect(isHot({ ...idle, ...state })).toBe(expected);
  });
});
