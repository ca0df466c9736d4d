import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { InCollection } from '../place.ts';
import { type CollectionRow, countCollections, findCollection, insertCollection } from './store.ts';

export const MAX_COLLECTIONS_PER_PAGE = 100;

/** The user id for records that are not counted per user. */
const EVERYBODY = 0;

/** The user id that a record counts for: in solo mode its creator, otherwise the shared one. */
export function countedFor(storageType: StorageType, userId = EVERYBODY): number {
  return storageType === 'solo_data' ? userId : EVERYBODY;
}

/** The collection, unless it has never been used. */
export function lookUpCollection(db: Db, place: InCollection): Promise<CollectionRow | undefined> {
  return findCollection(db, place.page.id, place.storageType, place.collection);
}

/** The collection. The first use creates it. */
export async function ensureCollection(tx: Tx, place: InCollection): Promise<CollectionRow> {
  const found = await lookUpCollection(tx, place);
  if (found) return found;
  const { page, storageType, collection } = place;
  if ((await countCollections(tx, page.id)) >= MAX_COLLECTIONS_PER_PAGE) {
    throw tooManyCollections();
  }
  return insertCollection(tx, page.id, storageType, collection);
}

export function tooManyCollections(): AppError {
  return new AppError(
    'QUOTA_EXCEEDED',
    `This page has ${MAX_COLLECTIONS_PER_PAGE} collections, which is the limit. Use one of them.`,
  );
}
