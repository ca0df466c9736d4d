import { type Selectable, sql } from 'kysely';
import type { CollectionSchema } from '../../../../contract/data/collection-schema.ts';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import { type Sizes, sizeAt, toSizes } from '../../../lib/sizes.ts';
import {
  countRows,
  type Db,
  firstRow,
  statement,
  type Tables,
  type Tx,
} from '../../../platform/storage/index.ts';
import { setIndexes, type WantedIndex } from '../indexes/store.ts';

/** SQL for collections and their schemas. */

export interface CollectionRow {
  id: number;
  name: string;
  /** The schema as JSON, without the rules. */
  schema: string | null;
  /** The rules as JSON. */
  rules: string | null;
  /** 1 if it has indexes, or a search. */
  is_indexed: number;
}

const collectionByName = statement((db, pageId: number, storageType: StorageType, name: string) =>
  db
    .selectFrom('collections')
    .select(['id', 'name', 'schema', 'rules', 'is_indexed'])
    .where('page_id', '=', pageId)
    .where('storage_type', '=', storageType)
    .where('name', '=', name),
);

export function findCollection(
  db: Db,
  pageId: number,
  storageType: StorageType,
  name: string,
): Promise<CollectionRow | undefined> {
  return firstRow(collectionByName(db, pageId, storageType, name));
}

const countedByName = statement(
  (db, pageId: number, storageType: StorageType, name: string, userId: number) =>
    db
      .selectFrom('collections')
      .leftJoin('record_counts', (join) =>
        join.onRef('record_counts.collection_id', '=', 'collections.id').on('user_id', '=', userId),
      )
      .select(['id', 'rules', 'is_indexed'])
      .select((eb) => eb.fn.coalesce('records', sql<number>`0`).as('records'))
      .select((eb) => eb.fn.coalesce('bytes', sql<number>`0`).as('bytes'))
      // 0 after a write of a node that does not know indexes.
      .select(
        sql<number>`case when indexed_at = record_counts.updated_at then 1 else 0 end`.as('is_followed'),
      )
      .where('page_id', '=', pageId)
      .where('storage_type', '=', storageType)
      .where('name', '=', name),
);

interface CountedCollection {
  id: number;
  rules: string | null;
  is_indexed: number;
  records: number;
  bytes: number;
  /** 1 if every write since the indexes were built has changed them. */
  is_followed: number;
}

/** A collection and its rules, with the number and size of the records counted for this user, or for all users. */
export function findCounted(
  db: Db,
  pageId: number,
  storageType: StorageType,
  name: string,
  userId: number,
): Promise<CountedCollection | undefined> {
  return firstRow(countedByName(db, pageId, storageType, name, userId));
}

export async function insertCollection(
  tx: Tx,
  pageId: number,
  storageType: StorageType,
  name: string,
): Promise<CollectionRow> {
  await tx
    .insertInto('collections')
    .values({ page_id: pageId, storage_type: storageType, name, schema: null })
    .onConflict((conflict) => conflict.columns(['page_id', 'storage_type', 'name']).doNothing())
    .execute();
  const row = await findCollection(tx, pageId, storageType, name);
  if (!row) throw new Error('a collection that was just made is gone');
  return row;
}

export function countCollections(db: Db, pageId: number): Promise<number> {
  return countRows(db.selectFrom('collections').where('page_id', '=', pageId));
}

/** Collections that are not empty, with the counts for this user, or for all users. */
export function listCollections(db: Db, pageId: number, storageType: StorageType, userId: number) {
  return db
    .selectFrom('collections')
    .innerJoin('record_counts', 'record_counts.collection_id', 'collections.id')
    .select(['collections.id', 'collections.name', 'collections.rules'])
    .select(['record_counts.records', 'record_counts.updated_at'])
    .where('page_id', '=', pageId)
    .where('storage_type', '=', storageType)
    .where('record_counts.user_id', '=', userId)
    .where('record_counts.records', '>', 0)
    .orderBy('collections.name')
    .execute();
}

/** Stores a schema. Its indexes are built and removed in the background. */
export async function setSchema(
  tx: Tx,
  collectionId: number,
  { schema, rules, now }: Pick<CollectionRow, 'schema' | 'rules'> & { now: number },
): Promise<void> {
  await tx.updateTable('collections').set({ schema, rules }).where('id', '=', collectionId).execute();
  await setIndexes(tx, collectionId, { wanted: readIndexes(schema), now });
}

/** The indexes that a schema asks for, with its search. */
export function readIndexes(schema: string | null): WantedIndex[] {
  if (!schema?.includes('"indexes"') && !schema?.includes('"search"')) return [];
  const { indexes = [], search = [] } = JSON.parse(schema) as CollectionSchema;
  return [
    ...indexes.map((field) => ({ kind: 'field' as const, field })),
    ...(search.length > 0 ? [{ kind: 'search' as const, field: JSON.stringify(search) }] : []),
  ];
}

/** The bytes that a page is charged for its schemas. */
export const schemaBytes = async (db: Db, pageId: number): Promise<number> =>
  sizeAt(await measureSchemas(db, [pageId]), pageId);

/** The bytes that pages are charged for their schemas. */
export async function measureSchemas(db: Db, pageIds: number[]): Promise<Sizes> {
  const query = db
    .selectFrom('collections')
    .select([
      'page_id as id',
      sql<number>`sum(octet_length(schema) + coalesce(octet_length(rules), 0))`.as('bytes'),
    ]);
  return toSizes(await query.where('page_id', 'in', pageIds).groupBy('page_id').execute());
}

/** Every schema of a page, in all its modes. */
export function listSchemas(db: Db, pageId: number) {
  return db
    .selectFrom('collections')
    .select(['id', 'name', 'storage_type', 'schema', 'rules'])
    .where('page_id', '=', pageId)
    .where('schema', 'is not', null)
    .orderBy('storage_type')
    .orderBy('name')
    .$narrowType<{ schema: string }>()
    .execute();
}

const withRules = statement((db, pageId: number, storageType: StorageType) =>
  db
    .selectFrom('collections')
    .select(['name', 'rules'])
    .where('page_id', '=', pageId)
    .where('storage_type', '=', storageType)
    .where('rules', 'is not', null)
    .$narrowType<{ rules: string }>(),
);

/** The collections of a page that have rules. */
export async function listRuled(
  db: Db,
  pageId: number,
  storageType: StorageType,
): Promise<Array<{ name: string; rules: string }>> {
  return (await withRules(db, pageId, storageType)).rows;
}

/** A collection of any page. */
export type StoredCollection = Pick<
  Selectable<Tables['collections']>,
  'id' | 'page_id' | 'name' | 'storage_type' | 'rules' | 'is_indexed'
>;

export const STORED_COLUMNS = ['id', 'page_id', 'name', 'storage_type', 'rules', 'is_indexed'] as const;

/** The collections of a page in all modes. Their number is limited. */
export function listStoredCollections(db: Db, pageId: number): Promise<StoredCollection[]> {
  return db
    .selectFrom('collections')
    .select(STORED_COLUMNS)
    .where('page_id', '=', pageId)
    .orderBy('id')
    .execute();
}

/** A collection with its schema, by its id. */
export function findCollectionById(db: Db, id: number): Promise<CollectionRow | undefined> {
  return db
    .selectFrom('collections')
    .select(['id', 'name', 'schema', 'rules', 'is_indexed'])
    .where('id', '=', id)
    .executeTakeFirst();
}
