import type { HourlyStats } from './api.ts';

const HOUR_MS = 3600 * 1000;

/** The last `count` hours up to now. Hours without calls are zeros. */
export function lastHours(stats: HourlyStats[], count: number, now: number): HourlyStats[] {
  const known = new Map(stats.map((entry) => [Date.parse(entry.hour), entry]));
  const current = now - (now % HOUR_MS);
  return Array.from({ length: count }, (_, i) => {
    const at = current - (count - 1 - i) * HOUR_MS;
    return known.get(at) ?? { hour: new Date(at).toISOString(), calls: 0, errors: 0, averageMs: 0, maxMs: 0 };
  });
}

/** The totals of all hours. The average is per call, not per hour. */
export function totalOf(hours: HourlyStats[]) {
  const calls = hours.reduce((sum, hour) => sum + hour.calls, 0);
  const errors = hours.reduce((sum, hour) => sum + hour.errors, 0);
  const totalMs = hours.reduce((sum, hour) => sum + hour.averageMs * hour.calls, 0);
  return {
    calls,
    errors,
    errorRate: calls === 0 ? 0 : errors / calls,
    averageMs: calls === 0 ? 0 : Math.round(totalMs / calls),
    maxMs: Math.max(0, ...hours.map((hour) => hour.maxMs)),
  };
}
