/** Single values as people type them: `42`, `true` and `null` are what they look like, `"42"` is a text. */

export type Scalar = string | number | boolean | null;

export function readScalar(typed: string): Scalar {
  try {
    const value: unknown = JSON.parse(typed);
    if (value === null || typeof value !== 'object') return value as Scalar;
  } catch {
    // A plain text, then.
  }
  return typed;
}

export function writeScalar(value: Scalar): string {
  if (typeof value !== 'string') return String(value);
  return readScalar(value) === value && value !== '' && value === value.trim()
    ? value
    : JSON.stringify(value);
}

/** Several, with commas between them, or as a JSON array where a text has commas itself. */
export function readScalars(typed: string): Scalar[] {
  try {
    const value: unknown = JSON.parse(typed);
    if (Array.isArray(value)) return value as Scalar[];
  } catch {
    // With commas, then.
  }
  return typed
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map(readScalar);
}

export function writeScalars(values: Scalar[]): string {
  const isPlain = values.every((value) => typeof value !== 'string' || !/[,[\]]/.test(value));
  return isPlain ? values.map(writeScalar).join(', ') : JSON.stringify(values);
}
