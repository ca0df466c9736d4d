import type { CollectionSchema } from '../../../../contract/collection-schema.ts';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import { notFound } from '../../../lib/errors.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import { demandAccess, type InCollection } from '../place.ts';
import type { WriteContext } from '../write.ts';
import {
  ensureCollection,
  lookUpCollection,
  MAX_COLLECTIONS_PER_PAGE,
  tooManyCollections,
} from './collection.ts';
import { insertCollection, listSchemas, setSchema } from './store.ts';

type DefineContext = Pick<WriteContext, 'commit' | 'chargeUsage'>;

/** A collection's schema as it is shown. */
export interface SchemaEntry {
  collection: string;
  storageType: StorageType;
  schema: CollectionSchema;
}

export async function readSchema(db: Db, place: InCollection): Promise<SchemaEntry> {
  demandAccess(place, 'read');
  const found = await lookUpCollection(db, place);
  if (!found || found.schema === null) throw notFound('A schema of this collection');
  return toEntry({ name: found.name, storage_type: place.storageType, schema: found.schema });
}

export async function putSchema(
  context: DefineContext,
  place: InCollection,
  schema: CollectionSchema,
): Promise<SchemaEntry> {
  demandAccess(place, 'define');
  await context.commit.run(async (tx) => {
    const { id, schema: old } = await ensureCollection(tx, place);
    const text = JSON.stringify(schema);
    await charge(context, tx, place, sizeOf(text) - sizeOf(old));
    await setSchema(tx, id, text);
  });
  return { collection: place.collection, storageType: place.storageType, schema };
}

export async function removeSchema(context: DefineContext, place: InCollection): Promise<void> {
  demandAccess(place, 'define');
  await context.commit.run(async (tx) => {
    const found = await lookUpCollection(tx, place);
    if (!found || found.schema === null) throw notFound('A schema of this collection');
    await charge(context, tx, place, -sizeOf(found.schema));
    await setSchema(tx, found.id, null);
  });
}

const sizeOf = (schema: string | null) => (schema === null ? 0 : Buffer.byteLength(schema));

/** The page's owner is charged for its schemas. */
async function charge(
  { chargeUsage }: DefineContext,
  tx: Tx,
  { page, actor }: InCollection,
  bytes: number,
): Promise<void> {
  if (bytes !== 0) await chargeUsage(tx, page.owner_id, { bytes }, actor?.userId);
}

/** All schemas of a page, for its agent spec. */
export async function schemasOf(db: Db, pageId: number): Promise<SchemaEntry[]> {
  return (await listSchemas(db, pageId)).map(toEntry);
}

/** Copies the schemas of the source to a fork. */
export async function copySchemas(tx: Tx, from: { id: number }, to: { id: number }): Promise<number> {
  const schemas = await listSchemas(tx, from.id);
  if (schemas.length > MAX_COLLECTIONS_PER_PAGE) throw tooManyCollections();
  let bytes = 0;
  for (const { name, storage_type, schema } of schemas) {
    const { id } = await insertCollection(tx, to.id, storage_type, name);
    await setSchema(tx, id, schema);
    bytes += sizeOf(schema);
  }
  return bytes;
}

function toEntry(row: { name: string; storage_type: StorageType; schema: string }): SchemaEntry {
  return {
    collection: row.name,
    storageType: row.storage_type,
    schema: JSON.parse(row.schema) as CollectionSchema,
  };
}
