import type {
  AnalyticsPoint,
  AnalyticsTotals,
  Device,
  PageAnalytics,
  Range,
} from '../../../contract/analytics/analytics.ts';
import { toCredits } from '../../../contract/rules/credit-amounts.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { Db } from '../../platform/storage/index.ts';
import { listErrors } from './errors/store.ts';
import { DAY_MS, floorToDay, floorToHour, HOUR_MS } from './limits.ts';
import { createSketch, decodeSketch, estimate, mergeSketch } from './sketch.ts';
import { DIRECT, listDays, listHours, OTHER, sumFeatures, sumViews, topReferrers } from './store.ts';
import { toPageError } from './wire.ts';

const RECENT_ERRORS = 10;
const MAX_REFERRERS_SHOWN = 50;
const MAX_PATHS_SHOWN = 50;
const DAYS: Record<Exclude<Range, '24h'>, number> = { '7d': 7, '30d': 30, '90d': 90 };
const HOURS = 24;

/** A row of an hour or a day. */
interface Row {
  views: number;
  visitors: number;
  errors: number;
  sketch: string | null;
}

/** The two periods that are compared. */
interface Periods {
  unit: 'hour' | 'day';
  stepMs: number;
  count: number;
  start: number;
  rows: Map<number, Row>;
}

/** Reads how a page was used in a range of time, and in the time of the same length before. */
export async function readAnalytics(
  db: Db,
  pageId: number,
  range: Range,
  now: number,
): Promise<PageAnalytics> {
  const periods = await readPeriods(db, pageId, range, now);
  const { unit, stepMs, count, start } = periods;
  const before = start - count * stepMs;
  const [today, since, sinceBefore] = [floorToDay(now) + DAY_MS, floorToDay(start), floorToDay(before)];
  const features = await sumFeatures(db, pageId, since, today);
  const featuresBefore = await sumFeatures(db, pageId, sinceBefore, since);
  const referrers = await topReferrers(db, pageId, since, MAX_REFERRERS_SHOWN);
  const devices = await sumViews(db, pageId, 'device', since);
  const paths = await readPaths(db, pageId, since);
  const errors = await listErrors(db, pageId, RECENT_ERRORS);
  return {
    range,
    unit,
    series: makeSeries(periods, start),
    previous: makeSeries(periods, before),
    totals: sumTotals(periods, start, features),
    previousTotals: sumTotals(periods, before, featuresBefore),
    referrers: referrers.map(({ referrer, views }) => ({ ...toSource(referrer), views })),
    paths,
    devices: devices.map(({ name, views }) => ({ device: name as Device, views })),
    features: features.map(({ feature, uses, tokens }) => ({ feature, uses, credits: toCredits(tokens) })),
    recentErrors: errors.map(toPageError),
  };
}

async function readPeriods(db: Db, pageId: number, range: Range, now: number): Promise<Periods> {
  if (range === '24h') {
    const start = floorToHour(now) - (HOURS - 1) * HOUR_MS;
    const rows = await listHours(db, pageId, start - HOURS * HOUR_MS);
    const byHour = new Map<number, Row>(rows.map((row) => [row.hour, row]));
    return { unit: 'hour', stepMs: HOUR_MS, count: HOURS, start, rows: byHour };
  }
  const count = DAYS[range];
  const start = floorToDay(now) - (count - 1) * DAY_MS;
  const rows = await listDays(db, pageId, start - count * DAY_MS);
  const byDay = new Map<number, Row>(rows.map((row) => [row.day, row]));
  return { unit: 'day', stepMs: DAY_MS, count, start, rows: byDay };
}

const listMoments = ({ stepMs, count }: Periods, start: number) =>
  Array.from({ length: count }, (_, i) => start + i * stepMs);

function makeSeries(periods: Periods, start: number): AnalyticsPoint[] {
  return listMoments(periods, start).map((moment) => {
    const { views = 0, visitors = 0, errors = 0 } = periods.rows.get(moment) ?? {};
    return { at: toTimestamp(moment), views, visitors, errors };
  });
}

function sumTotals(
  periods: Periods,
  start: number,
  features: Array<{ uses: number; tokens: number }>,
): AnalyticsTotals {
  const moments = listMoments(periods, start);
  const found = moments.flatMap((moment) => periods.rows.get(moment) ?? []);
  return {
    views: found.reduce((sum, { views }) => sum + views, 0),
    visitors:
      periods.unit === 'hour'
        ? countVisitors(periods, moments)
        : found.reduce((sum, row) => sum + row.visitors, 0),
    errors: found.reduce((sum, { errors }) => sum + errors, 0),
    featureUses: features.reduce((sum, { uses }) => sum + uses, 0),
    credits: toCredits(features.reduce((sum, { tokens }) => sum + tokens, 0)),
  };
}

/** Visitors of some hours. A visitor in two hours of the same day counts once. */
function countVisitors({ rows }: Periods, hours: number[]): number {
  const days = Map.groupBy(hours, floorToDay).values();
  return days.reduce((sum, ofDay) => {
    const sketch = createSketch();
    for (const hour of ofDay) {
      const stored = rows.get(hour)?.sketch;
      if (stored) mergeSketch(sketch, decodeSketch(stored));
    }
    return sum + estimate(sketch);
  }, 0);
}

/** The documents of a site, the most shown first. Views that are of no file are of the page's own document. */
async function readPaths(db: Db, pageId: number, since: number): Promise<PageAnalytics['paths']> {
  const files = await sumViews(db, pageId, 'path', since);
  if (files.length === 0) return [];
  const all = (await listDays(db, pageId, since)).reduce((sum, { views }) => sum + views, 0);
  const own = all - files.reduce((sum, { views }) => sum + views, 0);
  return [
    { kind: 'page' as const, path: null, views: own },
    ...files.map(({ name, views }) =>
      name === OTHER
        ? { kind: 'other' as const, path: null, views }
        : { kind: 'file' as const, path: name, views },
    ),
  ]
    .filter(({ views }) => views > 0)
    .sort((a, b) => b.views - a.views)
    .slice(0, MAX_PATHS_SHOWN);
}

function toSource(referrer: string): { kind: 'host' | 'direct' | 'other'; host: string | null } {
  if (referrer === DIRECT) return { kind: 'direct', host: null };
  return referrer === OTHER ? { kind: 'other', host: null } : { kind: 'host', host: referrer };
}
