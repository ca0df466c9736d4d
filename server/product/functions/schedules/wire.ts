import type { Schedule } from '../../../../contract/functions/schedules.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { ScheduleRow } from './store.ts';

/** A schedule as its owner sees it. */
export const toSchedule = (row: ScheduleRow): Schedule => ({
  cron: row.cron,
  timezone: row.timezone,
  nextRunAt: toTimestamp(row.due_at),
  failures: row.failures,
  lastRun:
    row.last_moment === null || row.last_started_at === null || row.last_result === null
      ? null
      : {
          scheduledAt: toTimestamp(row.last_moment),
          startedAt: toTimestamp(row.last_started_at),
          result: row.last_result,
          durationMs: row.last_duration_ms,
          error: row.last_error,
        },
});
