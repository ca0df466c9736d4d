import type { PageError } from '../../../contract/analytics/analytics.ts';
import type { KeptContext } from '../../../contract/analytics/visits.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { ErrorRow } from './errors/store.ts';

/** A row as the wire shape of `contract/analytics`. */
export const toPageError = (row: ErrorRow): PageError => ({
  fingerprint: row.fingerprint,
  message: row.message,
  source: row.source,
  line: row.line_number,
  column: row.column_number,
  stack: row.stack,
  browser: row.browser,
  version: row.version,
  context: row.context === null ? null : (JSON.parse(row.context) as KeptContext),
  count: row.count,
  firstAt: toTimestamp(row.first_at),
  lastAt: toTimestamp(row.last_at),
});
