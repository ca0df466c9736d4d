import { Database } from 'bun:sqlite';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A program: moves the logs of databases that nobody has open into the databases, and empties them. */
const folder = process.argv[2] ?? '';
for (const file of readdirSync(folder)) {
  if (!file.endsWith('.sqlite-wal')) continue;
  const database = new Database(join(folder, file.slice(0, -'-wal'.length)), { readwrite: true });
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}
