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
