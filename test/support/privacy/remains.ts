import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { listColumns, referencesTo } from '../contract/schema.ts';
import { readSql } from '../engines/storage.ts';

interface DataLocation {
  dataFolder: string;
  databaseUrl: string | undefined;
}

/** Whom to look for: texts that only they have caused, and their id. */
interface Trace {
  texts: string[];
  userId: number;
}

/** The only table that may still name a person who has left. */
const KEPT = new Set(['audit_entries']);

/** Everything of a person that a stopped service still has: rows, references to their id, and files. */
export async function findRemains(place: DataLocation, { texts, userId }: Trace): Promise<string[]> {
  const isTheirs = (content: string) => texts.filter((text) => content.includes(text));
  const found: string[] = [];
  for (const table of (await listColumns(place)).keys()) {
    if (KEPT.has(table)) continue;
    for (const row of await readSql<Record<string, unknown>>(place, `SELECT * FROM ${table}`)) {
      const content = JSON.stringify(row, (_, value) =>
        value instanceof Uint8Array ? String(value) : value,
      );
      for (const text of isTheirs(content))
        found.push(`${text} in a row of ${table}: ${content.slice(0, 300)}`);
    }
  }
  for (const reference of await referencesTo(place, 'users')) {
    const [table = '', column = ''] = reference.split('.');
    const rows = await readSql(place, `SELECT 1 FROM ${table} WHERE ${column} = ${userId}`);
    if (rows.length > 0) found.push(`${rows.length} rows with their id in ${reference}`);
  }
  for (const path of filesIn(place.dataFolder)) {
    const name = relative(place.dataFolder, path);
    // Rows are above. SQLite overwrites the pages of deleted rows only when it needs them.
    if (/^quire\.db/.test(name)) continue;
    const content = readFileSync(path, 'latin1');
    for (const text of isTheirs(`${name}\n${content}`)) found.push(`${text} in the file ${name}`);
  }
  return found;
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
