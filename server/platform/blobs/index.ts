/** Stores bytes that are too large for a row. */
export type { Blobs, ByteRange } from './blobs.ts';
/** A bucket, its settings, and a check whether it can be used. */
export { type Bucket, openBucket, type S3Settings } from './bucket.ts';
export { askBucket, checkS3 } from './check-s3.ts';
/** Blobs as files below a folder. */
export { diskBlobs } from './disk.ts';
/** Blobs that belong to rows: neither exists without the other for long. */
export { KeptBlobs } from './kept.ts';
/** Blobs as objects in a bucket, and whether there are any. */
export { isBucketEmpty, s3Blobs } from './s3.ts';
