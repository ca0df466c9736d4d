/// <reference path="./workerd.d.ts" />

/** Values on their way between SQLite and JSON, in workerd. */

/** JSON has no bytes, so D1's client sends them as lists of numbers. */
export function toSqlValue(value: unknown): SqlStorageValue {
  if (Array.isArray(value)) return new Uint8Array(value as number[]).buffer;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || typeof value === 'number' || typeof value === 'string') return value;
  throw new Error(
    'A parameter must be text, a number, true, false, null or a list of bytes: SQLITE_MISMATCH',
  );
}

export function fromSqlValue(value: SqlStorageValue): unknown {
  return value instanceof ArrayBuffer ? Array.from(new Uint8Array(value)) : value;
}

export function sizeOf(values: unknown[]): number {
  let size = 8 * values.length;
  for (const value of values) {
    if (typeof value === 'string') size += value.length;
    else if (Array.isArray(value)) size += 4 * value.length;
  }
  return size;
}

export function toObjects(columns: string[], rows: unknown[][]): Array<Record<string, unknown>> {
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
}
