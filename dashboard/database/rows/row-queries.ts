import type { Filter, Sort } from '../../grid/index.ts';
import { type QueryResult, type Row, runSql } from '../api.ts';
import { quote } from '../quote.ts';
import type { ColumnInfo, TableInfo } from '../sqlite.ts';
import { type Cell, type CellRow, decode, encoded, isWhole, NULL, toParameter } from './cells.ts';
import { toWhere } from './where-sql.ts';

/** Reads and changes the rows of a table. Names of tables and columns can contain any characters. */

/** How to find a row again: by its rowid, read as text because numbers are not exact beyond 2^53, or by its key. */
type RowKey =
  | {
      kind: 'rowid';
      /** The name of the rowid in this table. */
      alias: string;
      /** The name of the rowid in the results. */
      field: string;
    }
  | { kind: 'key'; columns: string[] };

/** A table with what is known of its rows. */
export interface RowSource {
  slug: string;
  table: TableInfo;
  columns: ColumnInfo[];
  key: RowKey | undefined;
}

/** How to identify rows of a table. Undefined for views. */
export function chooseRowKey(table: TableInfo, columns: ColumnInfo[]): RowKey | undefined {
  if (table.type !== 'table') return undefined;
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  const alias = ['rowid', '_rowid_', 'oid'].find((each) => !taken.has(each));
  if (!alias || table.isWithoutRowid) {
    const key = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
    return key.length > 0 ? { kind: 'key', columns: key } : undefined;
  }
  let field = 'row';
  while (taken.has(field)) field += '_';
  return { kind: 'rowid', alias, field };
}

export const PAGE_ROWS = 50;

interface RowQuery {
  offset: number;
  sort: Sort | undefined;
  filter: Filter;
  /** What one of the columns contains. */
  query: string;
}

/** One page of rows. Values carry their types, so that large integers and bytes stay exact. */
export async function readRows(
  source: RowSource,
  { offset, sort, filter, query }: RowQuery,
  signal: AbortSignal,
): Promise<{ rows: CellRow[]; total: number | undefined }> {
  const { slug, table, columns } = source;
  const isColumn = columns.some(({ name }) => name === sort?.key);
  // With the table: the name alone would mean the encoded value.
  const order =
    sort && isColumn
      ? ` ORDER BY ${quote(table.name)}.${quote(sort.key)} ${sort.direction === 'descending' ? 'DESC' : 'ASC'}`
      : '';
  const { where, params } = toWhere(filter, { query, columns: columns.map(({ name }) => name) });
  const from = `FROM ${quote(table.name)}${where}`;
  const sql = `SELECT ${listCells(source)} ${from}${order} LIMIT ? OFFSET ?`;
  const { results } = await runSql(slug, sql, [...params, PAGE_ROWS, offset], signal);
  const counted = where && (await runSql(slug, `SELECT count(*) AS n ${from}`, params, signal));
  return {
    rows: results.map((row) => decodeRow(row, source)),
    total: counted ? Number(counted.results[0]?.n) : table.rowCount,
  };
}

/** Longer texts cannot be edited here. */
const MAX_EDITED = 1_000_000;

/** A row as it is now, with the whole of its texts. Undefined if it is gone. */
export async function readRow(source: RowSource, row: CellRow): Promise<CellRow | undefined> {
  const found = locate(source, row);
  const sql = `SELECT ${listCells(source, MAX_EDITED)} FROM ${quote(source.table.name)} WHERE ${found.sql}`;
  const [now] = (await runSql(source.slug, sql, found.params)).results;
  return now && decodeRow(now, source);
}

function listCells({ columns, key }: RowSource, most?: number): string {
  const number = key?.kind === 'rowid' ? [`CAST(${key.alias} AS TEXT) AS ${quote(key.field)}`] : [];
  const cells = columns.map(({ name }) => `${encoded(quote(name), most)} AS ${quote(name)}`);
  return [...number, ...cells].join(', ');
}

function decodeRow(row: Row, { columns, key }: RowSource): CellRow {
  const cells = Object.fromEntries(columns.map(({ name }) => [name, decode(row[name])]));
  if (key?.kind === 'rowid') return { id: String(row[key.field]), cells };
  const parts = key?.columns.map((name) => cells[name] ?? NULL);
  return { id: parts?.every(isWhole) ? JSON.stringify(parts) : undefined, cells };
}

/** The condition that only this row meets. */
function locate({ key }: RowSource, { id, cells }: CellRow): { sql: string; params: unknown[] } {
  if (key?.kind === 'rowid') return { sql: `${key.alias} = CAST(? AS INTEGER)`, params: [id] };
  return isSame(key?.columns ?? [], cells);
}

function isSame(names: string[], cells: CellRow['cells']): { sql: string; params: unknown[] } {
  const parts = names.map((name) => ({ name, ...toParameter(cells[name] ?? NULL) }));
  return {
    sql: parts.map(({ name, sql }) => `${quote(name)} IS ${sql}`).join(' AND ') || '0',
    params: parts.flatMap(({ params }) => params),
  };
}

/** Inserts a row. Columns that are not given get their default. */
export function insertRow({ slug, table }: RowSource, values: Record<string, Cell>): Promise<QueryResult> {
  const names = Object.keys(values);
  const written = names.map((name) => toParameter(values[name] ?? NULL));
  const sql =
    names.length === 0
      ? `INSERT INTO ${quote(table.name)} DEFAULT VALUES`
      : `INSERT INTO ${quote(table.name)} (${names.map(quote).join(', ')}) VALUES (${written.map(({ sql: each }) => each).join(', ')})`;
  return runSql(
    slug,
    sql,
    written.flatMap(({ params }) => params),
  );
}

/** Changes columns of one row, if those in `unless` are still what they were. Returns whether it did. */
export async function updateRow(
  source: RowSource,
  row: CellRow,
  changes: Record<string, Cell>,
  unless: string[] = [],
): Promise<boolean> {
  const written = Object.entries(changes).map(([name, cell]) => ({ name, ...toParameter(cell) }));
  const set = written.map(({ name, sql }) => `${quote(name)} = ${sql}`).join(', ');
  const found = locate(source, row);
  const before = isSame(unless, row.cells);
  const where = unless.length > 0 ? `${found.sql} AND ${before.sql}` : found.sql;
  const params = [...written.flatMap((each) => each.params), ...found.params, ...before.params];
  const sql = `UPDATE ${quote(source.table.name)} SET ${set} WHERE ${where}`;
  return (await runSql(source.slug, sql, params)).meta.changes > 0;
}

export function deleteRow(source: RowSource, row: CellRow): Promise<QueryResult> {
  const { sql, params } = locate(source, row);
  return runSql(source.slug, `DELETE FROM ${quote(source.table.name)} WHERE ${sql}`, params);
}
