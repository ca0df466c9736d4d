import { Database } from 'bun:sqlite';
import { MIGRATIONS_TABLE } from '../../../../../contract/rules/projects/migrations.ts';
import { placedStatements } from '../../../../../contract/rules/sql-statements.ts';
import type { Migration } from '../port.ts';
import type { MergeOutcome } from '../tasks.ts';
import { MAX_HEAP_BYTES } from './open.ts';
import { readSchema, type Schema } from './schema.ts';

/** Statements around a script that is one transaction already. */
const FRAME = /^(?:BEGIN|COMMIT|END|PRAGMA\s+foreign_keys\s*=)/i;

/** What main was before its migrations. */
export interface Migrated {
  before: Schema;
  count: number;
}

/**
 * Applies the migrations that a database does not have yet, in order, and notes them, as a deploy does. They come before
 * everything else of a merge, because they can also fill what they make.
 */
export function migrate(
  file: string,
  migrations: readonly Migration[],
): Migrated | { refused: MergeOutcome } {
  const database = new Database(file, { readwrite: true, create: true });
  try {
    for (const pragma of [
      `hard_heap_limit = ${MAX_HEAP_BYTES}`,
      'trusted_schema = OFF',
      'cell_size_check = ON',
      'foreign_keys = ON',
    ])
      database.run(`PRAGMA ${pragma}`);
    const before = readSchema(database, 'main');
    const known = new Set(readNotes(database));
    const pending = migrations.filter(({ name }) => !known.has(name));
    for (const migration of pending) {
      const message = run(database, migration);
      if (message !== undefined) return { refused: refuse(migration, message) };
    }
    return { before, count: pending.length };
  } finally {
    database.close();
  }
}

function readNotes(database: Database): string[] {
  const has = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'd1_migrations'");
  if (has.get() === null) return [];
  return database.prepare('SELECT name FROM d1_migrations').values().flat().map(String);
}

/** What SQLite has against it; undefined if it is applied. */
function run(database: Database, { name, sql }: Migration): string | undefined {
  try {
    database.run('BEGIN');
    database.run('PRAGMA defer_foreign_keys = ON');
    for (const { text } of placedStatements(sql)) if (!FRAME.test(text)) database.run(text);
    database.run(MIGRATIONS_TABLE);
    database.prepare('INSERT OR IGNORE INTO d1_migrations (name) VALUES (?)').run(name);
    database.run('COMMIT');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const refuse = ({ name }: Migration, message: string): MergeOutcome => ({
  ...{ isMerged: false, conflicts: [], conflictCount: 0, drops: [], tables: [], altered: 0, missing: [] },
  violations: [{ kind: 'migration', of: name.slice(0, 200), message: message.slice(0, 300) }],
});
