import { readScalar, readScalars, writeScalar, writeScalars } from '../../values/index.ts';
import type { Choice, ColumnType } from '../columns.ts';
import type { Operator } from './conditions.ts';

/** Values of conditions as people type them into the fields of the filter panel. */

/** What the panel holds: one text, or two for a range. */
export type Typed = readonly [string, string];

export function writeValues(operator: Operator, values: Choice[], type: ColumnType): Typed {
  if (operator === 'in') return [type === 'text' ? values.join(', ') : writeScalars(values), ''];
  const write = (value: Choice | undefined) => {
    if (value === undefined || (value === null && operator === 'range')) return '';
    return type === 'text' || type === 'date' ? String(value ?? '') : writeScalar(value);
  };
  return [write(values[0]), write(values[1])];
}

/** The values, or why they cannot be used. */
export function readValues(operator: Operator, [first, second]: Typed, type: ColumnType): Choice[] | Error {
  if (operator === 'empty' || operator === 'filled') return [];
  if (operator === 'range') {
    const bounds = [first, second].map((typed) => (typed.trim() === '' ? null : readOne(typed, type)));
    if (bounds.every((bound) => bound === null)) return new Error('none');
    return bounds.find((bound) => bound instanceof Error) ?? (bounds as Choice[]);
  }
  if (operator === 'in') return readMany(first, type);
  if (first.trim() === '' && type !== 'text' && type !== 'any') return new Error('none');
  const value = readOne(first, type);
  return value instanceof Error ? value : [value];
}

function readMany(typed: string, type: ColumnType): Choice[] | Error {
  const values =
    type === 'text'
      ? typed
          .split(',')
          .map((part) => part.trim())
          .filter(Boolean)
      : readScalars(typed);
  if (values.length === 0) return new Error('none');
  const isWrong = type === 'number' && values.some((value) => typeof value !== 'number');
  return isWrong ? new Error('number') : values;
}

function readOne(typed: string, type: ColumnType): Choice | Error {
  if (type === 'text' || type === 'date') return typed;
  if (type === 'number') {
    const number = Number(typed);
    return typed.trim() === '' || !Number.isFinite(number) ? new Error('number') : number;
  }
  return readScalar(typed);
}
