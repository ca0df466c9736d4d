import type { Databases } from '../../../runtime/databases/index.ts';
import { importSql, queryRows } from '../database/database.ts';
import type { FunctionRow } from '../model/store.ts';
import { maskTables, quote } from './mask-tables.ts';

/** Says which migrations were applied. It has nothing of anybody. */
const MIGRATIONS = 'd1_migrations';

interface Stored {
  type: string;
  name: string;
  sql: string;
}

/**
 * Takes the rows out of the database of a branch, or replaces their texts. What was copied into a virtual table, such as a
 * search, is removed. If that cannot be done, the database is left empty.
 */
export async function stripDatabase(
  databases: Databases,
  row: FunctionRow,
  how: 'schema' | 'masked',
): Promise<void> {
  const { owner_id, database_id } = row;
  if (owner_id === null || database_id === null) return;
  try {
    const script = await writeScript(databases, row, how);
    if (script !== '') await importSql(databases, row, script);
  } catch {
    await databases.replace(owner_id, database_id, undefined);
  }
}

async function writeScript(
  databases: Databases,
  row: FunctionRow,
  how: 'schema' | 'masked',
): Promise<string> {
  const read = (sql: string) => queryRows(databases, row, sql);
  const rows = await read(
    "select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite\\_%' escape '\\' and name not like '\\_cf\\_%' escape '\\'",
  );
  const stored = rows.map(
    ([type, name, sql]): Stored => ({ type: String(type), name: String(name), sql: String(sql) }),
  );
  const triggers = stored.filter(({ type }) => type === 'trigger');
  const tables = stored.filter(({ type, name }) => type === 'table' && name !== MIGRATIONS);
  const virtual = tables.filter(({ sql }) => /^create\s+virtual/i.test(sql)).map(({ name }) => name);
  const shadows = (await read("select name from pragma_table_list where type = 'shadow'")).flat();
  const lines = ['pragma defer_foreign_keys = on'];
  for (const { name } of triggers) lines.push(`drop trigger ${quote(name)}`);
  const own = tables.map(({ name }) => name).filter((name) => !shadows.includes(name));
  const emptied = own.filter((name) => how === 'schema' || virtual.includes(name));
  lines.push(...emptied.map((name) => `delete from ${quote(name)}`));
  const masked = own.filter((name) => !emptied.includes(name));
  if (masked.length > 0) lines.push(...(await maskTables(read, masked)));
  for (const { sql } of triggers) lines.push(sql);
  return lines.length === 1 ? '' : `${lines.join(';\n')};`;
}
