import { z } from 'zod';
import { list, timestamp } from '../fields.ts';
import { MAX_SCHEDULES } from '../rules/limits.ts';
import { rule } from '../rules/texts/rule.ts';

/** The wire shapes of schedules, which run a function at certain times. */

export const MAX_CRON_LETTERS = 100;
const MAX_TIMEZONE_LETTERS = 50;

const cron = z
  .string('must be text')
  .max(MAX_CRON_LETTERS, rule('must have at most {max} characters', { max: String(MAX_CRON_LETTERS) }))
  .regex(
    /^[\w*/,#-]+( [\w*/,#-]+){4}$/,
    'must have five fields with one space between them: minute, hour, day of the month, month and day of the week',
  )
  .meta({ description: 'Five fields: minute, hour, day of the month, month, day of the week' });

const timezone = z
  .string('must be text')
  .max(
    MAX_TIMEZONE_LETTERS,
    rule('must have at most {max} characters', { max: String(MAX_TIMEZONE_LETTERS) }),
  )
  .regex(/^[A-Za-z][\w+-]*(\/[\w+-]+){0,2}$/, 'must be the name of a time zone, such as Europe/Berlin');

/** When to run the function, as owners send it. */
export const NewSchedule = z.strictObject({
  cron,
  timezone: timezone.default('UTC').meta({ description: 'An IANA name, such as Europe/Berlin' }),
});
export type NewSchedule = z.infer<typeof NewSchedule>;

/** All schedules of a function. They replace the existing ones. */
export const NewSchedules = list(NewSchedule, {
  max: MAX_SCHEDULES,
  tooLong: rule('has more than {max} schedules', { max: MAX_SCHEDULES }),
}).refine(
  (schedules) => new Set(schedules.map((each) => `${each.cron} ${each.timezone}`)).size === schedules.length,
  'must not contain a schedule twice',
);

export const RUN_RESULTS = ['running', 'ok', 'error', 'interrupted'] as const;

/** A schedule of a function, as only its owner sees it. */
export const Schedule = z.object({
  cron: z.string(),
  timezone: z.string(),
  nextRunAt: timestamp,
  failures: z.int().meta({
    description: 'How many runs have failed in a row. From the third on, the next run is delayed.',
  }),
  lastRun: z
    .object({
      scheduledAt: timestamp,
      startedAt: timestamp,
      result: z.enum(RUN_RESULTS),
      durationMs: z.int().nullable(),
      error: z.string().nullable(),
    })
    .nullable()
    .meta({ description: 'The last run; null before the first.' }),
});
export type Schedule = z.infer<typeof Schedule>;

/** Which schedule to run now. */
export const RunSchedule = z.strictObject({
  cron: cron.optional().meta({
    description: 'The cron text of one of the schedules. Default: the first schedule',
  }),
});
export type RunSchedule = z.infer<typeof RunSchedule>;
