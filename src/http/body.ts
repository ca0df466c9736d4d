import { createDeadlines } from '../lib/deadlines.ts';
import { isDeeper } from '../lib/depth.ts';
import { discardRest } from './discard.ts';
import { AppError } from './errors.ts';

/** Management bodies are small unless a route says otherwise. */
export const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** Deeper than anybody means: what looks into it would take too long. */
const MAX_DEPTH = 100;

/** A sender that dribbles gets this long for the whole body. */
const BODY_DEADLINE_MS = 50_000;

/** Reads a body, refusing it as soon as it is known to be too long: by its header, or by the byte that is one too many. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new AppError(
      'PAYLOAD_TOO_LARGE',
      `The request body is larger than the ${limit.toLocaleString('en')} bytes allowed here.`,
    );
  const length = request.headers.get('content-length');
  // Without a look at `body`, which makes a stream of it.
  if (length !== null && Number(length) <= Math.min(limit, SMALL_BYTES)) return readWhole(request);
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  if (Number(length ?? 0) > limit) {
    discardRest(request, reader);
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  let late = false;
  const deadline = setTimeout(() => {
    late = true;
    void reader.cancel();
  }, BODY_DEADLINE_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > limit) {
        discardRest(request, reader);
        throw tooLarge();
      }
      chunks.push(value);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw brokenOff(error);
  } finally {
    clearTimeout(deadline);
  }
  if (late) throw tooSlow();
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

/** A small body whose length is known is taken in one piece: reading it as a stream costs far more than it is worth. */
const SMALL_BYTES = 256 * 1024;

const deadlines = createDeadlines(BODY_DEADLINE_MS);

function readWhole(request: Request): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const deadline = deadlines.begin(() => reject(tooSlow()));
    request.arrayBuffer().then(
      (whole) => {
        deadlines.end(deadline);
        resolve(new Uint8Array(whole));
      },
      (error: unknown) => {
        deadlines.end(deadline);
        reject(brokenOff(error));
      },
    );
  });
}

function brokenOff(cause: unknown): AppError {
  return new AppError('BAD_REQUEST', 'The request body broke off before its end.', { cause });
}

function tooSlow(): AppError {
  return new AppError('BAD_REQUEST', 'The request body took longer than 50 seconds to arrive.');
}

/** Reads a JSON body. */
export function readJson(request: Request, limit: number): Promise<unknown> {
  return readStructuredBody(request, { limit, form: false });
}

/** Reads a JSON body, or a form where the route takes one. */
export async function readStructuredBody(
  request: Request,
  options: { limit: number; form: boolean },
): Promise<unknown> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json' || type.endsWith('+json')) {
    return parseJson(await readBody(request, options.limit));
  }
  if (options.form && type === 'application/x-www-form-urlencoded') {
    const text = decode(await readBody(request, options.limit));
    const form = new URLSearchParams(text);
    return Object.fromEntries([...new Set(form.keys())].map((name) => [name, form.getAll(name).join(' ')]));
  }
  const wanted = options.form ? 'application/json or a form' : 'application/json';
  throw new AppError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Send the body as ${wanted}, with a matching Content-Type header.`,
  );
}

function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  try {
    const value: unknown = JSON.parse(text);
    if (isDeeper(value, MAX_DEPTH)) {
      throw new AppError('BAD_REQUEST', `The request body is nested more than ${MAX_DEPTH} levels deep.`);
    }
    if (MAYBE_INEXACT.test(text)) assertExactNumbers(text);
    return value;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('BAD_REQUEST', `The request body is not valid JSON (${(error as Error).message}).`);
  }
}

/** Long digits or a large exponent: only then is it worth looking at every number. */
const MAYBE_INEXACT = /\d{16}|[eE]\+?\d{3}/;

/** A whole number that would silently become another one is refused; what follows a decimal point may be rounded. */
function assertExactNumbers(json: string): void {
  for (const part of outsideTexts(json)) {
    if (!MAYBE_INEXACT.test(part)) continue;
    for (const [source] of part.matchAll(/-?\d[\d.eE+-]*/g)) {
      if (isExact(source)) continue;
      throw new AppError(
        'BAD_REQUEST',
        `The number ${source.slice(0, 40)} is too large to be kept exactly. Send it as a string.`,
      );
    }
  }
}

function isExact(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value)) return false;
  return !/^-?\d+$/.test(source) || String(value) === source || BigInt(source) === BigInt(value);
}

/** The pieces of a JSON text that are in no string. */
function* outsideTexts(json: string): Generator<string> {
  let from = 0;
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', from)) {
    yield json.slice(from, start);
    let end = json.indexOf('"', start + 1);
    while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
    from = end + 1;
  }
  yield json.slice(from);
}

/** Whether an odd number of backslashes stands before. */
function isEscaped(json: string, at: number): boolean {
  let before = at;
  while (json[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AppError('BAD_REQUEST', 'The request body is not valid UTF-8.');
  }
}
