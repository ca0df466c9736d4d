import { MAX_INDEXED_CHARACTERS } from '../../../../contract/rules/where-operators.ts';

/**
 * The keys of index entries: texts that sort, byte by byte, as lists sort the values. The first character is the rank of
 * the type, as in `sortKeys`: nothing, false, true, numbers, texts, the rest.
 */

/** PostgreSQL refuses entries of more than 2,704 bytes, and a character has up to four. */
const MAX_LETTERS = MAX_INDEXED_CHARACTERS;
/** Sorts after every text that is not cut at this place. */
const CUT = '\u{10FFFF}';
/** The end of all keys. */
export const END = '6';
/** Marks the end of a range that has only one key: no key contains NUL, so none is in between. */
const NEXT = '\u0001';

export function toKey(value: unknown): string {
  switch (typeof value) {
    case 'boolean':
      return value ? '2' : '1';
    case 'number':
      return `3${toSortable(value)}`;
    case 'string':
      return `4${cut(value)}`;
    default:
      return value === undefined || value === null ? '0' : '5';
  }
}

/** True if different texts can have this key. */
export const isCut = (key: string) => key.startsWith('4') && key.length > MAX_LETTERS + 1;

/** The first key after this one. */
export const following = (key: string) => key + NEXT;
/** The keys of all values with the type of this key. */
export const keysOfType = (key: string) => ({ from: key.charAt(0), to: String(Number(key.charAt(0)) + 1) });

function cut(text: string): string {
  if (text.length <= MAX_LETTERS) return text;
  // A character of two units is not cut in half.
  return `${text.slice(0, MAX_LETTERS).replace(/[\uD800-\uDBFF]$/, '')}${CUT}`;
}

const view = new DataView(new ArrayBuffer(8));

/** The bits of a number, in hex, so that they sort like the number: those of negative numbers are inverted. */
function toSortable(value: number): string {
  // There is one zero.
  view.setFloat64(0, value + 0);
  const bits = view.getBigUint64(0);
  const isNegative = bits >> 63n === 1n;
  const sortable = isNegative ? ~bits & 0xffffffffffffffffn : bits | (1n << 63n);
  return sortable.toString(16).padStart(16, '0');
}
