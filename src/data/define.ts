import { notFound } from '../http/index.ts';
import type { CopyToFork } from '../pages/index.ts';
import type { Db, GroupCommit } from '../storage/index.ts';
import type { StorageType } from './access.ts';
import { ensureCollection, lookUpCollection } from './collection.ts';
import type { CollectionSchema } from './collection-schema.ts';
import { insertCollection, listSchemas, setSchema } from './collection-store.ts';
import { demandAccess, type InCollection } from './place.ts';

/** A collection's schema as it is told. */
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
  commit: GroupCommit,
  place: InCollection,
  schema: CollectionSchema,
): Promise<SchemaEntry> {
  demandAccess(place, 'define');
  await commit(async (tx) => {
    const { id } = await ensureCollection(tx, place);
    await setSchema(tx, id, JSON.stringify(schema));
  });
  return { collection: place.collection, storageType: place.storageType, schema };
}

export async function removeSchema(commit: GroupCommit, place: InCollection): Promise<void> {
  demandAccess(place, 'define');
  await commit(async (tx) => {
    const found = await lookUpCollection(tx, place);
    if (!found || found.schema === null) throw notFound('A schema of this collection');
    await setSchema(tx, found.id, null);
  });
}

/** All schemas of a page, for its agent spec. */
export async function schemasOf(db: Db, pageId: number): Promise<SchemaEntry[]> {
  return (await listSchemas(db, pageId)).map(toEntry);
}

/** Gives a fork its source's schemas. */
export const copySchemas: CopyToFork = async (tx, from, to) => {
  for (const { name, storage_type, schema } of await listSchemas(tx, from.id)) {
    const { id } = await insertCollection(tx, to.id, storage_type, name);
    await setSchema(tx, id, schema);
  }
};

function toEntry(row: { name: string; storage_type: StorageType; schema: string }): SchemaEntry {
  return {
    collection: row.name,
    storageType: row.storage_type,
    schema: JSON.parse(row.schema) as CollectionSchema,
  };
}
