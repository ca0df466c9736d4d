import type { Job, JobDetail } from '../../../../contract/functions/jobs/jobs.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { AFTER_OTHERS, countBytes, PREVIEW_CHARACTERS } from './limits.ts';
import type { JobRow } from './message-store.ts';

/** A job as its owner sees it in a list. Its row has only the beginning of the message. */
export const toJob = (row: JobRow): Job => ({
  id: row.id,
  state: row.failed_at !== null ? 'failed' : row.batch !== null ? 'running' : 'waiting',
  preview: row.body,
  bytes: row.bytes - countBytes('', null),
  key: row.key,
  tries: row.tries,
  error: row.error,
  sentAt: toTimestamp(row.sent_at),
  nextTryAt: row.failed_at === null && row.due_at !== AFTER_OTHERS ? toTimestamp(row.due_at) : null,
  failedAt: row.failed_at === null ? null : toTimestamp(row.failed_at),
});

/** A job with its message. */
export const toJobDetail = (row: JobRow): JobDetail => ({
  ...toJob({ ...row, body: row.body.slice(0, PREVIEW_CHARACTERS) }),
  body: row.body,
});
