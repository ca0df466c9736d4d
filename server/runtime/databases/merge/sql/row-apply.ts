import type { Database } from 'bun:sqlite';
import { type Delta, WRITTEN } from './row-delta.ts';
import { SIDES } from './schema.ts';
import { raiseSequence, readSequence, Violation } from './schema-apply.ts';
import { isMissing, type TableRows, toKeyColumns, toSource, toValue } from './table-rows.ts';
import { differ, quote } from './words.ts';

/**
 * Writes the rows of a merge. All that change are deleted first and then added as they will be, so that two rows can
 * swap a value that must be unique. Nothing else happens by itself: there are no triggers and no foreign keys now.
 */
export function applyRows(database: Database, { rows, table }: Delta): void {
  const { name } = rows;
  const merged = `${table}_rows`;
  const columns = listWritten(rows);
  const names = columns.map((_, index) => `c${index}`);
  const keys = rows.key.map((_, index) => `k${index}`);
  database.run(`CREATE TABLE ${merged} (${names.join(', ')})`);
  const joins = SIDES.map((side) => {
    const isKey = toKeyColumns(rows, side).map((column, index) => `${column} = delta.k${index}`);
    return `LEFT JOIN ${toSource(rows, side)} ON ${isKey.join(' AND ')}`;
  });
  database.run(`INSERT INTO ${merged} SELECT ${columns.map((column) => mergeValue(rows, column)).join(', ')}
    FROM ${table} AS delta ${joins.join(' ')} WHERE delta.kind <> 'deleted' AND delta.${WRITTEN}`);
  const own = rows.key.map((column) => (column === 'rowid' ? column : quote(column)));
  database.run(
    `DELETE FROM main.${quote(name)} WHERE (${own.join(', ')}) IN (SELECT ${keys.join(', ')} FROM ${table} WHERE ${WRITTEN})`,
  );
  const into = columns.map((column) => (column === 'rowid' ? column : quote(column))).join(', ');
  insert(database, name, `(${into}) SELECT ${names.join(', ')} FROM ${merged}`);
  const given = readSequence(database, name, 'branch');
  if (given !== undefined) raiseSequence(database, name, given);
}

/** Columns of the table as it is now. The row id of a virtual table is not one of them. */
function listWritten({ columns, isVirtual, tables }: TableRows): string[] {
  const names = (tables.main?.columns ?? []).filter(({ isGenerated }) => !isGenerated);
  const has = new Set(names.map(({ name }) => name.toLowerCase()));
  const own = columns.filter((column) => has.has(column.toLowerCase()));
  return isVirtual ? ['rowid', ...own] : own;
}

function mergeValue(rows: TableRows, column: string): string {
  if (rows.isVirtual && column === 'rowid') return 'delta.k0';
  const [base, branch, main] = SIDES.map((side) => toValue(rows, side, column)) as [string, string, string];
  return `CASE WHEN ${isMissing(rows, 'main')} OR ${isMissing(rows, 'base')} OR ${differ(branch, base)} THEN ${branch} ELSE ${main} END`;
}

/** Takes all rows of the branch, for a table whose rows cannot be told apart. */
export function replaceRows(database: Database, rows: TableRows): void {
  const columns = listWritten(rows);
  const names = columns.map(quote).join(', ');
  const values = columns.map((column) => toValue(rows, 'branch', column)).join(', ');
  database.run(`DELETE FROM main.${quote(rows.name)}`);
  insert(database, rows.name, `(${names}) SELECT ${values} FROM ${toSource(rows, 'branch')}`);
}

function insert(database: Database, table: string, rest: string): void {
  try {
    // `OR ABORT` counts more than what the table says, which could be to replace other rows.
    database.run(`INSERT OR ABORT INTO main.${quote(table)} ${rest}`);
  } catch (error) {
    throw new Violation('rows', table, (error as Error).message);
  }
}
