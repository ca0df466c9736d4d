import { isObject } from '../../../contract/rules/record-data.ts';
import type { Choice } from '../columns.ts';
import type { Condition, Filter, Operator } from './conditions.ts';

/** Converts a filter between chips and JSON: the `where` parameter of the API, which is also in URLs of screens. */

type Part = Record<string, unknown>;

/** The JSON of a filter. Undefined if it is empty. */
export function toWhere({ match, conditions }: Filter): string | undefined {
  const parts = conditions.map(toPart);
  const [only] = parts;
  if (!only) return undefined;
  if (match === 'any' && parts.length > 1) return JSON.stringify({ or: parts });
  const names = parts.flatMap((part) => Object.keys(part));
  const isPlain = new Set(names).size === names.length;
  return JSON.stringify(isPlain ? Object.assign({}, ...parts) : { and: parts });
}

function toPart({ field, operator, values: [first = null, second = null], values }: Condition): Part {
  switch (operator) {
    case 'empty':
      // Null also means that there is no such field.
      return { [field]: { in: [null, ''] } };
    case 'filled':
      return { and: [{ [field]: { ne: null } }, { [field]: { ne: '' } }] };
    case 'in':
      return { [field]: { in: values } };
    case 'range':
      return { [field]: { ...(first !== null && { gte: first }), ...(second !== null && upTo(second)) } };
    default:
      return { [field]: { [operator]: first } };
  }
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;
const isDay = (value: unknown): value is string =>
  typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value));
const addDays = (day: string, days: number) =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** The last day of a range belongs to it, also the moments of that day. */
const upTo = (value: Choice) => (isDay(value) ? { lt: addDays(value, 1) } : { lte: value });

/** The chips of a JSON filter. Undefined if chips cannot express it. */
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
  const whole = readConditions(value);
  if (whole) return { match: 'all', conditions: whole };
  const group = names.length === 1 && (first === 'or' || first === 'and') ? value[first] : undefined;
  if (!Array.isArray(group)) return undefined;
  const conditions: Condition[] = [];
  for (const part of group) {
    const read = readConditions(part);
    // All conditions in one part must match, which “any” cannot express.
    if (!read || (first === 'or' && read.length !== 1)) return undefined;
    conditions.push(...read);
  }
  return { match: first === 'or' ? 'any' : 'all', conditions };
}

function readConditions(part: unknown): Condition[] | undefined {
  if (!isObject(part)) return undefined;
  const conditions: Condition[] = [];
  for (const [field, asked] of Object.entries(part)) {
    // A column of a database can have the name of a group.
    const isGroup = (field === 'and' || field === 'or') && Array.isArray(asked);
    const read = isGroup ? readFilled(field, asked) : readTests(field, asked);
    if (!read) return undefined;
    conditions.push(...read);
  }
  return conditions;
}

/** Recognizes what `filled` writes. */
function readFilled(group: string, parts: unknown): Condition[] | undefined {
  if (group !== 'and' || !Array.isArray(parts) || !isObject(parts[0])) return undefined;
  const [field = ''] = Object.keys(parts[0]);
  const condition: Condition = { field, operator: 'filled', values: [] };
  return JSON.stringify({ and: parts }) === JSON.stringify(toPart(condition)) ? [condition] : undefined;
}

const PLAIN: readonly string[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains'] satisfies Operator[];
const isScalar = (value: unknown): value is Choice =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

function readTests(field: string, asked: unknown): Condition[] | undefined {
  if (!isObject(asked)) return isScalar(asked) ? [{ field, operator: 'eq', values: [asked] }] : undefined;
  const { gte, lte, lt } = asked;
  const names = Object.keys(asked).join();
  if (names === 'gte,lte' && isScalar(gte) && isScalar(lte))
    return [{ field, operator: 'range', values: [gte, lte] }];
  if (names === 'gte,lt' && isDay(gte) && isDay(lt))
    return [{ field, operator: 'range', values: [gte, addDays(lt, -1)] }];
  const conditions = Object.entries(asked).map(([name, operand]) => readTest(field, name, operand));
  return conditions.every((condition) => condition !== undefined) ? conditions : undefined;
}

function readTest(field: string, name: string, operand: unknown): Condition | undefined {
  if (name === 'in' && Array.isArray(operand) && operand.every(isScalar)) {
    const isEmpty = JSON.stringify(operand) === '[null,""]';
    return isEmpty ? { field, operator: 'empty', values: [] } : { field, operator: 'in', values: operand };
  }
  return PLAIN.includes(name) && isScalar(operand)
    ? { field, operator: name as Operator, values: [operand] }
    : undefined;
}
