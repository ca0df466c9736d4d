/** Converts values between SQLite and JSON. */

/** JSON has no bytes, so the D1 client sends them as lists of numbers. */
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

/** Estimates the length of values as JSON. */
export function estimateSize(values: unknown[]): number {
  let size = 8 * values.length;
  for (const value of values) {
    if (typeof value === 'string') size += value.length + countEscapes(value);
    else if (Array.isArray(value)) size += 4 * value.length;
  }
  return size;
}

/** The characters that JSON adds: one character may become six. */
function countEscapes(text: string): number {
  let added = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20) added += code >= 8 && code <= 13 && code !== 11 ? 1 : 5;
    else if (code === 0x22 || code === 0x5c) added++;
  }
  return added;
}

export function toObjects(columns: string[], rows: unknown[][]): Array<Record<string, unknown>> {
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
}
