import type { Destination } from '../destination/destination.ts';
import { type GenerationName, pieceKey } from '../format/names.ts';
import { seal } from '../format/object.ts';
import type { BaseCopy } from '../history.ts';
import type { FollowedLog } from '../log/followed-log.ts';

const PIECE_BYTES = 4 * 1024 ** 2;
const LEVEL = 1;

/**
 * Copies the database file while others write. Pages that change meanwhile are in the log, from the position that
 * `findStart` of the log returned before: the copy is whole only with the segments up to its end.
 */
export async function copyBase(
  destination: Destination,
  log: FollowedLog,
  generation: GenerationName,
  isStopping: () => boolean,
): Promise<BaseCopy> {
  const size = log.files.databaseBytes;
  const pieces: string[] = [];
  let stored = 0;
  for (let from = 0; from < size; from += PIECE_BYTES) {
    if (isStopping()) throw new Error('the server is stopping');
    const content = log.files.readDatabase(from, Math.min(PIECE_BYTES, size - from));
    const { bytes, sum } = seal({ kind: 'piece' }, Bun.zstdCompressSync(content, { level: LEVEL }));
    await destination.put(pieceKey(generation, pieces.length), bytes);
    pieces.push(sum);
    stored += bytes.length;
  }
  return { kind: 'generation', pageBytes: log.pageBytes, pieces, bytes: stored };
}
