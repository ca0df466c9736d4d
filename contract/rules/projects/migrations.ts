/** The migrations of a D1 database, as wrangler applies them. */

/** The table in which wrangler notes which migrations a database has. */
export const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** A migration as a script that also notes it. Run in one transaction, a migration that fails leaves nothing behind. */
export function toMigrationScript({ name, sql }: { name: string; sql: string }): string {
  return `${sql}\n;INSERT INTO d1_migrations (name) VALUES ('${name.replaceAll("'", "''")}');`;
}
