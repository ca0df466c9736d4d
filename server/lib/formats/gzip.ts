import { createGzip } from 'node:zlib';
import { inPieces } from '../streams.ts';

/** Small pieces are joined to this size, because each one goes to another thread. */
const PIECE_BYTES = 128 * 1024;
/** The fastest level: the server has visitors meanwhile, and most large data is already compressed. */
const LEVEL = 1;

/**
 * Compresses the bytes while they are read, with zlib in the thread pool: Bun's `CompressionStream` works in our own
 * thread, where it delayed pages for seconds.
 */
export async function* compress(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: LEVEL, chunkSize: PIECE_BYTES });
  const made: Uint8Array[] = [];
  gzip.on('data', (piece: Uint8Array) => made.push(piece));
  try {
    for await (const piece of inPieces(bytes, PIECE_BYTES)) {
      await new Promise<void>((resolve, reject) => {
        gzip.write(piece, (error) => (error ? reject(error) : resolve()));
      });
      yield* made.splice(0);
    }
    await new Promise<void>((resolve, reject) => {
      gzip.once('end', resolve);
      gzip.once('error', reject);
      gzip.end();
    });
    yield* made;
  } finally {
    gzip.destroy();
  }
}
