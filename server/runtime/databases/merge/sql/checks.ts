import type { Database } from 'bun:sqlite';
import type { Broken } from '../tasks.ts';
import { quote } from './words.ts';

/** What must be true of a merged database. */

/** More broken references than this are not counted. */
const MAX_COUNTED = 100_000;

/** How many rows of a table refer to a row that is missing, by both tables. */
export function countReferences(database: Database): Map<string, number> {
  const counts = new Map<string, number>();
  const tables = database
    .prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'create virtual%'")
    .all() as Array<{ name: string }>;
  for (const { name } of tables) {
    if (database.prepare(`PRAGMA main.foreign_key_list(${quote(name)})`).all().length === 0) continue;
    try {
      let left = MAX_COUNTED;
      for (const row of database.prepare(`PRAGMA main.foreign_key_check(${quote(name)})`).iterate()) {
        const key = JSON.stringify([name, (row as { parent: string }).parent]);
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (--left === 0) break;
      }
    } catch (error) {
      // A reference to something that is not unique.
      counts.set(JSON.stringify([name, (error as Error).message]), 1);
    }
  }
  return counts;
}

/** What is broken now, and was not before. */
export function findBroken(database: Database, before: Map<string, number>): Broken[] {
  const broken: Broken[] = [];
  for (const [key, count] of countReferences(database)) {
    const more = count - (before.get(key) ?? 0);
    if (more <= 0) continue;
    const [of, parent] = JSON.parse(key) as [string, string];
    broken.push({ kind: 'reference', of, parent, count: more, message: '' });
  }
  const [found] = database.prepare('PRAGMA main.integrity_check(1)').all() as Array<{
    integrity_check: string;
  }>;
  if (found?.integrity_check !== 'ok')
    broken.push({ kind: 'damage', of: '', message: found?.integrity_check ?? '' });
  return broken;
}
