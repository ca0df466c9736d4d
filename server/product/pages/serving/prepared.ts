import type { Variant, Variants } from '../../../platform/http/index.ts';

/**
 * Where a page is sent to: at `/p/<slug>`, below that at an address with a key, on its own host, or in a frame of
 * another page. Each has its own headers.
 */
export type Place = 'base' | 'key' | 'own host' | 'frame';

/** One encoding of a page, and its responses: to copy one is a quarter cheaper than to build it. */
export interface PreparedVariant extends Omit<Variant, 'bytes'> {
  /** Responses share it. They would each copy an array of bytes. */
  body: Blob;
  responses: Partial<Record<Place, Response>>;
}

export function prepareAll({ plain, gzip, br }: Variants): Variants<PreparedVariant> {
  return { plain: prepare(plain), gzip: prepare(gzip), br: prepare(br) };
}

function prepare({ bytes, etag, encoding }: Variant): PreparedVariant {
  return { body: new Blob([bytes]), etag, encoding, responses: {} };
}

/** The bytes that all encodings together take. */
export function sizeOf({ plain, gzip, br }: Variants): number {
  return plain.bytes.length + gzip.bytes.length + br.bytes.length;
}
