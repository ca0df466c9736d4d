/** Where bytes are kept that are too large for a row: pictures, files, function code. */
export interface Blobs {
  /** Keeps the bytes for good; when it returns, they survive a power cut. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** The bytes, or undefined when there are none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** The bytes a few at a time, for many of them; undefined when there are none. They are to be read at once. */
  open(key: string): Promise<{ size: number; bytes: AsyncIterable<Uint8Array> } | undefined>;
  /** Removes the bytes; fine when there are none. */
  delete(key: string): Promise<void>;
}
