import { type Selectable, sql } from 'kysely';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import {
  countRows,
  type Db,
  firstRow,
  statement,
  type Tables,
  type Tx,
} from '../../../platform/storage/index.ts';

/** SQL for collections and their schemas. */

export interface CollectionRow {
  id: number;
  name: string;
  /** The schema as JSON, without the rules. */
  schema: string | null;
  /** The rules as JSON. */
  rules: string | null;
}

const collectionByName = statement((db, pageId: number, storageType: StorageType, name: string) =>
  db
    .selectFrom('collections')
    .select(['id', 'name', 'schema', 'rules'])
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
      .select((eb) => ['id', 'rules', eb.fn.coalesce('records', sql<number>`0`).as('records')])
      .select((eb) => eb.fn.coalesce('bytes', sql<number>`0`).as('bytes'))
      .where('page_id', '=', pageId)
      .where('storage_type', '=', storageType)
      .where('name', '=', name),
);

/** A collection and its rules, with the number and size of the records counted for this user, or for all users. */
export function findCounted(
  db: Db,
  pageId: number,
  storageType: StorageType,
  name: string,
  userId: number,
): Promise<{ id: number; rules: string | null; records: number; bytes: number } | undefined> {
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

export async function setSchema(
  tx: Tx,
  collectionId: number,
  { schema, rules }: Pick<CollectionRow, 'schema' | 'rules'>,
): Promise<void> {
  await tx.updateTable('collections').set({ schema, rules }).where('id', '=', collectionId).execute();
}

/** The size of all schemas of a page. */
export async function schemaBytes(db: Db, pageId: number): Promise<number> {
  const { bytes } = await db
    .selectFrom('collections')
    .select(
      sql<number>`coalesce(sum(octet_length(schema) + coalesce(octet_length(rules), 0)), 0)`.as('bytes'),
    )
    .where('page_id', '=', pageId)
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

/** Every schema of a page, in all its modes. */
export function listSchemas(db: Db, pageId: number) {
  return db
    .selectFrom('collections')
    .select(['name', 'storage_type', 'schema', 'rules'])
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
  'id' | 'page_id' | 'name' | 'storage_type' | 'rules'
>;

export const STORED_COLUMNS = ['id', 'page_id', 'name', 'storage_type', 'rules'] as const;

/** The collections of a page in all modes. Their number is limited. */
export function listStoredCollections(db: Db, pageId: number): Promise<StoredCollection[]> {
  return db
    .selectFrom('collections')
    .select(STORED_COLUMNS)
    .where('page_id', '=', pageId)
    .orderBy('id')
    .execute();
}
