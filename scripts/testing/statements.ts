import { Client, type QueryResult } from 'pg';
import { migratedDatabase } from '../../test/support/engines/postgres.ts';
import { classify, type Note } from '../../test/support/statements.ts';
import type { Failure } from './outcome.ts';

/**
 * Runs the statements that tests have noted on SQLite on PostgreSQL too, each on empty tables. So a test file need not
 * run on both engines only because of its statements.
 */

/** What reads and writes rows. */
const ROWS = /^(select|insert|update|delete|with) /;
/** What only SQLite has: its tables, and how it reads JSON. The code around them has tests that run on both engines. */
const SQLITE_ONLY =
  /\bsqlite_|\bpragma_|\bnext_record_changes\b|\brecord_search_words\b|\bjson_(type|extract|each)\(|records\.data -> /;
/** A constraint can fail because the tables are empty: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const CONSTRAINT = /^23/;
/** bigint, integer, text, varchar and numeric: what our client returns like SQLite, as numbers and texts. */
const SAME_TYPES = [20, 23, 25, 1043, 1700];

/** What PostgreSQL refuses, or answers with values of a type that SQLite does not have. */
export async function runOnPostgres(adminUrl: string, notes: Note[]): Promise<Failure[]> {
  const database = await migratedDatabase(adminUrl);
  const client = new Client({ connectionString: database.url });
  const failures: Failure[] = [];
  try {
    await client.connect();
    await client.query('begin');
    for (const { text, values, place, file } of notes) {
      if (!ROWS.test(text) || SQLITE_ONLY.test(text)) continue;
      const problem = await client.query(text, values).then(otherType, refusal);
      await client.query('rollback; begin');
      if (!problem) continue;
      const error = `error: ${problem}\n${text}\n${JSON.stringify(values)}`;
      failures.push({ name: `PostgreSQL runs the statement of ${place} like SQLite`, file, error });
    }
  } finally {
    await client.end();
    await database.drop();
  }
  return failures;
}

function otherType({ fields }: QueryResult): string | undefined {
  const other = fields.find(({ dataTypeID }) => !SAME_TYPES.includes(dataTypeID));
  return other && `"${other.name}" has a type that SQLite does not have: ${other.dataTypeID}`;
}

function refusal({ code = '', message }: Error & { code?: string }): string | undefined {
  return CONSTRAINT.test(code) ? undefined : message;
}

/** Reads what all processes of a run have noted, each statement once. */
export function readNotes(lines: string): Note[] {
  const notes = lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Note);
  return [...new Map(notes.map((note) => [note.text + note.values.map(classify), note])).values()];
}
