import type { Payload } from './payload.ts';

/** A response in the cache. */
export interface Entry extends Payload {
  storedAt: number;
  expiresAt: number;
}

/** The most responses in a cache, however small they are. */
export const MAX_ENTRIES = 10_000;
/** One response may take up a quarter of a cache. */
export const ENTRY_PART = 4;
/** What an entry takes up besides its texts and bytes, as measured with ten thousand of them. */
const ENTRY_BYTES = 2_048;

/** Responses by key, within a number of bytes. When they are too many, the least recently used are removed first. */
export class Store {
  private readonly entries = new Map<string, { entry: Entry; bytes: number }>();
  private storedBytes = 0;
  /** The bytes of responses that are being received. */
  private receivedBytes = 0;

  constructor(private readonly maxBytes: number) {}

  get size(): number {
    return this.entries.size;
  }

  /** Reserves memory for a response that arrives in pieces. `reserve` returns false if it is too much. */
  receive(): { reserve(bytes: number): boolean; release(): void } {
    let own = 0;
    return {
      reserve: (bytes) => {
        const isTooMuch =
          own + bytes > this.maxBytes / ENTRY_PART || this.receivedBytes + bytes > this.maxBytes;
        if (isTooMuch) return false;
        own += bytes;
        this.receivedBytes += bytes;
        return true;
      },
      release: () => {
        this.receivedBytes -= own;
        own = 0;
      },
    };
  }

  /** Returns false if the response is too large. */
  put(key: string, entry: Entry): boolean {
    const bytes = countBytes(key, entry);
    if (bytes > this.maxBytes / ENTRY_PART) return false;
    this.drop(key);
    this.entries.set(key, { entry, bytes });
    this.storedBytes += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.storedBytes <= this.maxBytes && this.entries.size <= MAX_ENTRIES) break;
      this.drop(oldest);
    }
    return true;
  }

  get(key: string, now: number): Entry | undefined {
    const found = this.entries.get(key);
    if (!found) return undefined;
    if (found.entry.expiresAt <= now) {
      this.drop(key);
      return undefined;
    }
    // A map has its keys in the order in which they were set. This one becomes the last.
    this.entries.delete(key);
    this.entries.set(key, found);
    return found.entry;
  }

  /** Returns true if there was a response that had not expired. */
  delete(key: string, now: number): boolean {
    const isFresh = this.get(key, now) !== undefined;
    this.drop(key);
    return isFresh;
  }

  private drop(key: string): void {
    this.storedBytes -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }
}

function countBytes(key: string, { headers, body }: Entry): number {
  // The body is a part of the bytes that were received, and all of them stay in memory. A character may take two bytes.
  let bytes = ENTRY_BYTES + body.buffer.byteLength + 2 * key.length;
  for (const [name, value] of headers) bytes += 2 * (name.length + value.length);
  return bytes;
}
