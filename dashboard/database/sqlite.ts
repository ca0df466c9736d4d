import { runSql } from './api.ts';
import { quote } from './quote.ts';

/** The queries of the database screens. Names of tables and columns can contain any characters. */

export interface TableInfo {
  name: string;
  type: 'table' | 'view' | 'virtual';
  /** True if the rows have no rowid. */
  isWithoutRowid: boolean;
  /** Undefined if counting failed, for example because a view is invalid. */
  rowCount: number | undefined;
  /** The statement that created it. */
  sql: string;
}

export interface ColumnInfo {
  name: string;
  type: string;
  isRequired: boolean;
  defaultValue: string | null;
  isKey: boolean;
  /** Computed by SQLite, so it cannot be set. */
  isGenerated: boolean;
}

interface IndexInfo {
  name: string;
  isUnique: boolean;
  columns: string;
}

const TABLES = `SELECT l.name, l.type, l.wr, m.sql FROM pragma_table_list AS l
JOIN sqlite_master AS m ON m.name = l.name AND m.type IN ('table', 'view')
WHERE l.schema = 'main' AND l.type <> 'shadow'
AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND l.name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
ORDER BY l.type = 'view', l.name`;

export async function listTables(slug: string, signal: AbortSignal): Promise<TableInfo[]> {
  const { results } = await runSql(slug, TABLES, [], signal);
  const tables = results.map((row) => ({
    name: String(row.name),
    type: row.type as TableInfo['type'],
    isWithoutRowid: row.wr === 1,
    sql: String(row.sql),
  }));
  const counts = await countRows(
    slug,
    tables.map(({ name }) => name),
    signal,
  );
  return tables.map((table, i) => ({ ...table, rowCount: counts[i] }));
}

/** Well below SQLite's limit of 500 terms in a compound SELECT. */
const COUNTED_AT_ONCE = 100;

/** Counts many tables per statement. If that fails, counts each table separately. */
async function countRows(
  slug: string,
  names: string[],
  signal: AbortSignal,
): Promise<Array<number | undefined>> {
  const counts: Array<number | undefined> = [];
  for (let at = 0; at < names.length; at += COUNTED_AT_ONCE) {
    const some = names.slice(at, at + COUNTED_AT_ONCE);
    const counted = await count(slug, some, signal).catch(() =>
      Promise.all(
        some.map((name) =>
          count(slug, [name], signal).then(
            ([n]) => n,
            () => undefined,
          ),
        ),
      ),
    );
    counts.push(...counted);
  }
  return counts;
}

async function count(slug: string, names: string[], signal: AbortSignal): Promise<number[]> {
  const sql = names.map((name) => `SELECT count(*) AS n FROM ${quote(name)}`).join(' UNION ALL ');
  return (await runSql(slug, sql, [], signal)).results.map(({ n }) => Number(n));
}

export async function listColumns(slug: string, table: string, signal: AbortSignal): Promise<ColumnInfo[]> {
  const { results } = await runSql(slug, 'SELECT * FROM pragma_table_xinfo(?)', [table], signal);
  // `SELECT *` does not return hidden columns either.
  const shown = results.filter(({ hidden }) => hidden !== 1);
  return shown.map((row) => ({
    name: String(row.name),
    type: String(row.type),
    isRequired: row.notnull === 1,
    defaultValue: row.dflt_value === null ? null : String(row.dflt_value),
    isKey: Number(row.pk) > 0,
    isGenerated: row.hidden === 2 || row.hidden === 3,
  }));
}

const INDEXES = `SELECT l.name, l."unique", (SELECT group_concat(coalesce(i.name, '(expression)'), ', ')
FROM pragma_index_info(l.name) AS i) AS columns FROM pragma_index_list(?) AS l ORDER BY l.name`;

export async function listIndexes(slug: string, table: string, signal: AbortSignal): Promise<IndexInfo[]> {
  const { results } = await runSql(slug, INDEXES, [table], signal);
  return results.map((row) => ({
    name: String(row.name),
    isUnique: row.unique === 1,
    columns: String(row.columns ?? ''),
  }));
}

/** The columns of all tables, for the completion of names. */
export async function tableColumns(slug: string, signal: AbortSignal): Promise<Record<string, string[]>> {
  const sql = `SELECT m.name AS "table", i.name AS "column" FROM sqlite_master AS m
JOIN pragma_table_info(m.name) AS i WHERE m.type IN ('table', 'view')
AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND m.name NOT LIKE '\\_cf\\_%' ESCAPE '\\' LIMIT 5000`;
  const tables: Record<string, string[]> = {};
  for (const { table, column } of (await runSql(slug, sql, [], signal)).results)
    tables[String(table)] = [...(tables[String(table)] ?? []), String(column)];
  return tables;
}

/** Statements that drop all tables and views. An import runs them in its transaction. */
export function dropStatements(tables: TableInfo[]): string {
  const drop = ({ type, name }: TableInfo) => `DROP ${type === 'view' ? 'VIEW' : 'TABLE'} ${quote(name)};\n`;
  const isView = ({ type }: TableInfo) => type === 'view';
  return [...tables.filter(isView), ...tables.filter((table) => !isView(table))].map(drop).join('');
}
