import { open } from 'node:fs/promises';
import { CommandError } from '../../usage.ts';

const CHUNK_BYTES = 256 * 1024;

export const WHAT_TO_DO = 'Rename or remove it, or add it to .quireignore.';

/** The bytes of a file in pieces. */
export async function* readChunks(file: string): AsyncGenerator<Uint8Array> {
  const handle = await open(file).catch((error: Error) => {
    throw new CommandError(
      `Cannot read ${file}: ${error.message}. Make it readable, or add it to .quireignore.`,
    );
  });
  try {
    for (;;) {
      const buffer = new Uint8Array(CHUNK_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

export async function hashFile(file: string): Promise<{ hash: string; size: number }> {
  const hasher = new Bun.CryptoHasher('sha256');
  let size = 0;
  for await (const chunk of readChunks(file)) {
    hasher.update(chunk);
    size += chunk.byteLength;
  }
  return { hash: hasher.digest('hex'), size };
}
