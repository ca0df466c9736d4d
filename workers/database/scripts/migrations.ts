import { MIGRATIONS_TABLE } from '../../../contract/rules/projects/migrations.ts';
import type { Migration, MigrationPlace } from '../../protocol.ts';
import { MigrationError } from '../failures.ts';
import { placeStatements } from './places.ts';
import { checkReferences, deferReferences, FRAME, PIECE_LENGTH, runStatement } from './script.ts';

/** Applies migrations, and notes them in the table that wrangler uses. */

/** Far more migrations than a database has. */
const MAX_NOTES = 10_000;

/** The names of the migrations that a database has, with the moment of each. */
type Notes = Map<string, string | null>;

/**
 * Applies the migrations that the database does not have yet, in the order in which they come. Call it in a
 * transaction. It stops between pieces, so that other databases get a turn. Returns the names of those it applied.
 */
export function* applyMigrations(sql: SqlStorage, migrations: Migration[]): Generator<void, string[]> {
  const applied: string[] = [];
  let notes: Notes = new Map();
  for (const [index, { name, sql: script }] of migrations.entries()) {
    const whole: MigrationPlace = { name, line: 1, column: 1 };
    if (index === 0) notes = attempt(whole, () => readNotes(sql));
    if (notes.has(name)) continue;
    deferReferences(sql);
    yield* runMigration(sql, name, script);
    attempt(whole, () => checkReferences(sql));
    notes = attempt(whole, () => writeNotes(sql, notes, name));
    applied.push(name);
  }
  return applied;
}

function* runMigration(sql: SqlStorage, name: string, script: string): Generator<void> {
  let length = 0;
  for (const { text, ...place } of placeStatements(script)) {
    if (FRAME.test(text)) continue;
    attempt({ name, ...place }, () => runStatement(sql, text));
    length += text.length;
    if (length < PIECE_LENGTH) continue;
    yield;
    length = 0;
  }
}

function attempt<T>(place: MigrationPlace, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new MigrationError(error, place);
  }
}

function readNotes(sql: SqlStorage): Notes {
  sql.exec(MIGRATIONS_TABLE);
  const rows = [
    ...sql
      .exec(
        `SELECT substr(name, 1, 300), substr(applied_at, 1, 50) FROM d1_migrations LIMIT ${MAX_NOTES + 1}`,
      )
      .raw(),
  ];
  if (rows.length > MAX_NOTES)
    throw new Error(`The table d1_migrations has more than ${MAX_NOTES} rows: SQLITE_ERROR`);
  return new Map(rows.map(([name, at]) => [String(name), at === null ? null : String(at)]));
}

/**
 * Notes a migration that ran. It may have dropped or emptied the table, as an export of a database does that brings its
 * own notes along. Then the notes of before are added to those, so that nothing runs twice.
 */
function writeNotes(sql: SqlStorage, before: Notes, name: string): Notes {
  const present = readNotes(sql);
  const note = (each: string, at: string | null | undefined) => {
    if (present.has(each)) return;
    if (at) sql.exec('INSERT INTO d1_migrations (name, applied_at) VALUES (?, ?)', each, at);
    else sql.exec('INSERT INTO d1_migrations (name) VALUES (?)', each);
  };
  for (const [each, at] of before) note(each, at);
  note(name, undefined);
  const after = readNotes(sql);
  if ([...before.keys(), name].every((each) => after.has(each))) return after;
  throw new Error('The migration changes the table d1_migrations, which has to note it: SQLITE_ERROR');
}
