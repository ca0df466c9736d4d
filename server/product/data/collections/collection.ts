import type { Rules } from '../../../../contract/data/collection-rules.ts';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { InCollection } from '../access/data-target.ts';
import {
  type CollectionRow,
  countCollections,
  findCollection,
  insertCollection,
  listRuled,
} from './store.ts';

export const MAX_COLLECTIONS_PER_PAGE = 100;

/** The user id for records that are not counted per user. */
const EVERYBODY = 0;

/** The user id that a record counts for: in solo mode its creator, otherwise the shared one. */
export function countedFor(storageType: StorageType, userId = EVERYBODY): number {
  return storageType === 'solo_data' ? userId : EVERYBODY;
}

/** The rules of a collection, which may not exist. */
export function parseRules(collection: { rules: string | null } | undefined): Rules | undefined {
  return collection?.rules ? (JSON.parse(collection.rules) as Rules) : undefined;
}

/** The rules of a page's collections that have some. */
export type RulesByName = ReadonlyMap<string, Rules>;

export async function rulesByName(db: Db, pageId: number, storageType: StorageType): Promise<RulesByName> {
  const rows = await listRuled(db, pageId, storageType);
  return new Map(rows.map(({ name, rules }) => [name, JSON.parse(rules) as Rules]));
}

/** The collection, unless it has never been used. */
export function lookUpCollection(db: Db, target: InCollection): Promise<CollectionRow | undefined> {
  return findCollection(db, target.page.id, target.storageType, target.collection);
}

/** The collection. The first use creates it. */
export async function ensureCollection(tx: Tx, target: InCollection): Promise<CollectionRow> {
  const found = await lookUpCollection(tx, target);
  if (found) return found;
  const { page, storageType, collection } = target;
  if ((await countCollections(tx, page.id)) >= MAX_COLLECTIONS_PER_PAGE) {
    throw tooManyCollections();
  }
  return insertCollection(tx, page.id, storageType, collection);
}

export function tooManyCollections(): AppError {
  return new AppError(
    'QUOTA_EXCEEDED',
    'This page has {count} collections, which is the limit. Use one of them.',
    { count: MAX_COLLECTIONS_PER_PAGE },
  );
}
