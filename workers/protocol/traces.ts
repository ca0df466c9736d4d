import { DATABASE_HEADERS } from './databases.ts';

/** What the server and the workers agree on for traces: how long each part of a request took. */

/**
 * On a call that the server sends to the probe: the span that the call is, as a W3C `traceparent`. The client of the
 * database sends it with each statement, and the database remembers what it ran for it until the server asks. Owner code
 * can send another one: it finds statements only of its own database, and the server asks only for spans that it made.
 */
export const TRACEPARENT_HEADER = DATABASE_HEADERS.traceparent;

/** The name of the method of `env.DB` with which the shim starts a call that is part of a trace. */
export const START_TRACE = 'quire.startTrace';

/** Traced calls that a database remembers until the server asks, and what it remembers of each. */
export const MAX_TRACED_CALLS = 32;
export const MAX_TRACED_REQUESTS = 50;
export const MAX_TRACED_STATEMENTS = 100;

/** What is said of a statement: how it begins. Its text and its values can have secrets. */
export const SQL_OPERATIONS = [
  'SELECT',
  'INSERT',
  'UPDATE',
  'DELETE',
  'REPLACE',
  'WITH',
  'CREATE',
  'ALTER',
  'DROP',
  'PRAGMA',
  'EXPLAIN',
  'BEGIN',
  'COMMIT',
  'ROLLBACK',
  'other',
] as const;
export type SqlOperation = (typeof SQL_OPERATIONS)[number];

export function toOperation(sql: string): SqlOperation {
  const word = /^\s*([a-z]+)/i.exec(sql)?.[1]?.toUpperCase();
  return SQL_OPERATIONS.find((known) => known === word) ?? 'other';
}

/** A request to a database that was part of a traced call. Times are milliseconds since 1970, with fractions. */
export interface TracedRequest {
  startMs: number;
  endMs: number;
  isTransaction: boolean;
  isFailed: boolean;
  statements: TracedStatement[];
}
export interface TracedStatement {
  operation: SqlOperation;
  startMs: number;
  endMs: number;
  rowsRead: number;
  rowsWritten: number;
}

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/;

/** The span that a request to a database is part of; null if it is not part of one. */
export function readTraceparent(headers: Headers): string | null {
  const mark = headers.get(TRACEPARENT_HEADER);
  return mark !== null && TRACEPARENT.test(mark) ? mark : null;
}
