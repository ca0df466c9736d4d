import type { Databases } from '../../../runtime/databases/index.ts';
import { importSql, queryRows } from '../database/database.ts';
import type { FunctionRow } from '../model/store.ts';

/** Tables that say which migrations were applied. They have nothing of anybody. */
const MIGRATIONS = /migrations$/i;
/** Columns whose texts say what something is, and not who. */
const KEPT_COLUMN =
  /(?:^|_)(?:id|uuid|key|slug|status|state|type|kind|color|currency|locale|lang|at|date|time)$|(?:Id|Key|Slug|At)$/;

interface Stored {
  type: string;
  name: string;
  sql: string;
}

/**
 * Takes the rows out of the database of a branch, or replaces their texts by random ones of the same length. What was
 * copied into a virtual table, such as a search, is removed. If that cannot be done, the database is left empty.
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
  const rows = await queryRows(
    databases,
    row,
    "select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite\\_%' escape '\\' and name not like '\\_cf\\_%' escape '\\'",
  );
  const stored = rows.map(
    ([type, name, sql]): Stored => ({ type: String(type), name: String(name), sql: String(sql) }),
  );
  const triggers = stored.filter(({ type }) => type === 'trigger');
  const tables = stored.filter(({ type, name }) => type === 'table' && !MIGRATIONS.test(name));
  const virtual = tables.filter(({ sql }) => /^create\s+virtual/i.test(sql)).map(({ name }) => name);
  const isShadow = (name: string) => virtual.some((owner) => name.startsWith(`${owner}_`));
  const lines = ['pragma defer_foreign_keys = on'];
  for (const { name } of triggers) lines.push(`drop trigger ${quote(name)}`);
  for (const { name } of tables) {
    if (isShadow(name)) continue;
    if (how === 'schema' || virtual.includes(name)) lines.push(`delete from ${quote(name)}`);
    else lines.push(...(await maskTable(databases, row, name)));
  }
  for (const { sql } of triggers) lines.push(sql);
  return lines.length === 1 ? '' : `${lines.join(';\n')};`;
}

async function maskTable(databases: Databases, row: FunctionRow, table: string): Promise<string[]> {
  const columns = await queryRows(databases, row, `select name, pk from pragma_table_info(${text(table)})`);
  const references = await queryRows(
    databases,
    row,
    `select "from" from pragma_foreign_key_list(${text(table)})`,
  );
  const kept = new Set(references.map(([name]) => String(name)));
  const masked = columns
    .filter(([name, pk]) => Number(pk) === 0 && !kept.has(String(name)) && !KEPT_COLUMN.test(String(name)))
    .map(([name]) => {
      const column = quote(String(name));
      return `${column} = case typeof(${column}) when 'text' then substr(lower(hex(randomblob(length(${column}) / 2 + 1))), 1, length(${column})) when 'blob' then zeroblob(length(${column})) else ${column} end`;
    });
  return masked.length === 0 ? [] : [`update ${quote(table)} set ${masked.join(', ')}`];
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
