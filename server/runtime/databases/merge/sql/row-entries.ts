import type { Database } from 'bun:sqlite';
import type { RowEntry, SqlValue } from '../port.ts';
import { CONFLICT, type Delta, toRowsPath } from './row-delta.ts';
import { SIDES, type Side } from './schema.ts';
import { type TableRows, toKeyColumns, toKeyText, toSource, toValue } from './table-rows.ts';
import { differ } from './words.ts';

/** Shows what the branch did with rows, in short. */

const MAX_TEXT = 200;
const MAX_BLOB = 20;
const MAX_COLUMNS = 20;
/** How many columns are read at a time. */
const AT_ONCE = 100;

/** A value as a text that begins with a letter for its type. */
function show(value: string): string {
  return `CASE typeof(${value}) WHEN 'null' THEN NULL WHEN 'text' THEN 't' || substr(${value}, 1, ${MAX_TEXT + 1})
    WHEN 'blob' THEN 'b' || length(${value}) || ' ' || lower(hex(substr(${value}, 1, ${MAX_BLOB})))
    ELSE 'n' || ${value} END`;
}

function parse(shown: unknown): SqlValue {
  if (typeof shown !== 'string') return null;
  const rest = shown.slice(1);
  if (shown.startsWith('t')) return rest.length > MAX_TEXT ? `${rest.slice(0, MAX_TEXT)}…` : rest;
  if (shown.startsWith('n')) {
    const number = Number(rest);
    return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
      ? number
      : rest;
  }
  const [length = '0', bytes = ''] = rest.split(' ');
  return `x'${bytes}${Number(length) > MAX_BLOB ? '…' : ''}' (${length} bytes)`;
}

/** Some entries, conflicts first. */
export function listEntries(
  database: Database,
  delta: Delta,
  { offset, limit, which = '1' }: { offset: number; limit: number; which?: string },
): RowEntry[] {
  const { rows, table } = delta;
  const keys = rows.key.map((_, index) => `k${index}`);
  const found = database
    .prepare(`SELECT ord, kind, state, main, ${toKeyText(keys)} AS path, ${keys.map((key) => `${show(key)} AS ${key}`).join(', ')}
      FROM ${table} WHERE ${which} ORDER BY state = ${CONFLICT} DESC, ord LIMIT ? OFFSET ?`)
    .all(limit, offset) as Array<
    {
      ord: number;
      kind: RowEntry['kind'];
      state: number;
      main: RowEntry['main'];
      path: string | null;
    } & Record<string, unknown>
  >;
  return found.map((row) => {
    const isConflict = row.state === CONFLICT;
    return {
      path: row.path === null ? toRowsPath(rows) : `${toRowsPath(rows)}/${encodeURIComponent(row.path)}`,
      table: rows.name,
      key: keys.map((key) => parse(row[key])),
      keyNames: rows.key,
      kind: row.kind,
      conflict: isConflict,
      main: row.main,
      columns: listColumns(database, delta, row.ord, { kind: row.kind, isConflict }),
    };
  });
}

function listColumns(
  database: Database,
  { rows, table }: Delta,
  ord: number,
  { kind, isConflict }: { kind: RowEntry['kind']; isConflict: boolean },
): RowEntry['columns'] {
  const columns: RowEntry['columns'] = [];
  const own = rows.columns.filter((column) => !rows.key.includes(column));
  for (let at = 0; at < own.length && columns.length < MAX_COLUMNS; at += AT_ONCE) {
    const some = own.slice(at, at + AT_ONCE);
    const [row] = database
      .prepare(`SELECT ${some.map((column) => describe(rows, column)).join(', ')} FROM ${table} AS delta
        ${SIDES.map((side) => `LEFT JOIN ${toSource(rows, side)} ON ${isKey(rows, side)}`).join(' ')} WHERE delta.ord = ?`)
      .values(ord) as unknown[][];
    for (const [index, name] of some.entries()) {
      const [base, branch, main, byBranch, byMain, isApart] = row?.slice(index * 6, index * 6 + 6) ?? [];
      const isShown =
        kind === 'changed'
          ? byBranch
          : kind === 'added' || isConflict
            ? branch !== base || main !== base
            : base !== null;
      if (!isShown || columns.length === MAX_COLUMNS) continue;
      const isOpen = isConflict && Boolean(isApart) && (kind !== 'changed' || Boolean(byMain));
      columns.push({ name, base: parse(base), branch: parse(branch), main: parse(main), conflict: isOpen });
    }
  }
  return columns;
}

/** The values of a column, and whether each side has changed it. */
function describe(rows: TableRows, column: string): string {
  const [base, branch, main] = SIDES.map(
    (side) => `iif(${toKeyColumns(rows, side)[0]} IS NULL, NULL, ${toValue(rows, side, column)})`,
  ) as [string, string, string];
  return [
    show(base),
    show(branch),
    show(main),
    differ(branch, base),
    differ(main, base),
    differ(branch, main),
  ].join(', ');
}

const isKey = (rows: TableRows, side: Side) =>
  toKeyColumns(rows, side)
    .map((column, index) => `${column} = delta.k${index}`)
    .join(' AND ');
