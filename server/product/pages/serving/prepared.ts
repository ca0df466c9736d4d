import { isLarge, type SizedBody, type Variant, type Variants } from '../../../platform/http/index.ts';

/**
 * Where a page is sent to: at `/p/<slug>`, below that at an address with a key, on its own host, or in a frame of
 * another page. Each has its own headers.
 */
export type ServedFrom = 'base' | 'key' | 'own host' | 'frame';

/** Responses share a blob: they would each copy an array of bytes. Those with a large body have none of their own. */
export type SharedBody = Blob | Uint8Array<ArrayBuffer>;

/** One encoding of a page, and its responses: to copy one is a quarter cheaper than to build it. */
export interface PreparedVariant extends Omit<Variant, 'bytes'> {
  body: SharedBody;
  size: SizedBody;
  responses: Partial<Record<ServedFrom, Response>>;
}

export function prepareAll({ plain, gzip, br }: Variants, ownerId: number): Variants<PreparedVariant> {
  const prepare = ({ bytes, etag, encoding }: Variant): PreparedVariant => {
    const body = share(bytes);
    return { body, size: measure(body, ownerId), etag, encoding, responses: {} };
  };
  return { plain: prepare(plain), gzip: prepare(gzip), br: prepare(br) };
}

export function share(bytes: Uint8Array<ArrayBuffer>): SharedBody {
  return isLarge(bytes.length) ? bytes : new Blob([bytes]);
}

/** The size and source of a body, to mark a response that is made from `toOwnBody`. */
export function measure(body: SharedBody, ownerId: number): SizedBody {
  return body instanceof Blob
    ? { bytes: body.size, from: 'memory', ownerId }
    : { bytes: body.length, from: body, ownerId };
}

export function toOwnBody(body: SharedBody): Blob | null {
  return body instanceof Blob ? body : null;
}

/** The bytes that all encodings together take. */
export function countBytes({ plain, gzip, br }: Variants): number {
  return plain.bytes.length + gzip.bytes.length + br.bytes.length;
}
