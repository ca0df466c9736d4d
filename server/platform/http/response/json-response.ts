import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip } from 'node:zlib';
import { type Encoding, wantedEncoding } from './accept-encoding.ts';
import { withSize } from './large/large-bodies.ts';

/** A response that is already JSON text. */
export class JsonText {
  constructor(
    readonly text: string,
    readonly status?: number,
  ) {}
}

export function jsonText(text: string, status?: number): JsonText {
  return new JsonText(text, status);
}

const JSON_HEADERS = {
  'cache-control': 'no-store',
  vary: 'Accept-Encoding',
  'x-content-type-options': 'nosniff',
  'content-type': 'application/json',
};

/** Compressing anything shorter saves less than it costs. */
const MIN_COMPRESSED_CHARACTERS = 1024;
/** Up to this size, compressing is faster than handing it to a thread. */
const MAX_INLINE_BYTES = 128 * 1024;

/**
 * Responses that contain a secret are never compressed: a caller controls other parts of the response, and the
 * compressed length would reveal how similar those parts are to the secret.
 */
const HOLDS_SECRETS = /^\/(oauth\/|api\/(auth\/|join\/|pages\/:id\/(team\/invite|page-session|pass)))/;

export function holdsSecrets(path: string): boolean {
  return HOLDS_SECRETS.test(path);
}

/** Sends a value as JSON, compressed if the client accepts that and it is worth it. */
export function sendJson(
  status: number,
  value: unknown,
  accepted: string | null,
): Response | Promise<Response> {
  if (status === 204) return new Response(null, { status });
  const encoding = wantedEncoding(accepted).quickest;
  const isText = value instanceof JsonText;
  const text = isText ? value.text : JSON.stringify(value);
  const init = { status: (isText && value.status) || status, headers: JSON_HEADERS };
  if (encoding === undefined || text.length <= MIN_COMPRESSED_CHARACTERS) return sendOwn(text, init);
  const headers = { ...JSON_HEADERS, 'content-encoding': encoding };
  const compressed = compress(Buffer.from(text), encoding);
  return compressed instanceof Promise
    ? compressed.then((bytes) => sendOwn(bytes, { ...init, headers }))
    : sendOwn(compressed, { ...init, headers });
}

function sendOwn(body: string | Bytes, init: ResponseInit): Response {
  return withSize(new Response(body, init), { bytes: body.length, from: 'memory' });
}

const QUICK_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

type Bytes = Uint8Array<ArrayBuffer>;

function compress(bytes: Buffer<ArrayBuffer>, encoding: Encoding): Bytes | Promise<Bytes> {
  if (bytes.length > MAX_INLINE_BYTES) {
    return encoding === 'gzip' ? gzipAsync(bytes, { level: 1 }) : brotliAsync(bytes, QUICK_BROTLI);
  }
  return encoding === 'gzip'
    ? Bun.gzipSync(bytes, { level: 1, library: 'libdeflate' })
    : brotliCompressSync(bytes, QUICK_BROTLI);
}
