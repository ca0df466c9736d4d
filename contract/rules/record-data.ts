/** What a record holds: a JSON object that every engine returns as it was sent. */
export type RecordData = Record<string, unknown>;

export const MAX_RECORD_BYTES = 256 * 1024;
/** Levels of nested arrays and objects in a record. */
export const MAX_RECORD_DEPTH = 64;

/** True for a JSON object, false for an array. */
export function isObject(value: unknown): value is RecordData {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
