import type { CallFigures, Stats, StatsRange } from '../../../../contract/functions/statistics.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { addHistogram, emptyHistogram, type Histogram, percentile } from './durations.ts';
import { listDurations, listStats, type StatsRow } from './stats-store.ts';
import { toStats } from './wire.ts';

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** How long statistics are kept: the longest range, with the hours of its first day. */
export const STATS_KEPT_MS = 31 * DAY_MS;

const RANGES: Record<StatsRange, { unit: 'hour' | 'day'; stepMs: number; count: number }> = {
  '24h': { unit: 'hour', stepMs: HOUR_MS, count: 24 },
  '7d': { unit: 'hour', stepMs: HOUR_MS, count: 7 * 24 },
  '30d': { unit: 'day', stepMs: DAY_MS, count: 30 },
};

/** The calls of some hours. */
class Calls {
  #calls = 0;
  #errors = 0;
  #totalMs = 0;
  #maxMs = 0;
  readonly #durations: Histogram = emptyHistogram();

  add(row: StatsRow, durations: Histogram | undefined): void {
    this.#calls += row.calls;
    this.#errors += row.errors;
    this.#totalMs += row.duration_total_ms;
    this.#maxMs = Math.max(this.#maxMs, row.duration_max_ms);
    if (durations) addHistogram(this.#durations, durations);
  }

  figures(): CallFigures {
    const at = (percent: number) => percentile(this.#durations, percent, this.#maxMs);
    return {
      calls: this.#calls,
      errors: this.#errors,
      averageMs: Math.round(this.#totalMs / Math.max(1, this.#calls)),
      maxMs: this.#maxMs,
      p50Ms: at(50),
      p75Ms: at(75),
      p95Ms: at(95),
      p99Ms: at(99),
    };
  }
}

/** The calls of a function in a range of time. */
export async function readStats(db: Db, functionId: number, range: StatsRange, now: number): Promise<Stats> {
  const { unit, stepMs, count } = RANGES[range];
  const start = now - (now % stepMs) - (count - 1) * stepMs;
  const before = start - count * stepMs;
  const isCompared = now - before <= STATS_KEPT_MS;
  const rows = await listStats(db, functionId, Math.min(now - WEEK_MS, isCompared ? before : start));
  const durations = await readHistograms(db, functionId, start);
  const steps = new Map<number, Calls>();
  const [total, previous] = [new Calls(), new Calls()];
  for (const row of rows) {
    const step = row.hour - (row.hour % stepMs);
    if (step < start) {
      if (step >= before) previous.add(row, undefined);
      continue;
    }
    const calls = steps.get(step) ?? new Calls();
    steps.set(step, calls);
    for (const each of [calls, total]) each.add(row, durations.get(row.hour));
  }
  const { calls, errors } = previous.figures();
  return {
    stats: rows.filter(({ hour }) => hour >= now - WEEK_MS).map(toStats),
    range,
    unit,
    series: Array.from({ length: count }, (_, i) => {
      const at = start + i * stepMs;
      return { at: toTimestamp(at), ...(steps.get(at) ?? NONE).figures() };
    }),
    totals: total.figures(),
    previousTotals: isCompared ? { calls, errors } : null,
  };
}

const NONE = new Calls();

async function readHistograms(db: Db, functionId: number, since: number): Promise<Map<number, Histogram>> {
  const found = new Map<number, Histogram>();
  for (const { hour, bucket, calls } of await listDurations(db, functionId, since)) {
    const histogram = found.get(hour) ?? emptyHistogram();
    histogram[bucket] = calls;
    found.set(hour, histogram);
  }
  return found;
}
