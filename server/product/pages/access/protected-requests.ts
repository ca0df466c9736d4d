import type { Changes } from '../../../../contract/endpoint.ts';
import { isReading } from '../../../../contract/rules/sql-statements.ts';
import type { Actor } from '../../../platform/http/index.ts';

/** What requests of programs would change, as far as their bodies say it. */

const RESTORE_PATH = '/api/pages/:id/restore';
const MERGE_PATH = '/api/pages/:id/branches/:name/merge';
const FUNCTIONS_PATH = '/api/functions';
const SQL_PATH = '/api/functions/:slug/database';
/** Endpoints whose body says what they change. */
const BY_BODY: ReadonlySet<string> = new Set([RESTORE_PATH, MERGE_PATH, FUNCTIONS_PATH, SQL_PATH]);

export const makesFunction = (path: string) => path === FUNCTIONS_PATH;
export const mergesBranch = (path: string) => path === MERGE_PATH;

export const read = (body: unknown, field: string): unknown =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[field] : undefined;

/** Whether a request is decided now: with its body, or before that is read. */
export function isDecidable(path: string, changes: Changes, request: object): boolean {
  return changes !== 'nothing' && BY_BODY.has(path) === 'body' in request;
}

/** A dry run changes nothing, nor does an SQL statement that only reads. */
export function changesNothing(path: string, body: unknown): boolean {
  if (path === RESTORE_PATH || path === MERGE_PATH) return read(body, 'dry_run') === true;
  const sql = read(body, 'sql');
  return path === SQL_PATH && typeof sql === 'string' && isReading(sql);
}

/** Whether a request about a page can change its databases, which other pages may use too. */
export function changesDatabases(path: string, body: unknown, { scopes }: Actor): boolean {
  if (path === MERGE_PATH) return true;
  // A restore leaves out what needs another scope.
  if (path !== RESTORE_PATH || !scopes.includes('functions:write')) return false;
  const parts = read(body, 'parts');
  return !Array.isArray(parts) || parts.includes('databases') || parts.includes('functions');
}
