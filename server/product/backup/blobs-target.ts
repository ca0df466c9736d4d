import { createHash } from 'node:crypto';
import { type Blobs, diskBlobs, type S3Settings, s3Blobs } from '../../platform/blobs/index.ts';
import { storageFailure } from '../../platform/storage/index.ts';
import { ArchiveError } from './archive/archive-error.ts';

/** Blobs that are being restored. */
interface BlobsTarget {
  put(key: string, bytes: Buffer): Promise<void>;
  /** Waits for the uploads that are running, and returns the checksum of each. */
  finish(): Promise<Map<string, string>>;
  /** Removes everything that was written. */
  undo(): Promise<void>;
}

/** Uploads to a bucket that run in parallel: a bucket may be far away. */
const AT_ONCE = 8;

/** Opens a bucket, or a folder, where one blob at a time is fast enough and the caller removes everything. */
export function openBlobs(place: { folder: string; s3?: S3Settings | undefined }): BlobsTarget {
  const blobs: Blobs = place.s3 ? s3Blobs(place.s3) : diskBlobs(place.folder);
  const width = place.s3 ? AT_ONCE : 1;
  const sums = new Map<string, string>();
  const running = new Set<Promise<void>>();
  let failure: unknown;

  async function settle(upTo: number): Promise<void> {
    while (running.size > upTo) await Promise.race(running);
    if (failure) throw failure;
  }

  return {
    async put(key, bytes) {
      await settle(width - 1);
      sums.set(key, createHash('sha256').update(bytes).digest('hex'));
      const putting: Promise<void> = blobs
        .put(key, bytes)
        .catch((error: unknown) => {
          failure ??= place.s3 ? bucketFailed(error) : folderFailed(key, error);
        })
        .finally(() => running.delete(putting));
      running.add(putting);
    },
    async finish() {
      await settle(0);
      return sums;
    },
    async undo() {
      await settle(0).catch(() => undefined);
      if (place.s3) for (const key of sums.keys()) await blobs.delete(key).catch(() => undefined);
    },
  };
}

/** Explains an error that happens if an archive has a file and a folder of the same name. */
function folderFailed(key: string, error: unknown): unknown {
  if (storageFailure(error) === 'disk full') return error;
  return new ArchiveError(`The file blobs/${key} cannot be written: ${(error as Error).message}`, {
    cause: error,
  });
}

function bucketFailed(error: unknown): ArchiveError {
  const { message, cause } = error as Error;
  const why = cause instanceof Error ? cause.message : message;
  return new ArchiveError(`The bucket at S3_BUCKET cannot be written: ${why}`, { cause: error });
}
