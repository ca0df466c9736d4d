import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { SQL } from 'bun';

/** Runs statements directly on the database of a service. */
export async function runSql(
  place: { dataFolder: string; databaseUrl: string | undefined },
  ...statements: string[]
): Promise<void> {
  if (place.databaseUrl === undefined) {
    using database = new Database(join(place.dataFolder, 'quire.db'));
    // The service writes too.
    database.run('PRAGMA busy_timeout = 20000');
    for (const text of statements) database.run(text);
    return;
  }
  const sql = new SQL(place.databaseUrl, { max: 1 });
  try {
    for (const text of statements) await sql.unsafe(text);
  } finally {
    await sql.close();
  }
}

/** Reads rows directly from the database of a service. */
export async function readSql<Row>(
  place: { dataFolder: string; databaseUrl: string | undefined },
  text: string,
): Promise<Row[]> {
  if (place.databaseUrl === undefined) {
    using database = new Database(join(place.dataFolder, 'quire.db'));
    return database.query(text).all() as Row[];
  }
  const sql = new SQL(place.databaseUrl, { max: 1 });
  try {
    return [...(await sql.unsafe(text))] as Row[];
  } finally {
    await sql.close();
  }
}
