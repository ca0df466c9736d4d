import type { WhereOperator } from '../../../../contract/rules/where-operators.ts';
import { isObject } from '../api.ts';
import { readScalar, readScalars, type Scalar, writeScalar, writeScalars } from '../scalars.ts';

/** Converts a filter between rows of a form and the `where` parameter of the API. */

const NAMES: Record<WhereOperator, string> = {
  eq: 'is',
  ne: 'is not',
  contains: 'contains (case-sensitive)',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  in: 'is one of',
  exists: 'exists',
};
export const OPERATORS = Object.entries(NAMES) as Array<[WhereOperator, string]>;

export interface Condition {
  key: number;
  field: string;
  operator: WhereOperator;
  /** The text that was typed. */
  value: string;
}

export interface Filter {
  match: 'all' | 'any';
  conditions: Condition[];
}

/** The JSON of a filter. Undefined if it is empty. */
export function toWhere({ match, conditions }: Filter): string | undefined {
  const asked = conditions.filter(({ field }) => field.trim() !== '');
  if (asked.length === 0) return undefined;
  const parts = asked.map(({ field, operator, value }) => ({
    [field.trim()]: { [operator]: operandOf(operator, value) },
  }));
  if (match === 'any' && parts.length > 1) return JSON.stringify({ or: parts });
  const isPlain = new Set(asked.map(({ field }) => field.trim())).size === parts.length;
  return JSON.stringify(isPlain ? Object.assign({}, ...parts) : { and: parts });
}

function operandOf(operator: WhereOperator, value: string): unknown {
  if (operator === 'exists') return value !== 'false';
  return operator === 'in' ? readScalars(value) : readScalar(value);
}

/** The rows of a JSON filter. Undefined if rows cannot express it. */
export function fromWhere(text: string): Filter | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const names = Object.keys(value);
  const [first] = names;
  const group = names.length === 1 && (first === 'or' || first === 'and') ? value[first] : undefined;
  const parts = group === undefined ? [value] : group;
  if (!Array.isArray(parts)) return undefined;
  const conditions: Condition[] = [];
  for (const part of parts) {
    const read = conditionsOf(part);
    // All conditions in one part must match, which rows with “any” cannot express.
    if (!read || (first === 'or' && read.length !== 1)) return undefined;
    conditions.push(...read);
  }
  return {
    match: first === 'or' ? 'any' : 'all',
    conditions: conditions.map((condition, key) => ({ ...condition, key })),
  };
}

function conditionsOf(part: unknown): Condition[] | undefined {
  if (!isObject(part)) return undefined;
  const conditions: Condition[] = [];
  for (const [field, asked] of Object.entries(part)) {
    if (field === 'and' || field === 'or') return undefined;
    for (const [name, operand] of isObject(asked) ? Object.entries(asked) : [['eq', asked] as const]) {
      const operator = OPERATORS.find(([known]) => known === name)?.[0];
      const isList = Array.isArray(operand);
      if (!operator || isList !== (operator === 'in') || isObject(operand)) return undefined;
      const value = isList ? writeScalars(operand as Scalar[]) : writeScalar(operand as Scalar);
      conditions.push({ key: 0, field, operator, value });
    }
  }
  return conditions;
}
