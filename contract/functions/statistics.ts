import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { choiceRule } from '../rules/texts/rule.ts';

/** The wire shapes of the statistics of a function. */

const STATS_RANGES = ['24h', '7d', '30d'] as const;
export type StatsRange = (typeof STATS_RANGES)[number];

export const StatsQuery = z.object({
  range: z
    .enum(STATS_RANGES, choiceRule(STATS_RANGES))
    .default('7d')
    .meta({ description: 'The time until now that `series` and `totals` cover.' }),
});

const HourlyStats = z.object({
  hour: timestamp,
  calls: z.int(),
  errors: z.int(),
  averageMs: z.number(),
  maxMs: z.int(),
});

const duration = z.int().nullable();
const CallFigures = z.object({
  calls: z.int(),
  errors: z.int(),
  averageMs: z.int(),
  maxMs: z.int(),
  p50Ms: duration.meta({ description: 'Half of the calls took at most this long. Null if unmeasured.' }),
  p75Ms: duration,
  p95Ms: duration,
  p99Ms: duration,
});
export type CallFigures = z.infer<typeof CallFigures>;
const StatsPoint = CallFigures.extend({ at: timestamp });
export type StatsPoint = z.infer<typeof StatsPoint>;

export const Stats = z.object({
  stats: z.array(HourlyStats).meta({ description: 'Hours with calls in the last seven days.' }),
  range: z.enum(STATS_RANGES),
  unit: z.enum(['hour', 'day']).meta({ description: 'What each point of the series covers.' }),
  series: z
    .array(StatsPoint)
    .meta({ description: 'All hours or days of the range, also those without calls.' }),
  totals: CallFigures,
  previousTotals: z.object({ calls: z.int(), errors: z.int() }).nullable().meta({
    description: 'The time before, of equal length. Null for 30d: statistics are kept for 30 days.',
  }),
});
export type Stats = z.infer<typeof Stats>;
