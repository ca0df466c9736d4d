import type { Database } from 'bun:sqlite';
import type { Unmergeable } from '../port.ts';
import { describeKey, findKey, type Schema, SIDES, type Side, type Table } from './schema.ts';
import { anyOf, differ, quote, toDefault, toKey } from './words.ts';

/** How the rows of a table are found and compared, as pieces of SQL. */

type Three = Record<Side, Table | undefined>;

export interface TableRows {
  name: string;
  tables: Three;
  isVirtual: boolean;
  /** Undefined if its rows can be merged one by one. */
  unmergeable: Unmergeable | undefined;
  /** The columns of the key. That of a virtual table is its row id. */
  key: string[];
  columns: string[];
}

/** How many bytes of a key make up a path. */
const MAX_KEY = 300;

export function findTables(schemas: Record<Side, Schema>): Three[] {
  const keys = new Set(SIDES.flatMap((side) => [...schemas[side].tables.keys()]));
  return [...keys].map((key) => ({
    base: schemas.base.tables.get(key),
    branch: schemas.branch.tables.get(key),
    main: schemas.main.tables.get(key),
  }));
}

/** Undefined if one side has dropped the table, or it has the rows of another one. */
export function describeTable(database: Database, tables: Three): TableRows | undefined {
  const { base, branch, main } = tables;
  const any = main ?? branch;
  if (!any || (base && !(branch && main))) return undefined;
  const present = SIDES.flatMap((side) => tables[side] ?? []);
  if (present.some(({ virtual }) => virtual === 'external')) return undefined;
  const key = findKey(any);
  return {
    name: any.name,
    tables,
    isVirtual: any.virtual !== undefined,
    unmergeable: explainKey(database, tables, key),
    key: key ?? [],
    columns: listColumns(tables),
  };
}

function explainKey(database: Database, tables: Three, key: string[] | undefined): Unmergeable | undefined {
  const sides = SIDES.filter((side) => tables[side]);
  if (sides.some((side) => tables[side]?.virtual === 'other')) return 'virtual';
  if (!key) return 'no_key';
  const kinds = sides.map((side) => describeKey(database, side, tables[side] as Table));
  if (new Set(kinds).size > 1) return 'key_changed';
  // A primary key can be NULL, if it is not the row id.
  const hasNull = (side: Side) => {
    const { name, columns, virtual } = tables[side] as Table;
    if (virtual || (key.length === 1 && isRowId(columns, key[0] ?? ''))) return false;
    const isNull = anyOf(key.map((column) => `${quote(column)} IS NULL`));
    return database.prepare(`SELECT 1 FROM ${side}.${quote(name)} WHERE ${isNull} LIMIT 1`).get() !== null;
  };
  return sides.some(hasNull) ? 'no_key' : undefined;
}

const isRowId = (columns: Table['columns'], key: string) =>
  columns.find(({ name }) => name === key)?.type.toLowerCase() === 'integer';

/** Columns that no side has dropped, and nobody computes. */
function listColumns({ base, branch, main }: Three): string[] {
  const has = (table: Table | undefined, name: string) => findColumn(table, name) !== undefined;
  const all = [...(main?.columns ?? []), ...(branch?.columns ?? [])];
  const names = new Map(all.map(({ name }) => [toKey(name), name]));
  return [...names.values()].filter((name) => {
    if (has(base, name) && ((branch && !has(branch, name)) || (main && !has(main, name)))) return false;
    return ![base, branch, main].some((table) => findColumn(table, name)?.isGenerated);
  });
}

const findColumn = (table: Table | undefined, name: string) =>
  table?.columns.find((column) => toKey(column.name) === toKey(name));

/** A table as a source of rows, under the name of its side. One that is missing has none. */
export function toSource({ tables, key }: TableRows, side: Side): string {
  const table = tables[side];
  if (table) return `${side}.${quote(table.name)} AS ${side}`;
  return `(SELECT ${key.map((column) => `NULL AS ${quote(column)}`).join(', ')} LIMIT 0) AS ${side}`;
}

export const toKeyColumns = ({ key }: TableRows, side: Side) =>
  key.map((column) => `${side}.${column === 'rowid' ? 'rowid' : quote(column)}`);

/** The side that was named first is looked up by its key. */
export const isSameKey = (rows: TableRows, side: Side, other: Side) =>
  toKeyColumns(rows, side)
    .map((column, index) => `${column} = ${toKeyColumns(rows, other)[index]}`)
    .join(' AND ');

export const isMissing = (rows: TableRows, side: Side) => `${toKeyColumns(rows, side)[0]} IS NULL`;

/** A value of a row. In a column that is not there, it is what that side would have if it were. */
export function toValue(rows: TableRows, side: Side, column: string): string {
  const { tables } = rows;
  if (findColumn(tables[side], column)) return `${side}.${quote(column)}`;
  const other = SIDES.map((each) => findColumn(tables[each], column)).find((found) => found);
  const given = toDefault(other?.default ?? null);
  if (side !== 'base' && findColumn(tables.base, column)) return `coalesce(base.${quote(column)}, ${given})`;
  return given;
}

export const hasChanged = (rows: TableRows, side: Side, other: Side) =>
  anyOf(rows.columns.map((column) => differ(toValue(rows, side, column), toValue(rows, other, column))));

/** A key as a text, for paths. NULL if it is too long for one. */
export function toKeyText(columns: string[]): string {
  const text = columns
    .map(
      (column) =>
        `CASE typeof(${column}) WHEN 'integer' THEN CAST(${column} AS TEXT) ELSE quote(${column}) END`,
    )
    .join(" || ',' || ");
  const length = columns.map((column) => `length(${column})`).join(' + ');
  return `CASE WHEN ${length} <= ${MAX_KEY} THEN ${text} END`;
}

/** Whether two sides of a table without a key have different rows. */
export function isDifferent(
  database: Database,
  { tables, columns }: TableRows,
  side: Side,
  other: Side,
): boolean {
  const [one, two] = [tables[side], tables[other]];
  if (!one || !two) {
    const only = one ? side : other;
    const table = one ?? two;
    return (
      table !== undefined &&
      database.prepare(`SELECT 1 FROM ${only}.${quote(table.name)} LIMIT 1`).get() !== null
    );
  }
  const shadows = one.shadows.filter((name) => two.shadows.includes(name));
  if (one.virtual) return shadows.some((name) => hasDifferentRows(database, name, ['*'], side, other));
  if (listNames(one) !== listNames(two)) return true;
  return hasDifferentRows(database, one.name, columns.map(quote), side, other);
}

const listNames = ({ columns }: Table) => columns.map(({ name }) => toKey(name)).join();

function hasDifferentRows(
  database: Database,
  table: string,
  columns: string[],
  side: Side,
  other: Side,
): boolean {
  const isAll = columns[0] === '*';
  const exact = columns.flatMap((column) => [`${column} COLLATE BINARY`, `typeof(${column})`]);
  const list = (from: Side) =>
    isAll
      ? `SELECT * FROM ${from}.${quote(table)}`
      : `SELECT ${exact.join(', ')}, count(*) FROM ${from}.${quote(table)} GROUP BY ${exact.map((_, index) => index + 1).join(', ')}`;
  const isMore = (from: Side, than: Side) =>
    database.prepare(`SELECT 1 FROM (${list(from)} EXCEPT ${list(than)}) LIMIT 1`).get() !== null;
  return isMore(side, other) || isMore(other, side);
}
