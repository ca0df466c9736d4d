import type { Variant } from '../../../platform/http/index.ts';

/** Where a page is sent to: at `/p/<slug>`, on its own host, or in a frame of another page. Each has its own headers. */
export type Place = 'base' | 'own host' | 'frame';

/** One encoding of a page, and its responses: to copy one is a quarter cheaper than to build it. */
export interface PreparedVariant extends Omit<Variant, 'bytes'> {
  /** Responses share it. They would each copy an array of bytes. */
  body: Blob;
  responses: Partial<Record<Place, Response>>;
}

export function prepare({ bytes, etag, encoding }: Variant): PreparedVariant {
  return { body: new Blob([bytes]), etag, encoding, responses: {} };
}
