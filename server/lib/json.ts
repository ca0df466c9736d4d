import { TextError } from './errors.ts';

/** JSON from outside. Its bytes are checked in one linear pass before they are parsed. */

export const MAX_JSON_DEPTH = 64;
export const MAX_JSON_VALUES = 200_000;
/** Fields per object. Many fields in one object are far more expensive to parse than other values. */
export const MAX_JSON_FIELDS = 50_000;

export interface JsonLimits {
  /** Nesting depth of arrays and objects. */
  depth?: number;
  /** Number of strings, numbers, literals, arrays and objects. Field names do not count. */
  values?: number;
  /** True if integers that cannot be represented exactly may be rounded. */
  rounds?: boolean;
}

/** Why a text was rejected. The message continues a sentence after its subject: "is not valid JSON". */
export class JsonError extends TextError {}

/** Parses JSON within the limits, and rejects integers that would not be kept exactly. */
export function parseJson(json: Uint8Array | string, limits: JsonLimits = {}): unknown {
  checkJson(json, limits);
  return parseChecked(json);
}

const MAX_REASON_LETTERS = 200;

/** Parses JSON that has passed `checkJson`. */
export function parseChecked(json: Uint8Array | string): unknown {
  const text = typeof json === 'string' ? json : decode(json);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new JsonError('is not valid JSON ({reason})', {
      reason: (error as Error).message.slice(0, MAX_REASON_LETTERS),
    });
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new JsonError('is not valid UTF-8');
  }
}

const OTHER = 0;
const QUOTE = 1;
const OPENING = 2;
const CLOSING = 3;
const COLON = 4;
const NUMBER = 5;
const WORD = 6;

/** The kind of token that a byte begins, outside of a string. */
const KINDS = new Uint8Array(256);
for (const [letters, kind] of [
  ['"', QUOTE],
  ['[{', OPENING],
  [']}', CLOSING],
  [':', COLON],
  ['-0123456789', NUMBER],
  ['tfn', WORD],
] as const) {
  for (const letter of letters) KINDS[letter.charCodeAt(0)] = kind;
}

/**
 * Throws if the JSON exceeds a limit; otherwise returns how many values it has. Invalid JSON may pass, because the
 * parser rejects it at the first fault.
 */
export function checkJson(json: Uint8Array | string, limits: JsonLimits = {}): number {
  const bytes =
    typeof json === 'string' ? Buffer.from(json) : Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const { depth: maxDepth = MAX_JSON_DEPTH, values: maxValues = MAX_JSON_VALUES, rounds = false } = limits;
  const end = bytes.length;
  /** The number of fields of the open object at each level. */
  const fields = new Uint32Array(maxDepth + 1);
  let depth = 0;
  let values = 0;
  let at = 0;
  while (at < end) {
    const kind = KINDS[bytes[at] as number];
    if (kind === OTHER) {
      at++;
      continue;
    }
    if (kind === CLOSING) depth--;
    // The string before a colon was a field name, not a value.
    else if (kind === COLON) values -= countField(fields, depth);
    else if (++values > maxValues) {
      throw new JsonError('has more than {count} values', { count: maxValues });
    }
    if (kind === OPENING) {
      if (++depth > maxDepth)
        throw new JsonError('is nested more than {count} levels deep', { count: maxDepth });
      fields[depth] = 0;
    }
    if (kind === QUOTE) at = endOfText(bytes, at + 1);
    else if (kind === NUMBER) at = endOfNumber(bytes, at, rounds);
    else if (kind === WORD) at = endOfWord(bytes, at);
    else at++;
  }
  return values;
}

function countField(fields: Uint32Array, depth: number): 1 {
  const count = (fields[depth] ?? 0) + 1;
  if (count > MAX_JSON_FIELDS) {
    throw new JsonError('has an object with more than {count} fields', { count: MAX_JSON_FIELDS });
  }
  // Outside the array's bounds this write has no effect.
  fields[depth] = count;
  return 1;
}

const BACKSLASH = 0x5c;
const QUOTATION_MARK = 0x22;

/** The index after the closing quote of a string. */
function endOfText(bytes: Buffer, start: number): number {
  const end = bytes.length;
  let at = start;
  while (at < end) {
    const byte = bytes[at];
    if (byte === QUOTATION_MARK) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return end;
}

function endOfWord(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && isLetter(bytes[at] as number)) at++;
  return at;
}

function isLetter(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a;
}

/** Integers with fewer characters than this, and exponents with fewer digits, are always exact. */
const LONG_NUMBER = 16;
const LONG_EXPONENT = 3;
/** The longest finite integer has 309 digits. */
const MAX_DIGITS = 310;

function endOfNumber(bytes: Buffer, start: number, rounds: boolean): number {
  let at = start + 1;
  let point = 0;
  let exponent = 0;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x2e) point ||= at;
    else if (byte === 0x65 || byte === 0x45) exponent ||= at;
    else if (!isDigitOrSign(byte)) break;
  }
  const isLong =
    exponent > 0
      ? at - exponent > LONG_EXPONENT
      : point > 0
        ? point - start > MAX_DIGITS
        : at - start >= LONG_NUMBER;
  if (isLong && !rounds) assertExact(bytes, start, at);
  return at;
}

function isDigitOrSign(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d;
}

/**
 * Rejects an integer that would silently change its value. Decimals may be rounded. This happens in the linear pass
 * because `JSON.parse` with a reviver, which also sees the source text, takes 15 times as long for 200,000 values.
 */
function assertExact(bytes: Buffer, start: number, end: number): void {
  const source = bytes.toString('latin1', start, Math.min(end, start + MAX_NUMBER_LETTERS));
  if (end - start <= MAX_NUMBER_LETTERS && isExact(source)) return;
  throw new JsonError(
    'holds the number {number}, which is too large to be kept exactly; send it as a string',
    { number: source.slice(0, 40) },
  );
}

/** Longer numbers do not occur in practice, and converting a megabyte of digits is slow. */
const MAX_NUMBER_LETTERS = 2_000;

function isExact(source: string): boolean {
  const value = Number(source);
  // Not a number, such as `1-1`: the parser rejects it.
  if (Number.isNaN(value)) return true;
  if (!Number.isFinite(value)) return false;
  return !/^-?\d+$/.test(source) || String(value) === source || BigInt(source) === BigInt(value);
}
