import { toTimestamp } from '../../../lib/timestamp.ts';
import type { StatsRow } from './stats-store.ts';
import type { LogRow } from './store.ts';

/** Log entries and statistics as wire shapes of the contract. */

export const toLogEntry = (row: LogRow) => ({
  id: row.id,
  timestamp: toTimestamp(row.at),
  kind: row.kind,
  level: row.level,
  message: row.message,
  status: row.status,
  durationMs: row.duration_ms,
});

export const toStats = (row: StatsRow) => ({
  hour: toTimestamp(row.hour),
  calls: row.calls,
  errors: row.errors,
  averageMs: Math.round(row.duration_total_ms / Math.max(1, row.calls)),
  maxMs: row.duration_max_ms,
});
