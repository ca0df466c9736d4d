import { specEndpoints } from '../../../contract/agents/spec-endpoints.ts';
import type { CollectionSchema, FieldSchema } from '../../../contract/data/collection-schema.ts';
import { recordEndpoints } from '../../../contract/data/endpoints.ts';
import type {
  FoundRecord,
  NewOperation,
  RecordList,
  ListQuery as RecordQuery,
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
export interface CollectionTarget extends DataTarget {
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
  FoundRecord as DataRecord,
  NewOperation as Operation,
  RecordData as Data,
  RecordList as Listing,
};
export { isObject };

/** Which records of a collection to list. */
export type Filter = Pick<RecordQuery, 'where' | 'q'>;

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

/** Changes and deleted records that are read at a time. */
const PAST_AT_ONCE = 20;

const at = ({ pageId, collection }: CollectionTarget) => ({ id: pageId, collection });

/** The schemas of the page's storage mode, from its agent spec. */
async function listSchemas({ pageId, type }: DataTarget, signal?: AbortSignal) {
  const { schemas } = await call(specEndpoints.getAgentSpec, { params: { id: pageId }, signal });
  return schemas.filter(({ storageType }) => storageType === type);
}

/** The collections that have records or a schema. */
export async function listCollections(target: DataTarget, signal: AbortSignal): Promise<Collection[]> {
  const [{ collections }, schemas] = await Promise.all([
    call(recordEndpoints[target.type].listCollections, { params: { id: target.pageId }, signal }),
    listSchemas(target, signal),
  ]);
  const withSchema = new Set(schemas.map(({ collection }) => collection));
  const known = new Set(collections.map(({ name }) => name));
  const empty = [...withSchema].filter((name) => !known.has(name));
  return [
    ...collections.map((collection) => ({ ...collection, hasSchema: withSchema.has(collection.name) })),
    ...empty.map((name) => ({ name, recordCount: 0, lastUpdated: null, hasSchema: true })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const listRecords = (target: CollectionTarget, query: ListQuery, signal?: AbortSignal) =>
  call(recordEndpoints[target.type].listRecords, { params: at(target), query, signal });

/** A record as it is now. */
export const readRecordAgain = (target: CollectionTarget, recordId: string) =>
  call(recordEndpoints[target.type].getRecord, { params: { ...at(target), recordId } });

export const createRecord = (target: CollectionTarget, data: RecordData) =>
  call(recordEndpoints[target.type].createRecord, { params: at(target), body: { data } });

/** Changes the given top-level fields and removes those that are null. The others stay. */
export const changeRecord = (target: CollectionTarget, recordId: string, data: RecordData) =>
  call(recordEndpoints[target.type].updateRecord, { params: { ...at(target), recordId }, body: { data } });

/** Replaces all fields. */
export const replaceRecord = (target: CollectionTarget, recordId: string, data: RecordData) =>
  call(recordEndpoints[target.type].replaceRecord, { params: { ...at(target), recordId }, body: { data } });

/** What a record was before each change, newest first. */
export const readHistory = (
  target: CollectionTarget,
  recordId: string,
  { before }: { before?: number },
  signal?: AbortSignal,
) =>
  call(recordEndpoints[target.type].readHistory, {
    params: { ...at(target), recordId },
    query: { limit: PAST_AT_ONCE, before },
    signal,
  });

/** Deleted records, the last deleted first. */
export const listDeleted = (
  target: CollectionTarget,
  { before }: { before?: number },
  signal?: AbortSignal,
) =>
  call(recordEndpoints[target.type].listDeleted, {
    params: at(target),
    query: { limit: PAST_AT_ONCE, before },
    signal,
  });

/** Brings a record back as it was before the change at this time. */
export const bringBack = (target: CollectionTarget, recordId: string, time: string) =>
  call(recordEndpoints[target.type].restoreRecord, {
    params: { ...at(target), recordId },
    body: { at: time },
  });

/** Runs up to 100 operations: all of them, or none. */
export const runBatch = (target: CollectionTarget, operations: NewOperation[], signal?: AbortSignal) =>
  call(recordEndpoints[target.type].batchRecords, { params: at(target), body: { operations }, signal });

/** The schema of a collection, and what the service says about it. */
export interface SchemaEntry {
  /** Null if the collection has none. */
  schema: CollectionSchema | null;
  /** Fields without an index by which lists lately read every record. */
  suggestedIndexes?: string[] | undefined;
}

/** Reads the list of all schemas, where a missing one is not an error. */
export async function readEntry(target: CollectionTarget, signal?: AbortSignal): Promise<SchemaEntry> {
  const schemas = await listSchemas(target, signal);
  return schemas.find(({ collection }) => collection === target.collection) ?? { schema: null };
}

export const readSchema = async (target: CollectionTarget, signal?: AbortSignal) =>
  (await readEntry(target, signal)).schema;

/** The indexes that are being built, and how far the search is while it is built. */
export async function readBuilding(
  target: CollectionTarget,
  signal: AbortSignal,
): Promise<{ indexes: Set<string>; search?: number }> {
  const { indexes = [], search } = await call(recordEndpoints[target.type].getSchema, {
    params: at(target),
    signal,
  });
  return {
    indexes: new Set(indexes.filter(({ state }) => state === 'building').map(({ field }) => field)),
    ...(search?.state === 'building' && { search: search.percent ?? 0 }),
  };
}

export const putSchema = (target: CollectionTarget, schema: unknown) =>
  call(recordEndpoints[target.type].setSchema, { params: at(target), body: { schema } });

/** Adds an index to the schema as it is now. */
export async function addIndex(target: CollectionTarget, field: string): Promise<SchemaEntry> {
  const { schema } = await readEntry(target);
  if (!schema || schema.indexes?.includes(field)) return { schema };
  return putSchema(target, { ...schema, indexes: [...(schema.indexes ?? []), field] });
}

export const deleteSchema = (target: CollectionTarget) =>
  call(recordEndpoints[target.type].deleteSchema, { params: at(target) });

/** Reads all records that match, oldest first, a hundred at a time. */
export async function* readAll(
  target: CollectionTarget,
  { where, q }: Filter,
  signal?: AbortSignal,
): AsyncGenerator<RecordList> {
  let after: string | undefined;
  for (;;) {
    const query = { orderBy: 'created_at', order: 'asc', limit: 100, offset: 0 } as const;
    const more = { ...(where && { where }), ...(q && { q }), ...(after && { after }) };
    const listing = await listRecords(target, { ...query, ...more }, signal);
    // What the search has marked is no part of a record.
    yield { ...listing, records: listing.records.map(({ marks: _, ...record }) => record) };
    after = listing.records.at(-1)?.id;
    if (!listing.hasMore || !after) return;
  }
}
