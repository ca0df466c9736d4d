import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { SIDES } from './schema.ts';
import { literal } from './words.ts';

export const MAX_HEAP_BYTES = 384 * 1024 * 1024;
const CACHE_KIB = 32 * 1024;

/** Opens the three databases in a folder as `base`, `branch` and `main`, and an empty one as `work`. */
export function openThree(folder: string): Database {
  const database = new Database(join(folder, 'main.sqlite'), { readwrite: true, create: true });
  database.run(`PRAGMA hard_heap_limit = ${MAX_HEAP_BYTES}`);
  // What an owner wrote into a schema may not use what could reach beyond it.
  database.run('PRAGMA trusted_schema = OFF');
  database.run('PRAGMA cell_size_check = ON');
  database.run('PRAGMA foreign_keys = OFF');
  database.run('PRAGMA legacy_alter_table = ON');
  database.run(`PRAGMA temp_store_directory = ${literal(folder)}`);
  for (const side of [...SIDES.filter((each) => each !== 'main'), 'work'])
    database.run(`ATTACH ${literal(join(folder, `${side}.sqlite`))} AS ${side}`);
  for (const side of [...SIDES, 'work']) {
    // These are copies: whatever fails, they are thrown away.
    database.run(`PRAGMA ${side}.journal_mode = OFF`);
    database.run(`PRAGMA ${side}.synchronous = OFF`);
    database.run(`PRAGMA ${side}.cache_size = -${CACHE_KIB}`);
  }
  return database;
}
