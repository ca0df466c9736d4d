import type { Blobs } from './blobs.ts';

/** Calls `onPut` with the key of every blob that was written. */
export function announceBlobs(blobs: Blobs, onPut: (key: string) => void): Blobs {
  return {
    ...blobs,
    async put(key, bytes) {
      await blobs.put(key, bytes);
      onPut(key);
    },
    async putFile(key, path) {
      await blobs.putFile(key, path);
      onPut(key);
    },
  };
}
