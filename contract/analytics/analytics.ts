import { z } from 'zod';
import { idOrSlugParams, timestamp } from '../fields.ts';
import { choiceRule } from '../rules/texts/rule.ts';
import { MAX_ERROR_MESSAGE, MAX_ERROR_SOURCE, MAX_ERROR_STACK } from './limits.ts';
import { KeptContext, ReportedVisit } from './visits.ts';

/** The wire shapes of how a page is used, and of errors in its visitors' browsers. */

export const RANGES = ['24h', '7d', '30d', '90d'] as const;
export type Range = (typeof RANGES)[number];

export const AnalyticsQuery = z.object({
  range: z
    .enum(RANGES, choiceRule(RANGES))
    .default('7d')
    .meta({ description: 'The time until now: the last 24 hours, or the last 7, 30 or 90 days in UTC.' }),
});

/** Text from a browser, cut off after `max` characters. */
const words = (max: number) => z.string().meta({ description: `Cut off after ${max} characters.` });
const place = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);

/** An error in a visitor's browser. */
export const ErrorReport = z.strictObject({
  message: words(MAX_ERROR_MESSAGE),
  source: words(MAX_ERROR_SOURCE).optional(),
  line: place.optional(),
  column: place.optional(),
  stack: words(MAX_ERROR_STACK).optional(),
  visit: ReportedVisit.optional().meta({
    description: 'What led to it, on pages whose owner lets errors be repaired.',
  }),
});
export type ErrorReport = z.infer<typeof ErrorReport>;

export const PageError = z
  .object({
    fingerprint: z
      .string()
      .meta({ description: 'The id of the error. Errors with one message at one place have one id.' }),
    message: z.string(),
    source: z
      .string()
      .meta({ description: 'The file of the page, or a URL without query; empty for the page’s document.' }),
    line: z.int().nullable(),
    column: z.int().nullable(),
    stack: z.string().nullable(),
    browser: z
      .string()
      .meta({ description: 'The browser that reported the error last, as in `Firefox 145, Linux`.' }),
    version: z.int().meta({ description: 'The version of the page in which the error last happened.' }),
    context: KeptContext.nullable().meta({
      description:
        'What led to it, kept on pages with `repair`. Only the owner and admins of the team read it.',
    }),
    count: z.int(),
    firstAt: timestamp,
    lastAt: timestamp,
  })
  .meta({ id: 'PageError' });
export type PageError = z.infer<typeof PageError>;
/** The errors in visitors' browsers, the most recent first. */
export const PageErrorList = z.object({ errors: z.array(PageError) });
export type PageErrorList = z.infer<typeof PageErrorList>;

export const errorParams = idOrSlugParams.extend({
  fingerprint: z.string().regex(/^[0-9a-f]{16}$/),
});

/** What a browser runs on, as it says. */
export const DEVICES = ['phone', 'tablet', 'desktop'] as const;
export type Device = (typeof DEVICES)[number];

const AnalyticsPoint = z.object({
  at: timestamp,
  views: z.int(),
  visitors: z.int(),
  errors: z.int(),
});
export type AnalyticsPoint = z.infer<typeof AnalyticsPoint>;

const Totals = z.object({
  views: z.int(),
  visitors: z.int().meta({ description: 'An estimate. Someone who comes on two days counts twice.' }),
  errors: z.int(),
  featureUses: z.int(),
  credits: z.number(),
});
export type AnalyticsTotals = z.infer<typeof Totals>;

export const PageAnalytics = z.object({
  range: z.enum(RANGES),
  unit: z.enum(['hour', 'day']).meta({ description: 'What each point of the series covers.' }),
  series: z.array(AnalyticsPoint),
  previous: z.array(AnalyticsPoint).meta({ description: 'The series of the time before, of equal length.' }),
  totals: Totals,
  previousTotals: Totals,
  referrers: z
    .array(
      z.object({
        kind: z.enum(['host', 'direct', 'other']),
        host: z.string().nullable(),
        views: z.int(),
      }),
    )
    .meta({ description: 'Where visitors came from, the most views first.' }),
  paths: z
    .array(
      z.object({
        kind: z.enum(['page', 'file', 'other']),
        path: z.string().nullable().meta({ description: 'The file of the site; null for the page’s own.' }),
        views: z.int(),
      }),
    )
    .meta({ description: 'The documents of a site that were shown. Empty if only its first one was.' }),
  devices: z
    .array(z.object({ device: z.enum(DEVICES), views: z.int() }))
    .meta({ description: 'What visitors’ browsers run on, the most views first.' }),
  features: z
    .array(
      z.object({
        feature: z.string(),
        uses: z.int(),
        credits: z.number().meta({ description: 'The credits that visitors paid.' }),
      }),
    )
    .meta({ description: 'Visitor features that were used, the most used first.' }),
  recentErrors: z.array(PageError).meta({ description: 'The last ten errors in visitors’ browsers.' }),
});
export type PageAnalytics = z.infer<typeof PageAnalytics>;

/** How many people came, other than the person who asks. */
export const OtherVisitors = z.object({
  today: z.int().meta({
    description:
      'Visitors since midnight UTC, without those who have the address and the browser of this request. An estimate.',
  }),
});
export type OtherVisitors = z.infer<typeof OtherVisitors>;
