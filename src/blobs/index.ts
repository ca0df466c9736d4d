/** Where bytes are kept that are too large for a row. */
export type { Blobs } from './blobs.ts';
/** Blobs as files below a folder. */
export { diskBlobs } from './disk.ts';
/** Blobs that belong to rows, so that neither is ever there without the other for long. */
export { type KeptBlobs, startKeptBlobs } from './kept.ts';
