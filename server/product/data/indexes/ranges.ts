import { canUseIndex } from '../../../../contract/rules/where-operators.ts';
import type { Condition } from '../queries/where.ts';
import { END, following, isCut, keysOfType, toKey } from './keys.ts';

/** The keys from `from` up to `to`, without `to`. */
export interface Range {
  from: string;
  to: string;
}

/** What a condition says about one field. */
interface FieldRanges {
  /** In order, without overlaps. */
  ranges: Range[];
  /** True if all records with these keys match the whole condition, and no others. */
  isExact: boolean;
}

export const ALL: Range = { from: '0', to: END };

/** True if a range has one key, so that its entries are in the order of their records. */
export const isSingle = ({ from, to }: Range) => to === following(from);

type Test = Extract<Condition, { kind: 'test' }>;

/** The keys that records must have in a field to match a condition. Undefined if it does not say. */
export function toRanges(condition: Condition, field: string): FieldRanges | undefined {
  const parts = listParts(condition);
  let found: FieldRanges | undefined;
  let isWhole = true;
  for (const part of parts) {
    const own = part.kind === 'test' && part.path.join('.') === field ? matchTest(part) : undefined;
    if (!own) isWhole = false;
    else found = found ? intersect(found, own) : own;
  }
  return found && { ranges: found.ranges, isExact: found.isExact && isWhole };
}

/** The fields whose index could find the records of a condition. */
export const listUsableFields = (condition: Condition): string[] =>
  listParts(condition).flatMap((part) =>
    part.kind === 'test' && canUseIndex(part.operator, part.operand) ? part.path.join('.') : [],
  );

/** The conditions that all must match. */
function listParts(condition: Condition): Condition[] {
  return condition.kind === 'all' ? condition.of.flatMap(listParts) : [condition];
}

function matchTest(test: Test): FieldRanges | undefined {
  switch (test.operator) {
    case 'eq':
      return matchAny([test.operand]);
    case 'in':
      return matchAny(test.operand);
    case 'ne': {
      const { ranges, isExact } = matchAny([test.operand]);
      return isExact ? { ranges: invert(ranges), isExact } : undefined;
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compare(test.operator, toKey(test.operand));
    default:
      return undefined;
  }
}

function matchAny(values: unknown[]): FieldRanges {
  const keys = [...new Set(values.map(toKey))].sort(byBytes);
  return {
    ranges: keys.map((key) => ({ from: key, to: following(key) })),
    isExact: !keys.some(isCut),
  };
}

function compare(operator: 'gt' | 'gte' | 'lt' | 'lte', key: string): FieldRanges | undefined {
  // Texts that share a cut key can be on both sides of the value.
  if (isCut(key)) return undefined;
  const { from, to } = keysOfType(key);
  const range = {
    gt: { from: following(key), to },
    gte: { from: key, to },
    lt: { from, to: key },
    lte: { from, to: following(key) },
  }[operator];
  return { ranges: isEmpty(range) ? [] : [range], isExact: true };
}

function invert(ranges: Range[]): Range[] {
  const rest: Range[] = [];
  let { from } = ALL;
  for (const range of ranges) {
    rest.push({ from, to: range.from });
    from = range.to;
  }
  return [...rest, { from, to: ALL.to }].filter((range) => !isEmpty(range));
}

/** What is in both. Both are in order, so that each range is compared with few of the others. */
function intersect(a: FieldRanges, b: FieldRanges): FieldRanges {
  const ranges: Range[] = [];
  for (let [i, j] = [0, 0]; ; ) {
    const [one, other] = [a.ranges[i], b.ranges[j]];
    if (!one || !other) return { ranges, isExact: a.isExact && b.isExact };
    const isFirst = byBytes(one.to, other.to) < 0;
    const from = byBytes(one.from, other.from) < 0 ? other.from : one.from;
    const range = { from, to: isFirst ? one.to : other.to };
    if (!isEmpty(range)) ranges.push(range);
    if (isFirst) i++;
    else j++;
  }
}

const isEmpty = ({ from, to }: Range) => byBytes(from, to) >= 0;

/**
 * The order of both engines. JavaScript compares units of UTF-16, whose order is another one: characters of two units
 * are the last ones.
 */
export function byBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one === other) continue;
    return isHalf(one) === isHalf(other) ? one - other : isHalf(one) ? 1 : -1;
  }
  return a.length - b.length;
}

const isHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
