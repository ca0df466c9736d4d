import { DATABASE_HEADERS } from '../protocol.ts';
import type { HostPolicy } from './host-policy.ts';
import { estimateSize, fromSqlValue } from './values.ts';

/** A larger result, of one statement or of a batch, is refused: it would be in memory several times. */
const MAX_RESULT_ROWS = 100_000;
const MAX_RESULT_BYTES = 32 * 1024 * 1024;

/** What a result may still add. */
export interface ResultBudget {
  rows: number;
  bytes: number;
}

export function newBudget(): ResultBudget {
  return { rows: MAX_RESULT_ROWS, bytes: MAX_RESULT_BYTES };
}

type Cursor = ReturnType<SqlStorage['exec']>;

/** Reads a result within what is left of the budget. */
export function readRows(cursor: Cursor, columnNames: string[], budget: ResultBudget): unknown[][] {
  const rows: unknown[][] = [];
  // Every row is sent with the names of its columns, and a statement can make a name as long as it likes.
  const namesSize = JSON.stringify(columnNames).length;
  for (const row of cursor.raw()) {
    const values = row.map(fromSqlValue);
    rows.push(values);
    budget.rows--;
    budget.bytes -= namesSize + estimateSize(values);
    if (budget.rows < 0 || budget.bytes < 0) {
      throw new Error('The result is too large. Ask for fewer rows with LIMIT: SQLITE_TOOBIG');
    }
  }
  return rows;
}

/** The response to a request whose statements have run. */
export function respondWith(
  result: unknown,
  { headers }: Request,
  policy: Pick<HostPolicy, 'usage'>,
): Response {
  const text = JSON.stringify(result);
  const isSession = headers.has(DATABASE_HEADERS.session);
  const usage = headers.has(DATABASE_HEADERS.key) ? policy.usage() : undefined;
  if (!isSession && usage === undefined) return new Response(text);
  return new Response(text, {
    headers: {
      ...(isSession && { [DATABASE_HEADERS.session]: String(Date.now()) }),
      ...(usage !== undefined && { [DATABASE_HEADERS.bytes]: String(usage) }),
    },
  });
}
