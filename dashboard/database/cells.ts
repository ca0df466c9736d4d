import type { Row } from './api.ts';

/** Values of SQLite with their types. JSON alone would round large integers, and cannot tell text from a number. */

export type Cell =
  | { kind: 'null' }
  | { kind: 'integer'; text: string }
  | { kind: 'real'; value: number }
  | { kind: 'text'; text: string }
  /** `start` has the first bytes, in hexadecimal digits. */
  | { kind: 'blob'; size: number; start: string };

export interface CellRow {
  /** The rowid, as text. Undefined if the table has none. */
  id: string | undefined;
  cells: Record<string, Cell>;
}

export const NULL: Cell = { kind: 'null' };
const SHOWN_BYTES = 16;

/** SQL that writes a column with the letter of its type in front. Real numbers stay numbers. */
export const encoded = (column: string) =>
  `CASE typeof(${column}) WHEN 'integer' THEN 'i' || ${column} WHEN 'text' THEN 't' || ${column}
WHEN 'blob' THEN 'b' || length(${column}) || ':' || hex(substr(${column}, 1, ${SHOWN_BYTES})) ELSE ${column} END`;

export function decode(value: unknown): Cell {
  if (typeof value === 'number') return { kind: 'real', value };
  if (typeof value !== 'string') return NULL;
  const text = value.slice(1);
  if (value.startsWith('i')) return { kind: 'integer', text };
  if (value.startsWith('t')) return { kind: 'text', text };
  const [size = '0', start = ''] = text.split(':');
  return { kind: 'blob', size: Number(size), start: start.toLowerCase() };
}

export const decodeRow = (row: Row, columns: Array<{ name: string }>, key?: { field: string }): CellRow => ({
  id: key && String(row[key.field]),
  cells: Object.fromEntries(columns.map(({ name }) => [name, decode(row[name])])),
});

/** A cell as SQL with its parameters. Integers travel as text, because JSON numbers are not exact beyond 2^53. */
export function toParameter(cell: Cell): { sql: string; params: unknown[] } {
  switch (cell.kind) {
    case 'null':
      return { sql: 'NULL', params: [] };
    case 'integer':
      return { sql: 'CAST(? AS INTEGER)', params: [cell.text] };
    case 'real':
      return { sql: 'CAST(? AS REAL)', params: [cell.value] };
    case 'text':
      return { sql: '?', params: [cell.text] };
    case 'blob':
      // Only hexadecimal digits: see `typedCell`.
      return { sql: `X'${cell.start}'`, params: [] };
  }
}

/** What stands in the field of a cell. */
export function toText(cell: Cell): string {
  if (cell.kind === 'integer' || cell.kind === 'text') return cell.text;
  return cell.kind === 'real' ? String(cell.value) : '';
}

const INTEGER = /^[+-]?\d{1,19}$/;
const isInteger = (typed: string) =>
  INTEGER.test(typed) && BigInt(typed) >= -(2n ** 63n) && BigInt(typed) < 2n ** 63n;

/** The cell of what someone typed, by the type of the column. Text where the type allows nothing else. */
export function typedCell(typed: string, columnType: string): Cell {
  const plain = typed.trim();
  const hex = /^x'((?:[0-9a-f]{2})*)'$/i.exec(plain)?.[1];
  if (/BLOB/i.test(columnType) && hex !== undefined)
    return { kind: 'blob', size: hex.length / 2, start: hex.toLowerCase() };
  if (/CHAR|CLOB|TEXT/i.test(columnType) || plain === '') return { kind: 'text', text: typed };
  if (isInteger(plain)) return { kind: 'integer', text: String(BigInt(plain)) };
  const number = Number(plain);
  return Number.isFinite(number) && /^[+-]?[\d.]/.test(plain)
    ? { kind: 'real', value: number }
    : { kind: 'text', text: typed };
}
