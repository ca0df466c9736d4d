import { toStream } from '../../../lib/streams.ts';
import { type Bucket, openBucket, type S3Settings } from '../../../platform/blobs/index.ts';
import { readName } from './names.ts';
import type { BackupPlace, BackupWriter } from './place.ts';

/** The size of the objects of an archive, because one object cannot be as large as every archive. */
const PIECE_BYTES = 16 * 1024 * 1024;
const PIECES = 'backups/pieces/';
/** Empty objects whose names say which backups are complete, and how long they are. */
const COMPLETE = 'backups/complete/';
/** The most backups that are listed: more than are ever kept. */
const MAX_LISTED = 100;
/** The most objects that a bucket lists at once. */
const MAX_PIECES_LISTED = 1000;

/** Keeps backups as objects in a bucket, for services with several nodes. */
export function bucketPlace(settings: S3Settings, bucket: Bucket = openBucket(settings)): BackupPlace {
  async function list(): Promise<Array<{ name: string; bytes: number; key: string }>> {
    const keys = await bucket.list(COMPLETE, MAX_LISTED);
    return keys.flatMap((key) => {
      const [name = '', bytes] = key.slice(COMPLETE.length).split('~');
      return readName(name) ? [{ name, bytes: Number(bytes), key }] : [];
    });
  }
  const find = async (name: string) => (await list()).find((each) => each.name === name);
  return {
    title: settings.bucket,
    isBucket: true,
    // Other nodes may be making one. `removeRemains` knows which are older.
    recover: async () => undefined,
    list,
    create: async (name) => writeObjects(bucket, name),
    async open(name) {
      const found = await find(name);
      return found && { bytes: found.bytes, body: toStream(readObjects(bucket, name, found.bytes)) };
    },
    async remove(name) {
      const found = await find(name);
      if (!found) return false;
      // Delete the marker first, so that nobody sees an incomplete backup.
      await mustSucceed(bucket.send('DELETE', found.key));
      await removePieces(bucket, name, found.bytes);
      return true;
    },
    async removeRemains(before) {
      const complete = new Set((await list()).map(({ name }) => name));
      for (const key of await bucket.list(PIECES, MAX_PIECES_LISTED)) {
        const [name = ''] = key.slice(PIECES.length).split('/');
        if (name < before && !complete.has(name)) await bucket.send('DELETE', key);
      }
    },
  };
}

const toPieceKey = (name: string, index: number) => `${PIECES}${name}/${String(index).padStart(6, '0')}`;
const countPieces = (bytes: number) => Math.ceil(bytes / PIECE_BYTES);

function writeObjects(bucket: Bucket, name: string): BackupWriter {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let bytes = 0;
  const put = async (piece: Uint8Array) => {
    const key = toPieceKey(name, countPieces(bytes));
    bytes += piece.length;
    await mustSucceed(bucket.send('PUT', key, { body: piece }));
  };
  return {
    async write(piece) {
      waiting.push(piece);
      waitingBytes += piece.length;
      while (waitingBytes >= PIECE_BYTES) {
        const joined = Buffer.concat(waiting, waitingBytes);
        waiting = [joined.subarray(PIECE_BYTES)];
        waitingBytes -= PIECE_BYTES;
        await put(joined.subarray(0, PIECE_BYTES));
      }
    },
    async finish() {
      if (waitingBytes > 0) await put(Buffer.concat(waiting, waitingBytes));
      await mustSucceed(bucket.send('PUT', `${COMPLETE}${name}~${bytes}`, { body: Buffer.from('complete') }));
    },
    discard: () => removePieces(bucket, name, bytes),
  };
}

async function* readObjects(bucket: Bucket, name: string, bytes: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < countPieces(bytes); index++) {
    const response = await mustSucceed(bucket.send('GET', toPieceKey(name, index)));
    yield* bucket.read(response);
  }
}

async function removePieces(bucket: Bucket, name: string, bytes: number): Promise<void> {
  for (let index = 0; index < countPieces(bytes); index++)
    await bucket.send('DELETE', toPieceKey(name, index));
}

async function mustSucceed(sending: Promise<Response>): Promise<Response> {
  const response = await sending;
  if (response.ok) return response;
  await response.body?.cancel();
  throw new Error(`the bucket answered with ${response.status}`);
}
