/** Pieces of SQL statements. */

export const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

export const literal = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** Names are the same in any case, as in SQLite. */
export const toKey = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Joins conditions with OR. A long chain would be deeper than SQLite allows, so it is a tree. */
export function anyOf(conditions: string[]): string {
  if (conditions.length === 0) return '0';
  if (conditions.length === 1) return `(${conditions[0]})`;
  const middle = conditions.length >> 1;
  return `(${anyOf(conditions.slice(0, middle))} OR ${anyOf(conditions.slice(middle))})`;
}

/** Whether two values differ in any way. `IS` alone takes 1 and 1.0 for the same, and obeys collations. */
export const differ = (one: string, other: string) =>
  `(${one} COLLATE BINARY IS NOT ${other} OR typeof(${one}) IS NOT typeof(${other}))`;

/** A value that a condition already says to be literal; anything else could do work. */
const LITERAL = /^(?:[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?|'(?:[^']|'')*'|x'[\da-f]*'|null|true|false)$/i;

/** What rows have in a column that they were given later. */
export const toDefault = (expression: string | null) => {
  const bare = expression?.trim().replace(/^\((.*)\)$/s, '$1') ?? '';
  return LITERAL.test(bare) ? bare : 'NULL';
};
