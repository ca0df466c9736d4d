import {
  HONEYPOT_FIELD,
  MAX_FORM_FIELD_NAME,
  MAX_FORM_FIELDS,
  MAX_FORM_FILE_BYTES,
  MAX_FORM_FILES,
  MAX_FORM_FILES_BYTES,
  MAX_FORM_TEXT_BYTES,
  MAX_FORM_VALUE,
  MAX_FORM_VALUES,
  NEXT_FIELD,
} from '../../../contract/forms/limits.ts';
import { byteLength, characterCount, isStorable } from '../../../contract/rules/text.ts';
import type { TextValues } from '../../../contract/rules/texts/fill.ts';
import { AppError } from '../../lib/errors.ts';
import { parseContentType, readBody, readJson, readMultipart } from '../../platform/http/index.ts';

/** A file as it was sent. */
export interface SentFile {
  field: string;
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

/** What a visitor sent with a form. */
export interface Submission {
  /** JSON of the fields by name. A field that was sent several times has a list. */
  fields: string;
  files: SentFile[];
  /** Where the browser should go next, as it was sent. */
  next: string | undefined;
  /** True if the field that people do not see is filled in. */
  isTrapped: boolean;
}

/** Bytes of a body without files. Encoding can make a text nine times as long, but only for rare letters. */
const TEXT_BODY_LIMIT = 4 * MAX_FORM_TEXT_BYTES;
const AMPERSAND = 0x26;
const MAX_FILE_NAME = 200;

type Pair = [name: string, value: string];

/** Reads a form in any of its three encodings, within the limits. */
export async function readSubmission(request: Request, sender: string): Promise<Submission> {
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'multipart/form-data') return readParts(request, sender);
  if (type === 'application/x-www-form-urlencoded') {
    return toSubmission(readPairs(await readBody(request, TEXT_BODY_LIMIT, sender)), []);
  }
  if (type === 'application/json' || type.endsWith('+json')) {
    const body = await readJson(request, { limit: TEXT_BODY_LIMIT, depth: 3, sender });
    return toSubmission(toPairs(body), []);
  }
  throw new AppError(
    'UNSUPPORTED_MEDIA_TYPE',
    'Send the form as multipart/form-data, application/x-www-form-urlencoded or application/json.',
  );
}

async function readParts(request: Request, sender: string): Promise<Submission> {
  const limit = MAX_FORM_FILES_BYTES + MAX_FORM_TEXT_BYTES;
  const parts = await readMultipart(request, limit, sender, MAX_FORM_VALUES + MAX_FORM_FILES);
  const pairs: Pair[] = [];
  const files: SentFile[] = [];
  for (const { name, filename, contentType, bytes } of parts) {
    if (filename === undefined) pairs.push([name, decode(bytes)]);
    // A browser sends a file without name and content if none was chosen.
    else if (filename !== '' || bytes.byteLength > 0)
      files.push({
        field: name,
        name: cleanFileName(filename),
        contentType: parseContentType(contentType),
        bytes,
      });
  }
  return toSubmission(pairs, files);
}

function readPairs(bytes: Uint8Array): Pair[] {
  let count = 1;
  for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1))
    if (++count > MAX_FORM_VALUES) throw tooManyValues();
  return [...new URLSearchParams(decode(bytes))];
}

/** The fields of a JSON object: texts, numbers, true, false, null, and lists of these. */
function toPairs(body: unknown): Pair[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw bad('Send an object with the fields of the form.');
  const pairs: Pair[] = [];
  for (const [name, value] of Object.entries(body)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each === 'object' && each !== null)
        throw bad('{name}: must be a text or a list of texts.', { name: name.slice(0, MAX_FORM_FIELD_NAME) });
      if (pairs.push([name, each === null ? '' : String(each)]) > MAX_FORM_VALUES) throw tooManyValues();
    }
  }
  return pairs;
}

function toSubmission(pairs: Pair[], files: SentFile[]): Submission {
  if (pairs.length > MAX_FORM_VALUES) throw tooManyValues();
  assertFiles(files);
  const byName = new Map<string, string[]>();
  let next: string | undefined;
  let isTrapped = false;
  for (const [name, sent] of pairs) {
    if (name === HONEYPOT_FIELD) isTrapped ||= sent !== '';
    else if (name === NEXT_FIELD) next = sent || next;
    else {
      const value = sent.replaceAll('\r\n', '\n');
      assertField(name, value);
      byName.set(name, [...(byName.get(name) ?? []), value]);
    }
  }
  if (byName.size > MAX_FORM_FIELDS)
    throw bad('The form has more than {count} fields.', { count: MAX_FORM_FIELDS });
  const isEmpty = [...byName.values()].flat().every((value) => value.trim() === '');
  if (isEmpty && files.length === 0 && !isTrapped)
    throw bad('The form is empty. Fill in at least one field.');
  // No assignments, because `__proto__` is a valid name of a field.
  const named = [...byName].map(([name, values]) => [name, values.length === 1 ? values[0] : values]);
  const fields = JSON.stringify(Object.fromEntries(named));
  if (byteLength(fields) > MAX_FORM_TEXT_BYTES)
    throw tooLarge('The fields are larger than {size} KB together. Write less.', {
      size: MAX_FORM_TEXT_BYTES / 1024,
    });
  return { fields, files, next, isTrapped };
}

function assertField(name: string, value: string): void {
  assertFieldName(name);
  if (!isStorable(value))
    throw bad('{name}: must not contain NUL characters or unpaired surrogates.', { name });
  if (value.length > MAX_FORM_VALUE && characterCount(value) > MAX_FORM_VALUE)
    throw tooLarge('{name}: is longer than {count} characters.', { name, count: MAX_FORM_VALUE });
}

function assertFieldName(name: string): void {
  const isFine = name !== '' && characterCount(name) <= MAX_FORM_FIELD_NAME && isStorable(name);
  if (!isFine || /\p{Cc}/u.test(name))
    throw bad('The name of a field must have 1 to {count} characters without control characters.', {
      count: MAX_FORM_FIELD_NAME,
    });
}

function assertFiles(files: SentFile[]): void {
  if (files.length > MAX_FORM_FILES) throw bad('Send at most {count} files.', { count: MAX_FORM_FILES });
  let total = 0;
  for (const { field, name, bytes } of files) {
    assertFieldName(field);
    total += bytes.byteLength;
    if (bytes.byteLength > MAX_FORM_FILE_BYTES)
      throw tooLarge('{name} is larger than {size} MB. Choose a smaller file.', {
        name,
        size: megabytes(MAX_FORM_FILE_BYTES),
      });
  }
  if (total > MAX_FORM_FILES_BYTES)
    throw tooLarge('The files are larger than {size} MB together. Choose fewer or smaller files.', {
      size: megabytes(MAX_FORM_FILES_BYTES),
    });
}

/**
 * The last part of the name, without folders, control characters and those that turn the direction of writing, which
 * make `gpj.exe` look like `exe.jpg`.
 */
function cleanFileName(given: string): string {
  const last = given.slice(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1);
  const clean = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '')
    .trim();
  if (['', '.', '..'].includes(clean)) return 'file';
  const letters = [...clean];
  // Keep the end, which has the extension.
  return letters.length <= MAX_FILE_NAME ? clean : letters.slice(-MAX_FILE_NAME).join('');
}

const megabytes = (bytes: number) => bytes / 1024 / 1024;

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw bad('The form is not valid UTF-8.');
  }
}

const bad = (sentence: string, values?: TextValues) => new AppError('BAD_REQUEST', sentence, values);
const tooLarge = (sentence: string, values?: TextValues) =>
  new AppError('PAYLOAD_TOO_LARGE', sentence, values);
const tooManyValues = () => bad('The form has more than {count} values.', { count: MAX_FORM_VALUES });
