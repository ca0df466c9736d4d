import { fault } from '../../../../contract/errors.ts';
import {
  isObject,
  MAX_RECORD_BYTES,
  MAX_RECORD_DEPTH,
  type RecordData,
} from '../../../../contract/rules/record-data.ts';
import { isStorable } from '../../../../contract/rules/text.ts';
import type { TextValues } from '../../../../contract/rules/texts/fill.ts';
import { AppError, badRequest } from '../../../lib/errors.ts';

/** Data, and the text that is stored for it. */
export interface SerializedData {
  data: RecordData;
  text: string;
  size: number;
}

/** Serializes data for storage. Fails if it is too large. */
export function serializeData(data: RecordData): SerializedData {
  const text = JSON.stringify(data);
  const size = Buffer.byteLength(text);
  if (size <= MAX_RECORD_BYTES) return { data, text, size };
  throw new AppError(
    'PAYLOAD_TOO_LARGE',
    'A record holds at most {count} bytes of JSON; this one has {size}. Split it into several records.',
    { count: MAX_RECORD_BYTES, size },
  );
}

/** Checks data from outside. An error names the place. */
export function checkData(value: unknown): SerializedData {
  if (!isObject(value)) throw wrong(['data'], 'must be an object');
  // Serialize first, because data that is too large need not be checked.
  const serialized = serializeData(value);
  checkValue(value, ['data']);
  return serialized;
}

/** Checks a value. `path` has one name for each level above it. */
function checkValue(value: unknown, path: string[]): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) throw wrong(path, 'must not contain NUL characters or unpaired surrogates');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length > MAX_RECORD_DEPTH)
    throw wrong(path, 'must not be nested deeper than {count} levels', { count: MAX_RECORD_DEPTH });
  for (const [name, item] of Object.entries(value)) {
    if (!isStorable(name)) {
      throw wrong(path, 'must not have names with NUL characters or unpaired surrogates');
    }
    path.push(name);
    checkValue(item, path);
    path.pop();
  }
}

function wrong(path: string[], sentence: string, values?: TextValues): AppError {
  const whole = path.join('.');
  return badRequest([fault(whole.length > 200 ? `${whole.slice(0, 200)}…` : whole, sentence, values)]);
}
