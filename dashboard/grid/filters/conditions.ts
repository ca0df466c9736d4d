import { t } from '../../texts/index.ts';
import type { Choice, ColumnType } from '../columns.ts';

/** A filter as chips show it. Each table turns it into its own query language. */

export const OPERATORS = [
  'contains',
  'eq',
  'ne',
  'range',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'empty',
  'filled',
] as const;
export type Operator = (typeof OPERATORS)[number];

export interface Condition {
  /** The key of the column, or a path to a nested field. */
  field: string;
  operator: Operator;
  /** None for `empty` and `filled`, two for `range` (null is no bound), any number for `in`, otherwise one. */
  values: Choice[];
}

export interface Filter {
  match: 'all' | 'any';
  conditions: Condition[];
}

export const NO_FILTER: Filter = { match: 'all', conditions: [] };

/** The operators that make sense for a type. The first one is the usual one. */
export const OPERATORS_OF: Record<ColumnType, readonly Operator[]> = {
  text: ['contains', 'eq', 'ne', 'in', 'empty', 'filled'],
  number: ['eq', 'ne', 'range', 'gt', 'gte', 'lt', 'lte', 'in', 'empty', 'filled'],
  boolean: ['eq', 'ne', 'empty', 'filled'],
  date: ['range', 'eq', 'gt', 'lt', 'empty', 'filled'],
  choice: ['in', 'eq', 'ne', 'empty', 'filled'],
  list: ['contains', 'empty', 'filled'],
  object: ['empty', 'filled'],
  any: OPERATORS,
};

export function nameOperator(operator: Operator, type: ColumnType = 'any'): string {
  switch (operator) {
    case 'contains':
      return t('contains');
    case 'eq':
      return t('is');
    case 'ne':
      return t('is not');
    case 'range':
      return t('is between');
    case 'gt':
      return type === 'date' ? t('is after') : t('is more than');
    case 'gte':
      return t('is at least');
    case 'lt':
      return type === 'date' ? t('is before') : t('is less than');
    case 'lte':
      return t('is at most');
    case 'in':
      return t('is one of');
    case 'empty':
      return t('is empty');
    case 'filled':
      return t('is not empty');
  }
}

const write = (value: Choice | undefined) =>
  value === null || value === undefined ? '…' : value === '' ? '""' : String(value);

/** The condition in words, as on its chip. */
export function sayCondition({ field, operator, values }: Condition, type?: ColumnType): string {
  const start = `${field} ${nameOperator(operator, type)}`;
  if (operator === 'empty' || operator === 'filled') return start;
  if (operator === 'range')
    return t('{start} {from} and {to}', { start, from: write(values[0]), to: write(values[1]) });
  return `${start} ${values.map((value) => (value === null ? 'null' : write(value))).join(', ')}`;
}
