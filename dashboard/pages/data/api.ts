import { specEndpoints } from '../../../contract/agents/spec-endpoints.ts';
import type { CollectionSchema, FieldSchema } from '../../../contract/data/collection-schema.ts';
import { recordEndpoints } from '../../../contract/data/endpoints.ts';
import type {
  NewOperation,
  RecordList,
  ListQuery as RecordQuery,
  RecordResponse,
  Collection as StoredCollection,
} from '../../../contract/data/records.ts';
import { isObject, type RecordData } from '../../../contract/rules/record-data.ts';
import { findStorageType, type StorageType } from '../../../contract/rules/storage-modes.ts';
import { call } from '../../api.ts';
import type { PageDetail } from '../api.ts';

/** The endpoints that the data screens use. */

/** The data of a page. */
export interface DataTarget {
  pageId: number;
  type: StorageType;
  /** Only the owner of the page can. */
  canChangeSchemas: boolean;
}

/** A collection of a page. */
export interface CollectionPlace extends DataTarget {
  collection: string;
}

/** A collection that has records or a schema. Without records, nothing was updated. */
export interface Collection extends Omit<StoredCollection, 'lastUpdated'> {
  lastUpdated: string | null;
  hasSchema: boolean;
}

export type {
  CollectionSchema,
  FieldSchema,
  NewOperation as Operation,
  RecordData as Data,
  RecordList as Listing,
  RecordResponse as DataRecord,
};
export { isObject };

/** The list is always sorted. */
export type ListQuery = RecordQuery & { orderBy: string };

/** Undefined in the mode that stores no data. */
export function findDataTarget(page: PageDetail): DataTarget | undefined {
  const type = findStorageType(page.storageMode);
  return type && { pageId: page.id, type, canChangeSchemas: page.role === 'owner' };
}

/** The path of a data screen in the dashboard. */
export const toDataScreen = ({ pageId }: DataTarget, ...parts: string[]) =>
  [`/pages/${pageId}/data`, ...parts.map(encodeURIComponent)].join('/');

const at = ({ pageId, collection }: CollectionPlace) => ({ id: pageId, collection });

/** The schemas of the page's storage mode, from its agent spec. */
async function listSchemas({ pageId, type }: DataTarget, signal?: AbortSignal) {
  const { schemas } = await call(specEndpoints.getAgentSpec, { params: { id: pageId }, signal });
  return schemas.filter(({ storageType }) => storageType === type);
}

/** The collections that have records or a schema. */
export async function listCollections(place: DataTarget, signal: AbortSignal): Promise<Collection[]> {
  const [{ collections }, schemas] = await Promise.all([
    call(recordEndpoints[place.type].listCollections, { params: { id: place.pageId }, signal }),
    listSchemas(place, signal),
  ]);
  const withSchema = new Set(schemas.map(({ collection }) => collection));
  const known = new Set(collections.map(({ name }) => name));
  const empty = [...withSchema].filter((name) => !known.has(name));
  return [
    ...collections.map((collection) => ({ ...collection, hasSchema: withSchema.has(collection.name) })),
    ...empty.map((name) => ({ name, recordCount: 0, lastUpdated: null, hasSchema: true })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const listRecords = (place: CollectionPlace, query: ListQuery, signal?: AbortSignal) =>
  call(recordEndpoints[place.type].listRecords, { params: at(place), query, signal });

export const createRecord = (place: CollectionPlace, data: RecordData) =>
  call(recordEndpoints[place.type].createRecord, { params: at(place), body: { data } });

/** Changes the given top-level fields and removes those that are null. The others stay. */
export const changeRecord = (place: CollectionPlace, recordId: string, data: RecordData) =>
  call(recordEndpoints[place.type].updateRecord, { params: { ...at(place), recordId }, body: { data } });

/** Replaces all fields. */
export const replaceRecord = (place: CollectionPlace, recordId: string, data: RecordData) =>
  call(recordEndpoints[place.type].replaceRecord, { params: { ...at(place), recordId }, body: { data } });

/** Runs up to 100 operations: all of them, or none. */
export const runBatch = (place: CollectionPlace, operations: NewOperation[], signal?: AbortSignal) =>
  call(recordEndpoints[place.type].batchRecords, { params: at(place), body: { operations }, signal });

/** Null if the collection has no schema. Reads the list of all schemas, where a missing one is not an error. */
export async function readSchema(
  place: CollectionPlace,
  signal?: AbortSignal,
): Promise<CollectionSchema | null> {
  const schemas = await listSchemas(place, signal);
  return schemas.find(({ collection }) => collection === place.collection)?.schema ?? null;
}

export const putSchema = (place: CollectionPlace, schema: unknown) =>
  call(recordEndpoints[place.type].setSchema, { params: at(place), body: { schema } });

export const deleteSchema = (place: CollectionPlace) =>
  call(recordEndpoints[place.type].deleteSchema, { params: at(place) });

/** Reads all records, oldest first, a hundred at a time. */
export async function* readAll(
  place: CollectionPlace,
  options: { where?: string; signal?: AbortSignal } = {},
): AsyncGenerator<RecordList> {
  let after: string | undefined;
  for (;;) {
    const query = { orderBy: 'created_at', order: 'asc', limit: 100, offset: 0 } as const;
    const more = { ...(options.where && { where: options.where }), ...(after && { after }) };
    const listing = await listRecords(place, { ...query, ...more }, options.signal);
    yield listing;
    after = listing.records.at(-1)?.id;
    if (!listing.hasMore || !after) return;
  }
}
