import { isObject } from '../../../../contract/rules/record-data.ts';
import type { Condition, Path, Scalar } from './where.ts';

/** Whether data fulfills a condition. It answers as the SQL of `query-sql.ts` does on both engines. */
export function matches(condition: Condition, data: unknown): boolean {
  if (condition.kind !== 'test') {
    const test = (part: Condition) => matches(part, data);
    return condition.kind === 'all' ? condition.of.every(test) : condition.of.some(test);
  }
  const value = readPath(data, condition.path);
  switch (condition.operator) {
    case 'eq':
      return isEqual(value, condition.operand);
    case 'ne':
      return !isEqual(value, condition.operand);
    case 'in':
      return condition.operand.some((operand) => isEqual(value, operand));
    case 'exists':
      return (value !== undefined) === condition.operand;
    case 'contains':
      return contains(value, condition.operand);
    default:
      return compares(value, condition.operator, condition.operand);
  }
}

/** The value at a path; undefined if there is none. Names of digits are not places in arrays. */
export function readPath(data: unknown, path: Path): unknown {
  let value = data;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Null stands for a missing value too. */
const isEqual = (value: unknown, operand: Scalar) => (value ?? null) === operand;

function contains(value: unknown, operand: Exclude<Scalar, null>): boolean {
  if (Array.isArray(value)) return value.includes(operand);
  return typeof value === 'string' && typeof operand === 'string' && value.includes(operand);
}

function compares(value: unknown, operator: 'gt' | 'gte' | 'lt' | 'lte', operand: string | number): boolean {
  const order = compare(value, operand);
  if (order === undefined) return false;
  switch (operator) {
    case 'gt':
      return order > 0;
    case 'gte':
      return order >= 0;
    case 'lt':
      return order < 0;
    case 'lte':
      return order <= 0;
  }
}

/** Texts are compared by their bytes, as both engines do. */
function compare(value: unknown, operand: string | number): number | undefined {
  if (typeof value === 'number' && typeof operand === 'number') return value - operand;
  if (typeof value !== 'string' || typeof operand !== 'string') return undefined;
  return Buffer.compare(Buffer.from(value), Buffer.from(operand));
}
