/** Stores bytes that are too large for a row: pictures, files, function code. */
export interface Blobs {
  /** Stores the bytes durably: when it returns, they survive a power cut. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** The bytes, or undefined if the key does not exist. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** The bytes as a stream, for large blobs; undefined if the key does not exist. Read the stream at once. */
  open(key: string): Promise<{ size: number; bytes: AsyncIterable<Uint8Array> } | undefined>;
  /** Removes the bytes. Does nothing if the key does not exist. */
  delete(key: string): Promise<void>;
}
