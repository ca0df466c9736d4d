/** Values as people type them: `42` is a number, `"42"` is text. */

export type Scalar = string | number | boolean | null;

export function readScalar(typed: string): Scalar {
  try {
    const value: unknown = JSON.parse(typed);
    if (value === null || typeof value !== 'object') return value as Scalar;
  } catch {
    // Not JSON: plain text.
  }
  return typed;
}

export function writeScalar(value: Scalar): string {
  if (typeof value !== 'string') return String(value);
  return readScalar(value) === value && value !== '' && value === value.trim()
    ? value
    : JSON.stringify(value);
}

/** Values separated by commas, or a JSON array if a value contains a comma. */
export function readScalars(typed: string): Scalar[] {
  try {
    const value: unknown = JSON.parse(typed);
    if (Array.isArray(value)) return value as Scalar[];
  } catch {
    // Not JSON: separated by commas.
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
