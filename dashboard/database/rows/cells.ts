import { t } from '../../texts/index.ts';
import type { ColumnInfo } from '../sqlite.ts';

/** Values of SQLite with their types. JSON alone would round large integers, and cannot tell text from a number. */

export type Cell =
  | { kind: 'null' }
  | { kind: 'integer'; text: string }
  | { kind: 'real'; value: number }
  /** `size` is the number of characters of a text that is longer than what was read. */
  | { kind: 'text'; text: string; size?: number }
  /** `start` has the first bytes, in hexadecimal digits. */
  | { kind: 'blob'; size: number; start: string };

export interface CellRow {
  /** What tells the row from others: its rowid or its primary key, as text. Undefined if nothing does. */
  id: string | undefined;
  cells: Record<string, Cell>;
}

export const NULL: Cell = { kind: 'null' };
const SHOWN_BYTES = 16;
/** A page of rows has only the start of longer texts. */
const READ_CHARACTERS = 2_000;

/** SQL that writes a column with the letter of its type in front. Real numbers stay numbers. */
export const encoded = (column: string, most = READ_CHARACTERS) =>
  `CASE typeof(${column}) WHEN 'integer' THEN 'i' || ${column} WHEN 'text' THEN
CASE WHEN length(${column}) > ${most} THEN 's' || length(${column}) || ':' || substr(${column}, 1, ${most})
ELSE 't' || ${column} END WHEN 'blob' THEN 'b' || length(${column}) || ':' || hex(substr(${column}, 1, ${SHOWN_BYTES})) ELSE ${column} END`;

export function decode(value: unknown): Cell {
  if (typeof value === 'number') return { kind: 'real', value };
  if (typeof value !== 'string') return NULL;
  const text = value.slice(1);
  if (value.startsWith('i')) return { kind: 'integer', text };
  if (value.startsWith('t')) return { kind: 'text', text };
  if (value.startsWith('s')) {
    const end = text.indexOf(':');
    return { kind: 'text', text: text.slice(end + 1), size: Number(text.slice(0, end)) };
  }
  const [size = '0', start = ''] = text.split(':');
  return { kind: 'blob', size: Number(size), start: start.toLowerCase() };
}

/** Whether all of a value was read. */
export const isWhole = (cell: Cell) =>
  cell.kind === 'blob'
    ? cell.start.length === 2 * cell.size
    : cell.kind !== 'text' || cell.size === undefined;

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
  return Number.isFinite(number) && /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(plain)
    ? { kind: 'real', value: number }
    : { kind: 'text', text: typed };
}

/** Whether a column of this type is meant for numbers. */
export const isNumeric = (type: string) => /INT|REAL|FLOA|DOUB|NUM|DEC|BOOL/i.test(type);

/** The cell of what someone typed into it; null is NULL. Says what is wrong. */
export function readTyped(
  typed: string | null,
  { type, isRequired, isKey }: Pick<ColumnInfo, 'type' | 'isRequired' | 'isKey'>,
): Cell {
  const canBeNull = !isRequired && !isKey;
  if (typed === null) return NULL;
  if (!isNumeric(type)) return typedCell(typed, type);
  if (typed.trim() === '' && canBeNull) return NULL;
  const cell = typedCell(typed, type);
  if (cell.kind === 'text') throw new Error(t('Enter a number.'));
  return cell;
}
