import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { OperationNode, QueryId } from 'kysely';

/**
 * Loaded before the tests. Notes the statements that `test/api` builds for SQLite, as PostgreSQL would get them, so that
 * `npm test` can run them there: `scripts/testing/statements.ts`.
 */

export interface Note {
  text: string;
  /** An example. Null in place of long texts, and of values that are not known when the statement is built. */
  values: Array<string | number | boolean | null>;
  /** The line of code that builds it. */
  place: string;
  /** The test file. */
  file: string;
}

const ROOT = join(import.meta.dir, '../..');
const API = join(ROOT, 'test/api/');
const MAX_LETTERS = 10_000;

const { QUIRE_TEST_STATEMENTS: path } = process.env;
if (path) await noteStatements((note) => appendFileSync(path, `${JSON.stringify(note)}\n`), API);

/**
 * Notes each statement of the test files in a folder once, and again with values of other kinds. Returns how to stop.
 */
export async function noteStatements(write: (note: Note) => void, folder: string): Promise<() => void> {
  const { DefaultQueryCompiler, PostgresQueryCompiler, SqliteQueryCompiler } = await import('kysely');
  const compiler = DefaultQueryCompiler.prototype;
  const { compileQuery } = compiler;
  const forPostgres = new PostgresQueryCompiler();
  const known = new Set<number | bigint>();
  compiler.compileQuery = function (node: OperationNode, id: QueryId) {
    const query = compileQuery.call(this, node as never, id);
    if (!(this instanceof SqliteQueryCompiler) || !Bun.main.startsWith(folder)) return query;
    const key = Bun.hash(query.sql + query.parameters.map(classify));
    if (known.has(key)) return query;
    known.add(key);
    const { sql: text, parameters } = compileQuery.call(forPostgres, node as never, id);
    write({
      text,
      values: parameters.map(shortened),
      place: locate(new Error()),
      file: relative(ROOT, Bun.main),
    });
    return query;
  };
  return () => {
    compiler.compileQuery = compileQuery;
  };
}

function shortened(value: unknown): Note['values'][number] {
  const isLong = typeof value === 'string' && value.length > MAX_LETTERS;
  return isLong || value instanceof Object ? null : (value as Note['values'][number]);
}

/** PostgreSQL refuses values of another kind than the column. SQLite converts some of them. */
export function classify(value: unknown): string {
  if (typeof value !== 'number') return value === null ? 'null' : typeof value;
  if (!Number.isInteger(value)) return 'fraction';
  return Math.abs(value) < 2 ** 31 ? 'integer' : 'bigint';
}

function locate({ stack = '' }: Error): string {
  const places = [...stack.matchAll(/\bserver\/[\w/.-]+:\d+/g)].map(([place]) => place);
  return places.find((place) => !place.startsWith('server/platform/storage/')) ?? places[0] ?? '';
}
