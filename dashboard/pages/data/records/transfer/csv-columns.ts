import { t } from '../../../../texts/index.ts';
import { parseCsv } from '../../../../values/index.ts';
import type { CollectionSchema, Data, FieldSchema } from '../../api.ts';
import { OWN_COLUMNS } from './export.ts';
import type { ReadFile } from './import.ts';

/** A CSV file, and what becomes of its columns. */

export type CellType = 'text' | 'number' | 'boolean' | 'json';

export interface CsvColumn {
  /** The title in the file. */
  title: string;
  /** The field that gets the values; empty to leave the column out. */
  field: string;
  type: CellType;
}

export interface CsvFile {
  columns: CsvColumn[];
  rows: Array<{ line: number; cells: string[] }>;
}

/** Reads the file and proposes what to do with its columns. */
export function readCsv(text: string, schema: CollectionSchema | null): CsvFile {
  const [head, ...rows] = parseCsv(text);
  const titles = head?.cells ?? [];
  const isOurs = OWN_COLUMNS.every((name, at) => titles[at] === name);
  const columns = titles.map((title, at) => {
    const name = title.trim();
    const isLeftOut = name === '' || (isOurs && at < OWN_COLUMNS.length);
    const known = schema && Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
    return {
      title: name,
      field: isLeftOut ? '' : name,
      type: known ? typeOfField(known) : guessType(rows.slice(0, SAMPLE).map(({ cells }) => cells[at] ?? '')),
    };
  });
  return { columns, rows };
}

const SAMPLE = 1_000;

function typeOfField(field: FieldSchema): CellType {
  if (field.type === 'number' || field.type === 'boolean') return field.type;
  if (field.type === 'enum')
    return field.values.every((value) => typeof value === 'string') ? 'text' : 'json';
  return field.type === 'string' || field.type === 'date' ? 'text' : 'json';
}

/** Not 007 and not +49: these are codes, and a number would lose their first characters. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const isNumber = (cell: string) =>
  NUMBER.test(cell) &&
  Number.isFinite(Number(cell)) &&
  (!/^-?\d{16,}/.test(cell) || Number.isSafeInteger(Number(cell)));

export function guessType(cells: string[]): CellType {
  const given = cells.map((cell) => cell.trim()).filter(Boolean);
  if (given.length === 0) return 'text';
  if (given.every((cell) => /^(true|false)$/i.test(cell))) return 'boolean';
  if (given.every(isNumber)) return 'number';
  return given.every((cell) => /^[[{]/.test(cell) && tryJson(cell) !== undefined) ? 'json' : 'text';
}

/** The records of the file by the columns, and the rows that cannot be read. */
export function readRecords({ rows }: Pick<CsvFile, 'rows'>, columns: CsvColumn[]): ReadFile {
  const read: ReadFile = { lines: [], refused: [] };
  for (const { line, cells } of rows) {
    const data: Data = {};
    const faults: string[] = [];
    if (cells.length > columns.length)
      faults.push(t('has more cells than the first line: {count}', { count: cells.length }));
    for (const [at, { field, type }] of columns.entries()) {
      const cell = cells[at] ?? '';
      if (field === '' || cell === '') continue;
      const value = readCell(cell, type);
      if (value instanceof Error) faults.push(`${field}: ${value.message}`);
      else data[field] = value;
    }
    if (faults.length > 0) read.refused.push({ number: line, reason: faults.join('; ') });
    else if (Object.keys(data).length > 0) read.lines.push({ number: line, data });
    else read.refused.push({ number: line, reason: t('is empty') });
  }
  return read;
}

function readCell(cell: string, type: CellType): unknown {
  const shown = JSON.stringify(cell.length > 40 ? `${cell.slice(0, 40)}…` : cell);
  const plain = cell.trim();
  switch (type) {
    case 'text':
      // An export protects text that starts like a formula with an apostrophe.
      return /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
    case 'number':
      return plain !== '' && Number.isFinite(Number(plain))
        ? Number(plain)
        : new Error(t('{shown} is not a number', { shown }));
    case 'boolean': {
      if (/^(true|yes|1)$/i.test(plain)) return true;
      return /^(false|no|0)$/i.test(plain) ? false : new Error(t('{shown} is not true or false', { shown }));
    }
    case 'json':
      return tryJson(plain) ?? new Error(t('{shown} is not valid JSON', { shown }));
  }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
