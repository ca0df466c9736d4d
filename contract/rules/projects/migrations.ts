import { isFunctionPath, MAX_FUNCTION_FILES } from '../function-names.ts';

/** The migrations of a D1 database, as wrangler applies them. */

/** The table in which wrangler notes which migrations a database has. */
export const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** A migration as a script that also notes it. Run in one transaction, a migration that fails leaves nothing behind. */
export function toMigrationScript({ name, sql }: { name: string; sql: string }): string {
  return `${sql}\n;INSERT INTO d1_migrations (name) VALUES ('${name.replaceAll("'", "''")}');`;
}

/** The folder among the files of a function whose SQL files are its migrations. */
export const MIGRATIONS_FOLDER = 'migrations/';

const FILE = /^migrations\/([^/]+\.sql)$/;

/** The migrations among the files of a function, in the order in which wrangler applies them. */
export function findMigrations(files: Record<string, string>): Array<{ name: string; sql: string }> {
  const found = Object.entries(files).flatMap(([path, sql]) => {
    const name = FILE.exec(path)?.[1];
    return name === undefined ? [] : [{ name, sql }];
  });
  return found.sort(({ name: one }, { name: other }) => compareMigrations(one, other));
}

/** By the number at the start, then by name. Names without a number come last. */
function compareMigrations(one: string, other: string): number {
  const [a, b] = [readNumber(one), readNumber(other)];
  if (a !== b) return a < b ? -1 : 1;
  return one < other ? -1 : 1;
}

const readNumber = (name: string) => Number(/^\d+/.exec(name)?.[0] ?? Number.POSITIVE_INFINITY);

/**
 * Migrations as files of a function, which are applied with its deploy. Undefined if they do not fit, as a database that
 * was exported as a migration may not. Then a client applies them itself.
 */
export function toMigrationFiles(
  migrations: Array<{ name: string; sql: string }>,
  { code, files }: { code: string; files: Record<string, string> },
  maxBytes: number,
): Record<string, string> | undefined {
  const added = Object.fromEntries(migrations.map(({ name, sql }) => [MIGRATIONS_FOLDER + name, sql]));
  const all = { ...files, ...added };
  if (!Object.keys(added).every(isFunctionPath) || Object.keys(all).length > MAX_FUNCTION_FILES)
    return undefined;
  const encoder = new TextEncoder();
  const bytes = [code, ...Object.entries(all).flat()].reduce(
    (sum, text) => sum + encoder.encode(text).length,
    0,
  );
  return bytes > maxBytes ? undefined : added;
}
