import { z } from 'zod';
import { queryNumber, rowId, timestamp } from '../../fields.ts';
import { slugParams } from '../functions.ts';

/** The wire shapes of jobs: messages that a function sends to its own `queue`. */

export const jobParams = slugParams.extend({ id: rowId });

const JOB_STATES = ['waiting', 'running', 'failed'] as const;

export const JobQuery = z.object({
  state: z
    .enum(['waiting', 'failed'], { error: 'must be waiting or failed' })
    .default('failed')
    .meta({ description: 'Which jobs: those that have failed for good, or all others.' }),
  limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
  offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
});
export type JobQuery = z.infer<typeof JobQuery>;

export const Job = z
  .object({
    id: z.int(),
    state: z.enum(JOB_STATES),
    preview: z.string().meta({ description: 'The beginning of the message, as JSON.' }),
    bytes: z.int().meta({ description: 'The size of the message as JSON, with its key.' }),
    key: z.string().nullable(),
    tries: z.int().meta({ description: 'How often the function got the message.' }),
    error: z.string().nullable().meta({ description: 'Why the last try failed.' }),
    sentAt: timestamp,
    nextTryAt: timestamp
      .nullable()
      .meta({ description: 'Not before this time; null if it has failed, or waits for another job.' }),
    failedAt: timestamp.nullable(),
  })
  .meta({ id: 'Job' });
export type Job = z.infer<typeof Job>;

export const JobDetail = Job.extend({ body: z.string().meta({ description: 'The message, as JSON.' }) });
export type JobDetail = z.infer<typeof JobDetail>;

export const JobList = z.object({
  waiting: z.int().meta({ description: 'Jobs that are not done, without those that run now.' }),
  running: z.int(),
  failed: z.int(),
  jobs: z.array(Job),
});
export type JobList = z.infer<typeof JobList>;

/** Which failed jobs to send again. */
export const RetryJobs = z.strictObject({
  id: z.int().min(1).optional().meta({ description: 'One failed job. Default: all of them' }),
});
export type RetryJobs = z.infer<typeof RetryJobs>;

export const JobCount = z.object({ count: z.int().meta({ description: 'How many jobs this changed.' }) });
