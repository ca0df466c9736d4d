import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';

/** Bytes that are hashed at once, which takes about a millisecond. */
const PIECE_BYTES = 512 * 1024;

/** The SHA-256 and the checksum for archives. Other requests get a turn in between, because a file can be large. */
export async function digest(bytes: Uint8Array): Promise<{ hash: string; size: number; crc32: number }> {
  const hasher = new Bun.CryptoHasher('sha256');
  let sum = 0;
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
    if (at > 0) await setImmediate();
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    hasher.update(piece);
    sum = crc32(piece, sum);
  }
  return { hash: hasher.digest('hex'), size: bytes.byteLength, crc32: sum };
}

/** The SHA-256 of a document, as files have it. */
export const hexHash = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');
