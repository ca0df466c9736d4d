import { fault, toFault } from '../../../../contract/errors.ts';
import { isObject } from '../../../../contract/rules/record-data.ts';
import { isStorable } from '../../../../contract/rules/text.ts';
import { phrase, type Text } from '../../../../contract/rules/texts/fill.ts';
import { WHERE_OPERATORS } from '../../../../contract/rules/where-operators.ts';
import { AppError, badRequest } from '../../../lib/errors.ts';
import { JsonError, parseJson } from '../../../lib/json.ts';

/** A parsed `where`, independent of the engine. */
export type Condition = { kind: 'all' | 'any'; of: Condition[] } | ({ kind: 'test'; path: Path } & Test);

type Test =
  | { operator: 'eq' | 'ne'; operand: Scalar }
  | { operator: 'gt' | 'gte' | 'lt' | 'lte'; operand: string | number }
  | { operator: 'in'; operand: Scalar[] }
  | { operator: 'contains'; operand: Exclude<Scalar, null> }
  | { operator: 'exists'; operand: boolean };

export type Scalar = string | number | boolean | null;
/** The path to a value: names of fields, from the outermost inwards. */
export type Path = string[];

const MAX_NESTING = 10;
const MAX_CONDITIONS = 200;
const MAX_IN = 100;
const MAX_PATH_NAMES = 16;
const MAX_NAME_CHARACTERS = 200;

/** Parses a `where` from a query string, and counts its conditions. */
export function parseWhere(text: string): { condition: Condition; conditions: number } {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw wrong(error.text);
    throw error;
  }
  const count = { conditions: 0 };
  return { condition: parseGroup(value, 1, count), conditions: count.conditions };
}

function parseGroup(value: unknown, depth: number, count: { conditions: number }): Condition {
  if (!isObject(value)) throw refuse('must be an object like {"done":false}');
  if (depth > MAX_NESTING)
    throw refuse('must not be nested deeper than {count} levels', { count: MAX_NESTING });
  if (depth > 1) countConditions(count, 1);
  const of = Object.entries(value).flatMap(([name, asked]) => {
    if (name !== 'and' && name !== 'or') return parseField(name, asked, count);
    if (!Array.isArray(asked)) throw refuse('{name} must be an array of conditions', { name });
    const parts = asked.map((part) => parseGroup(part, depth + 1, count));
    return [{ kind: name === 'and' ? ('all' as const) : ('any' as const), of: parts }];
  });
  return { kind: 'all', of };
}

function parseField(name: string, asked: unknown, count: { conditions: number }): Condition[] {
  const path = parsePath(name, 'where');
  if (Array.isArray(asked))
    throw refuse('{name} must be compared with one value; for several, use in', { name });
  const tests = isObject(asked) ? Object.entries(asked) : [['eq', asked] as const];
  if (tests.length === 0) throw refuse('{name} has no operator; known are {known}', { name, known: KNOWN });
  return tests.map(([operator, operand]) => {
    const test = parseTest(name, operator, operand);
    countConditions(count, test.operator === 'in' ? test.operand.length : 1);
    return { kind: 'test', path, ...test };
  });
}

/** Counts conditions. A value of `in` counts as one, and so does a group. */
function countConditions(count: { conditions: number }, added: number): void {
  count.conditions += added;
  if (count.conditions > MAX_CONDITIONS)
    throw refuse('has more than {count} conditions', { count: MAX_CONDITIONS });
}

function parseTest(name: string, operator: string, operand: unknown): Test {
  const says = (sentence: string) => refuse(sentence, { operator, name });
  const keepable = <Operand extends Scalar>(value: Operand): Operand => {
    if (isKeepable(value)) return value;
    throw says('{operator} of {name} must not contain NUL characters or unpaired surrogates');
  };
  switch (operator) {
    case 'eq':
    case 'ne':
      if (!isScalar(operand)) throw says('{operator} of {name} takes a string, number, boolean or null');
      return { operator, operand: keepable(operand) };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      if (typeof operand !== 'string' && typeof operand !== 'number') {
        throw says('{operator} of {name} takes a string or a number');
      }
      return { operator, operand: keepable(operand) };
    case 'in':
      if (!Array.isArray(operand) || !operand.every(isScalar)) {
        throw says('{operator} of {name} takes an array of strings, numbers, booleans or null');
      }
      if (operand.length > MAX_IN)
        throw refuse('{operator} of {name} takes at most {count} values', { operator, name, count: MAX_IN });
      return { operator, operand: operand.map(keepable) };
    case 'contains':
      if (!isScalar(operand) || operand === null)
        throw says('{operator} of {name} takes a string, number or boolean');
      return { operator, operand: keepable(operand) };
    case 'exists':
      if (typeof operand !== 'boolean') throw says('{operator} of {name} takes true or false');
      return { operator, operand };
    default:
      throw refuse('{operator} is not an operator (of {name}); known are {known}', {
        operator,
        name,
        known: KNOWN,
      });
  }
}

/** Parses a dotted path into data. Names that JSON would have to escape cannot be queried. */
export function parsePath(text: string, parameter: string): Path {
  const path = text.split('.');
  const isNameable = (name: string) =>
    name.length > 0 && name.length <= MAX_NAME_CHARACTERS && JSON.stringify(name) === `"${name}"`;
  if (path.length <= MAX_PATH_NAMES && path.every(isNameable)) return path;
  const shown = JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
  throw new AppError(
    'BAD_REQUEST',
    '{parameter}: {path} is not a path of field names joined by dots, such as author.city.',
    { parameter, path: shown },
    { details: [fault(parameter, '{path} is not a path of field names joined by dots', { path: shown })] },
  );
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function isKeepable(value: Scalar): boolean {
  return typeof value === 'string' ? isStorable(value) : typeof value !== 'number' || Number.isFinite(value);
}

const KNOWN = WHERE_OPERATORS.join(', ');

const refuse = (sentence: string, values?: Text['values']) => wrong(phrase(sentence, values));

/** Long names are cut, because they are the caller's. */
function wrong({ text, values = {} }: Text): AppError {
  const bounded = Object.entries(values).map(([name, value]) => [name, shorten(value)]);
  return badRequest([toFault('where', { text, values: Object.fromEntries(bounded) })]);
}

const MAX_SHOWN = 200;
const shorten = (value: string | number) =>
  typeof value === 'string' && value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value;
