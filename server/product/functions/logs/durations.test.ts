import { expect, test } from 'bun:test';
import { addHistogram, BUCKETS, chooseBucket, emptyHistogram, percentile } from './durations.ts';

function makeHistogram(durations: number[]) {
  const histogram = emptyHistogram();
  for (const duration of durations)
    histogram[chooseBucket(duration)] = (histogram[chooseBucket(duration)] ?? 0) + 1;
  return histogram;
}

test('buckets reach from under 1 ms to over 30 s', () => {
  expect([0, 0.9, 1, 2, 4].map(chooseBucket)).toEqual([0, 0, 1, 3, 5]);
  expect(chooseBucket(30_000)).toBeLessThan(BUCKETS - 1);
  expect(chooseBucket(40_000)).toBe(BUCKETS - 1);
  expect(chooseBucket(1e9)).toBe(BUCKETS - 1);
});

test('percentiles are within a bucket of the true ones', () => {
  const durations = Array.from({ length: 1_000 }, (_, i) => i + 1);
  const histogram = makeHistogram(durations);
  for (const percent of [50, 75, 95, 99]) {
    const found = percentile(histogram, percent, 1_000) ?? 0;
    const real = percent * 10;
    expect(found).toBeGreaterThan(real / 1.42);
    expect(found).toBeLessThanOrEqual(Math.min(1_000, real * 1.42));
  }
});

test('no percentile exceeds the longest call, and without calls there is none', () => {
  expect(percentile(makeHistogram([5, 5, 5]), 99, 5)).toBe(5);
  expect(percentile(makeHistogram([0]), 50, 0)).toBe(0);
  expect(percentile(emptyHistogram(), 50, 0)).toBeNull();
});

test('histograms can be added', () => {
  const sum = makeHistogram([1, 20]);
  addHistogram(sum, makeHistogram([300]));
  expect(sum).toEqual(makeHistogram([1, 20, 300]));
});
