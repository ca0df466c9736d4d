/**
 * How long calls take, as a histogram: calls by bucket. The first bucket has calls under 1 ms, and each other one
 * reaches 1.41 times as far as the one before. The last has all calls of about 33 s and more.
 */
const PER_DOUBLING = 2;
export const BUCKETS = 32;

export type Histogram = number[];

export const chooseBucket = (durationMs: number) =>
  durationMs < 1 ? 0 : Math.min(BUCKETS - 1, 1 + Math.floor(PER_DOUBLING * Math.log2(durationMs)));

/** Where a bucket begins. */
const bucketStart = (bucket: number) => (bucket === 0 ? 0 : 2 ** ((bucket - 1) / PER_DOUBLING));

/** A percentile of the durations. Null without calls. */
export function percentile(histogram: Histogram, percent: number, maxMs: number): number | null {
  const calls = histogram.reduce((sum, count) => sum + count, 0);
  if (calls === 0) return null;
  const rank = (percent / 100) * calls;
  let before = 0;
  for (const [bucket, count] of histogram.entries()) {
    if (before + count >= rank && count > 0) {
      const share = (rank - before) / count;
      const [from, to] = [bucketStart(bucket), bucketStart(bucket + 1)];
      return Math.min(maxMs, Math.round(from + share * (to - from)));
    }
    before += count;
  }
  return maxMs;
}

export const emptyHistogram = (): Histogram => new Array<number>(BUCKETS).fill(0);

export function addHistogram(to: Histogram, added: Histogram): void {
  for (const [bucket, count] of added.entries()) to[bucket] = (to[bucket] ?? 0) + count;
}
