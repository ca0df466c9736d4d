import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Encoding, wantedEncoding } from './accept-encoding.ts';
import { withSize } from './large/large-bodies.ts';

/** The bytes in one encoding, with their quoted entity tag. */
export interface Variant {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
  encoding: Encoding | undefined;
}

/** The same content in every encoding that a client may accept. */
export interface Variants<One = Variant> {
  plain: One;
  gzip: One;
  br: One;
}

/** Compressing anything smaller saves less than its header costs. */
const MIN_COMPRESSED_BYTES = 512;

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/** Compresses once, for all clients. */
export async function makeVariants(bytes: Uint8Array<ArrayBuffer>, tag: string): Promise<Variants> {
  const plain: Variant = { bytes, etag: `"${tag}"`, encoding: undefined };
  const [gzipped, brotlied] = await Promise.all([
    compressed(plain, tag, 'gzip'),
    compressed(plain, tag, 'br'),
  ]);
  return { plain, gzip: gzipped, br: brotlied };
}

export function pickVariant<One>(variants: Variants<One>, accepted: string | null): One {
  const { smallest } = wantedEncoding(accepted);
  return smallest === undefined ? variants.plain : variants[smallest];
}

/** Whether the client already has the content with this quoted tag. A proxy may have marked the tag as weak. */
export function isKnown(request: Request, etag: string): boolean {
  const known = request.headers.get('if-none-match')?.split(',') ?? [];
  return known.map((tag) => tag.trim()).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

/** Sends bytes that do not change, or a 304 if the client already has them. */
export function sendVariants(
  variants: Variants,
  request: Request,
  headers: Record<string, string>,
): Response {
  const { bytes, etag, encoding } = pickVariant(variants, request.headers.get('accept-encoding'));
  const all: Record<string, string> = {
    ...headers,
    etag,
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
    ...(encoding && { 'content-encoding': encoding }),
  };
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers: all });
  return withSize(new Response(bytes, { headers: all }), { bytes: bytes.length, from: 'whole' });
}

async function compressed(plain: Variant, tag: string, encoding: Encoding): Promise<Variant> {
  if (plain.bytes.length < MIN_COMPRESSED_BYTES) return plain;
  const bytes =
    encoding === 'gzip'
      ? await gzipAsync(plain.bytes)
      : await brotliAsync(plain.bytes, {
          params: {
            [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
            // The best quality takes seconds on a large page. This one is fast and almost as good.
            [constants.BROTLI_PARAM_QUALITY]: plain.bytes.length > 256 * 1024 ? 5 : 9,
            [constants.BROTLI_PARAM_SIZE_HINT]: plain.bytes.length,
          },
        });
  return bytes.length < plain.bytes.length ? { bytes, etag: `"${tag}-${encoding}"`, encoding } : plain;
}
