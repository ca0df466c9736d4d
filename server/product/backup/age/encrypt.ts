import { inPieces, toStream } from '../../../lib/streams.ts';

/** Encrypts a stream while it is read. */
export type Encrypt = (stream: ReadableStream<Uint8Array>) => Promise<ReadableStream<Uint8Array>>;

/** What the thread gets: a piece, or nothing at the end. */
export interface EncryptRequest {
  recipients: string[];
  piece?: Uint8Array;
}
/** The encrypted pieces that are ready. */
export interface EncryptAnswer {
  pieces: Uint8Array[];
}

/** Pieces are joined to this size, because each one goes to another thread. */
const PIECE_BYTES = 256 * 1024;

/** Encrypts archives for the holders of age keys. Undefined if there are none. Fails if a public key is mistyped. */
export async function createEncrypt(recipients: string[]): Promise<Encrypt | undefined> {
  if (recipients.length === 0) return undefined;
  const { Encrypter } = await import('age-encryption');
  for (const recipient of recipients) new Encrypter().addRecipient(recipient);
  return async (stream) => toStream(encryptPieces(stream, recipients));
}

async function* encryptPieces(
  stream: ReadableStream<Uint8Array>,
  recipients: string[],
): AsyncGenerator<Uint8Array, void, void> {
  const thread = new Worker(new URL('./encrypt.worker.ts', import.meta.url));
  const ask = (request: EncryptRequest) =>
    new Promise<Uint8Array[]>((resolve, reject) => {
      thread.onmessage = ({ data }: MessageEvent<EncryptAnswer>) => resolve(data.pieces);
      thread.onerror = ({ message }) => reject(new Error(`a backup could not be encrypted: ${message}`));
      thread.postMessage(request);
    });
  try {
    for await (const piece of inPieces(stream, PIECE_BYTES)) yield* await ask({ recipients, piece });
    yield* await ask({ recipients });
  } finally {
    thread.terminate();
  }
}
