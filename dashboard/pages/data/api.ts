import type { AgentSpec } from '../../../contract/agents/agent-spec.ts';
import type {
  CollectionSchema,
  FieldSchema,
  SchemaResponse,
} from '../../../contract/data/collection-schema.ts';
import type {
  BatchResponse,
  CollectionList,
  NewOperation,
  RecordList,
  ListQuery as RecordQuery,
  RecordResponse,
  Collection as StoredCollection,
} from '../../../contract/data/records.ts';
import { isObject, type RecordData } from '../../../contract/rules/record-data.ts';
import {
  type DataType,
  dashed,
  dataTypeOf,
  type StorageType,
} from '../../../contract/rules/storage-modes.ts';
import { api } from '../../api.ts';
import type { PageDetail } from '../api.ts';

/** The endpoints that the data screens use. */

/** The data of a page. */
export interface Place {
  pageId: number;
  type: DataType;
  /** Only the owner of the page can. */
  canChangeSchemas: boolean;
}

/** A collection of a page. */
export interface CollectionPlace extends Place {
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
export function placeOf(page: PageDetail): Place | undefined {
  const type = dataTypeOf(page.storageMode);
  return type && { pageId: page.id, type, canChangeSchemas: page.role === 'owner' };
}

/** The path of a data screen in the dashboard. */
export const screenOf = ({ pageId }: Place, ...parts: string[]) =>
  [`/pages/${pageId}/data`, ...parts.map(encodeURIComponent)].join('/');

const base = ({ pageId, type }: Place) => `/api/pages/${pageId}/${type}`;
const at = (place: CollectionPlace) => `${base(place)}/${encodeURIComponent(place.collection)}`;

/** The schemas of the page's storage mode, from its agent spec. */
async function listSchemas({ pageId, type }: Place, signal?: AbortSignal) {
  const { schemas } = await api.get<AgentSpec>(`/api/pages/${pageId}/agent-spec`, signal && { signal });
  return schemas.filter(({ storageType }) => dashed(storageType as StorageType) === type);
}

/** The collections that have records or a schema. */
export async function listCollections(place: Place, signal: AbortSignal): Promise<Collection[]> {
  const [{ collections }, schemas] = await Promise.all([
    api.get<CollectionList>(base(place), { signal }),
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

export function listRecords(
  place: CollectionPlace,
  query: ListQuery,
  signal?: AbortSignal,
): Promise<RecordList> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return api.get(`${at(place)}?${search}`, signal && { signal });
}

export const createRecord = (place: CollectionPlace, data: RecordData) =>
  api.post<RecordResponse>(at(place), { data });

/** Changes the given top-level fields and removes those that are null. The others stay. */
export const changeRecord = (place: CollectionPlace, id: string, data: RecordData) =>
  api.patch<RecordResponse>(`${at(place)}/${id}`, { data });

/** Replaces all fields. */
export const replaceRecord = (place: CollectionPlace, id: string, data: RecordData) =>
  api.put<RecordResponse>(`${at(place)}/${id}`, { data });

/** Runs up to 100 operations: all of them, or none. */
export const runBatch = (place: CollectionPlace, operations: NewOperation[], signal?: AbortSignal) =>
  api.post<BatchResponse>(`${at(place)}/batch`, { operations }, signal && { signal });

/** Null if the collection has no schema. Reads the list of all schemas, where a missing one is not an error. */
export async function readSchema(
  place: CollectionPlace,
  signal?: AbortSignal,
): Promise<CollectionSchema | null> {
  const schemas = await listSchemas(place, signal);
  return schemas.find(({ collection }) => collection === place.collection)?.schema ?? null;
}

export const putSchema = (place: CollectionPlace, schema: unknown) =>
  api.put<SchemaResponse>(`${at(place)}/schema`, { schema });

export const deleteSchema = (place: CollectionPlace) => api.delete(`${at(place)}/schema`);

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
