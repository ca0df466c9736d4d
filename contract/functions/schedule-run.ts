import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { TestedCall } from './functions.ts';
import { RUN_RESULTS } from './schedules.ts';

/** A run of a schedule that the owner started, as they see it. */
export const ScheduleRun = z.object({
  cron: z.string().meta({ description: 'What the run got as `controller.cron`.' }),
  scheduledAt: timestamp,
  result: z.enum(RUN_RESULTS).meta({ description: '`running` if the run has not ended after 25 seconds.' }),
  durationMs: z.int(),
  error: z.string().nullable(),
  ...TestedCall.pick({ exception: true, logs: true, logsTruncated: true }).shape,
});
export type ScheduleRun = z.infer<typeof ScheduleRun>;
