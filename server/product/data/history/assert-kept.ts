import { AppError } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { readLogStart } from './entry-store.ts';

/**
 * Fails if the log of a collection is not complete since a time: what is left of it would say something wrong. Whatever
 * removes entries says so in the same transaction, so call this after they were read.
 */
export async function assertKept(db: Db, collectionId: number, at: number): Promise<void> {
  const { name, log_from } = await readLogStart(db, collectionId);
  if (log_from <= at) return;
  throw new AppError('CONFLICT', 'The history of {collection} begins at {time}. Give a later time.', {
    collection: name,
    time: toTimestamp(log_from),
  });
}
