import { expect, test } from 'bun:test';
import { addHistogram, BUCKETS, bucketOf, emptyHistogram, percentile } from './durations.ts';

function histogramOf(durations: number[]) {
  const histogram = emptyHistogram();
  for (const duration of durations) histogram[bucketOf(duration)] = (histogram[bucketOf(duration)] ?? 0) + 1;
  return histogram;
}

test('buckets reach from under 1 ms to over 30 s', () => {
  expect([0, 0.9, 1, 2, 4].map(bucketOf)).toEqual([0, 0, 1, 3, 5]);
  expect(bucketOf(30_000)).toBeLessThan(BUCKETS - 1);
  expect(bucketOf(40_000)).toBe(BUCKETS - 1);
  expect(bucketOf(1e9)).toBe(BUCKETS - 1);
});

test('percentiles are within a bucket of the true ones', () => {
  const durations = Array.from({ length: 1_000 }, (_, i) => i + 1);
  const histogram = histogramOf(durations);
  for (const percent of [50, 75, 95, 99]) {
    const found = percentile(histogram, percent, 1_000) ?? 0;
    const real = percent * 10;
    expect(found).toBeGreaterThan(real / 1.42);
    expect(found).toBeLessThanOrEqual(Math.min(1_000, real * 1.42));
  }
});

test('no percentile exceeds the longest call, and without calls there is none', () => {
  expect(percentile(histogramOf([5, 5, 5]), 99, 5)).toBe(5);
  expect(percentile(histogramOf([0]), 50, 0)).toBe(0);
  expect(percentile(emptyHistogram(), 50, 0)).toBeNull();
});

test('histograms can be added', () => {
  const sum = histogramOf([1, 20]);
  addHistogram(sum, histogramOf([300]));
  expect(sum).toEqual(histogramOf([1, 20, 300]));
});
