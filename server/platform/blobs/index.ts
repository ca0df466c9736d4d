/** Stores bytes that are too large for a row. */

/** Says when a blob was written. */
export { announceBlobs } from './announce.ts';
export type { Blobs, ByteRange } from './blobs.ts';
/** A bucket, its settings, and a check whether it can be used. */
export { type Bucket, openBucket, readErrorCode, type S3Settings } from './bucket.ts';
export { askBucket, checkS3 } from './check-s3.ts';
/** Blobs as files below a folder. */
export { diskBlobs } from './disk.ts';
/** Blobs that belong to rows: neither exists without the other for long. */
export { KeptBlobs } from './kept.ts';
/** Whether a text can be the key of a blob. */
export { isKey } from './key.ts';
/** Blobs as objects in a bucket, and whether there are any. */
export { isBucketEmpty, s3Blobs } from './s3.ts';
