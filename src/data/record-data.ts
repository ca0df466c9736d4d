import { AppError } from '../http/index.ts';
import { isStorable } from '../lib/text.ts';

/** What a record may hold: a JSON object that comes back from every engine as it went in. */
export type RecordData = Record<string, unknown>;

export const MAX_RECORD_BYTES = 256 * 1024;
const MAX_DEPTH = 64;

/** True of a JSON object, and not of an array. */
export function isObject(value: unknown): value is RecordData {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The data as it is stored, unless it is too large. */
export function serializeData(data: RecordData): { text: string; size: number } {
  const text = JSON.stringify(data);
  const size = Buffer.byteLength(text);
  if (size <= MAX_RECORD_BYTES) return { text, size };
  throw new AppError(
    'PAYLOAD_TOO_LARGE',
    `A record holds at most ${MAX_RECORD_BYTES.toLocaleString('en')} bytes of JSON; this one has ${size.toLocaleString('en')}.`,
  );
}

/** Takes data from outside, or refuses with where it is at fault. */
export function checkData(value: unknown): RecordData {
  const path = 'data';
  if (!isObject(value)) throw fault(path, 'must be an object');
  checkValue(value, path, 1);
  return value;
}

function checkValue(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) throw fault(path, 'must not contain NUL characters or unpaired surrogates');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw fault(path, `must not be nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkValue(item, `${path}.${index}`, depth + 1);
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    if (!isStorable(name)) {
      throw fault(path, 'must not have names with NUL characters or unpaired surrogates');
    }
    checkValue(item, `${path}.${name}`, depth + 1);
  }
}

function fault(path: string, message: string): AppError {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return new AppError('BAD_REQUEST', `${shown}: ${message}.`, { details: [{ path: shown, message }] });
}
