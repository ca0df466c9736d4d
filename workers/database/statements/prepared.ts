import { isWhole, onlyStatement, withIntegers } from '../../../contract/rules/sql-statements.ts';

/** What is known of a statement from its text, so that a text that comes again is not read again. */
export interface Prepared {
  /** The statement without what stands around it; undefined if the text has more than one. */
  statement: string | undefined;
  /** True if the statement certainly writes nothing. */
  isRead: boolean;
  /** The statement for parameters of which these are whole numbers. */
  latest: { wholes: string; sql: string };
}

/** Cached statements, together a few megabytes at most. */
const MAX_CACHED = 256;
const MAX_CACHED_LENGTH = 4096;
const cached = new Map<string, Prepared>();

/** Reads the text of a statement, or remembers it. */
export function prepare(sql: string): Prepared {
  const known = cached.get(sql);
  if (known) return known;
  const statement = onlyStatement(sql);
  const prepared = { statement, isRead: isRead(sql), latest: { wholes: '', sql: statement ?? '' } };
  if (sql.length > MAX_CACHED_LENGTH) return prepared;
  // The oldest goes first. A text in use comes back at once.
  for (const oldest of cached.keys()) {
    if (cached.size < MAX_CACHED) break;
    cached.delete(oldest);
  }
  cached.set(sql, prepared);
  return prepared;
}

/** The statement as the engine has to get it with these parameters. */
export function sqlFor(prepared: Prepared, statement: string, params: readonly unknown[]): string {
  let wholes = '';
  for (let i = 0; i < params.length; i++) if (isWhole(params[i])) wholes += `${i} `;
  if (wholes === '') return statement;
  if (prepared.latest.wholes !== wholes) prepared.latest = { wholes, sql: withIntegers(statement, params) };
  return prepared.latest.sql;
}

/** True if a statement certainly writes nothing. */
export function isRead(sql: unknown): boolean {
  return typeof sql === 'string' && /^\s*SELECT\b/i.test(sql);
}
