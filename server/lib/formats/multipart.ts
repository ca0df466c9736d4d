import type { TextValues } from '../../../contract/rules/texts/fill.ts';
import { AppError } from '../errors.ts';

/** Forms with files, as RFC 7578 describes them. */

const MAX_HEAD_BYTES = 8 * 1024;

export interface Part {
  name: string;
  /** Set if the part is a file, whatever its name. */
  filename?: string;
  contentType?: string;
  bytes: Uint8Array;
}

/** The boundary that a Content-Type header names. */
export function readBoundary(type: string): string {
  const boundary = parameter(type, 'boundary');
  if (/^multipart\/form-data *;/i.test(type) && boundary && boundary.length <= 70) return boundary;
  throw new AppError(
    'UNSUPPORTED_MEDIA_TYPE',
    'Send a form: Content-Type multipart/form-data, with its boundary.',
  );
}

/** The parts of a form, one by one, without copying their bytes. Fails when there are more than `maxParts`. */
export function* readParts(body: Buffer, boundary: string, maxParts: number): Generator<Part> {
  let count = 0;
  for (const part of splitParts(body, boundary)) {
    if (++count > maxParts)
      throw malformed('The form cannot be read: it has more than {maxParts} parts.', { maxParts });
    yield readPart(part);
  }
}

/** The bytes between the boundary lines. */
function* splitParts(body: Buffer, boundary: string): Generator<Buffer> {
  const first = Buffer.from(`--${boundary}`);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // Anything before the first boundary line is ignored.
  const opening = body.subarray(0, first.length).equals(first) ? -2 : body.indexOf(delimiter);
  if (opening === -1) throw malformed('The form cannot be read: it has no boundary.');
  let at = opening + delimiter.length;
  while (body.toString('latin1', at, at + 2) !== '--') {
    const start = body.indexOf('\r\n', at) + 2;
    const end = body.indexOf(delimiter, start - 2);
    if (start < 2 || end < 0) throw malformed('The form cannot be read: its last boundary is missing.');
    yield body.subarray(start, Math.max(start, end));
    at = end + delimiter.length;
  }
}

function readPart(part: Buffer): Part {
  const headEnd = part.indexOf('\r\n\r\n');
  if (headEnd < 0 || headEnd > MAX_HEAD_BYTES)
    throw malformed('The form cannot be read: a part has no headers, or too many.');
  const head = part.toString('utf8', 0, headEnd);
  const disposition = header(head, 'content-disposition') ?? '';
  const name = parameter(disposition, 'name');
  if (!/^form-data *;/i.test(disposition) || name === undefined)
    throw malformed('The form cannot be read: a part has no name.');
  const filename = extended(disposition) ?? parameter(disposition, 'filename');
  const contentType = header(head, 'content-type');
  return {
    name,
    ...(filename !== undefined && { filename }),
    ...(contentType !== undefined && { contentType }),
    bytes: part.subarray(headEnd + 4),
  };
}

function header(head: string, name: string): string | undefined {
  const line = head.split('\r\n').find((text) => text.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

/** A parameter as browsers and curl write it: quoted, with quotes and line breaks as %22, %0D, %0A or after a backslash. */
function parameter(value: string, name: string): string | undefined {
  const pattern = new RegExp(`; *${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'is');
  const [, quoted, bare] = pattern.exec(value) ?? [];
  if (quoted === undefined) return bare;
  return quoted
    .replace(/\\(["\\])/g, '$1')
    .replace(/%(22|0d|0a)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** `filename*=UTF-8''…`, as in RFC 8187. */
function extended(disposition: string): string | undefined {
  const [, encoded] = /; *filename\*=utf-8'[^']*'([^\s;]+)/i.exec(disposition) ?? [];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw malformed('The form cannot be read: a file name is not valid UTF-8.');
  }
}

function malformed(sentence: string, values?: TextValues): AppError {
  return new AppError('BAD_REQUEST', sentence, values);
}
