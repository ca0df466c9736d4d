/** A part of some bytes: from `start` up to, but not including, `end`. Both are inside the bytes. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Stores bytes that are too large for a row: pictures, files, function code. */
export interface Blobs {
  /** Stores the bytes durably: when it returns, they survive a power cut. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Stores a file of this disk, of any size. The file may be gone afterwards: it is moved if possible. */
  putFile(key: string, path: string): Promise<void>;
  /** The bytes, or undefined if the key does not exist. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** The bytes as a stream, for large blobs; undefined if the key does not exist. Read the stream at once. */
  open(key: string): Promise<{ size: number; bytes: AsyncIterable<Uint8Array> } | undefined>;
  /**
   * A part of the bytes, to send to a client; undefined if the key does not exist. On disk it is a slice of a file, so
   * that the kernel can send it.
   */
  slice(key: string, range?: ByteRange): Promise<Blob | ReadableStream<Uint8Array> | undefined>;
  /** Removes the bytes. Does nothing if the key does not exist. */
  delete(key: string): Promise<void>;
}
