import { readSql } from '../engines/storage.ts';

type SqlTarget = Parameters<typeof readSql>[0];

/**
 * The columns of every table in a service's database, on either engine. The index of words has none that can be read; its
 * texts are in another table.
 */
export async function listColumns(place: SqlTarget): Promise<Map<string, string[]>> {
  const rows = await readSql<{ name: string; column: string }>(
    place,
    place.databaseUrl === undefined
      ? `SELECT m.name, c.name AS "column" FROM sqlite_master m, pragma_table_info(m.name) c
         WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'record_search_words%'`
      : `SELECT table_name AS name, column_name AS "column" FROM information_schema.columns
         WHERE table_schema = current_schema()`,
  );
  const byTable = Map.groupBy(rows, ({ name }) => name);
  return new Map([...byTable].map(([table, columns]) => [table, columns.map(({ column }) => column)]));
}

/** Columns with a foreign key to another table, as `table.column`. */
export async function referencesTo(place: SqlTarget, table: string): Promise<string[]> {
  const rows = await readSql<{ name: string; column: string }>(
    place,
    place.databaseUrl === undefined
      ? `SELECT m.name, f."from" AS "column" FROM sqlite_master m, pragma_foreign_key_list(m.name) f
         WHERE m.type = 'table' AND f."table" = '${table}'`
      : `SELECT c.conrelid::regclass::text AS name, a.attname AS "column" FROM pg_constraint c
         JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
         WHERE c.contype = 'f' AND c.confrelid = '${table}'::regclass`,
  );
  return rows.map(({ name, column }) => `${name}.${column}`);
}
