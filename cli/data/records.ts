import { specEndpoints } from '../../contract/agents/spec-endpoints.ts';
import { buildPath } from '../../contract/call.ts';
import { recordEndpoints } from '../../contract/data/endpoints.ts';
import type { Collection, RecordResponse } from '../../contract/data/records.ts';
import { findStorageType, type StorageType } from '../../contract/rules/storage-modes.ts';
import { type Api, notFromQuire } from '../client/api.ts';
import { CommandError } from '../usage.ts';

const PAGE_SIZE = 100;

/** The records of a page. */
export interface PageData {
  /** Its id or slug. */
  page: string;
  type: StorageType;
}

/** The records of a page; undefined if its storage mode has none. */
export async function lookUpData(api: Api, page: string): Promise<PageData | undefined> {
  const { storageMode } = await api.call(specEndpoints.getAgentSpec, { params: { id: page } });
  const type = storageMode === null ? undefined : findStorageType(storageMode);
  return type && { page, type };
}

/** The records of a page. Throws if its storage mode has none. */
export async function findData(api: Api, page: string): Promise<PageData> {
  const data = await lookUpData(api, page);
  if (data) return data;
  throw new CommandError(`The page ${page} stores no data: its storage mode is page.`);
}

/** The collections of a page, with the number of records that the caller can see. */
export async function listCollections(api: Api, { page, type }: PageData): Promise<Collection[]> {
  const endpoint = recordEndpoints[type].listCollections;
  const { collections } = await api.call(endpoint, { params: { id: page } });
  // The name becomes the name of a file.
  if (collections.every(({ name }) => /^[a-z0-9_]+$/.test(name))) return collections;
  throw notFromQuire(`GET ${buildPath(endpoint, { params: { id: page } })}`, api.baseUrl);
}

/** All records of a collection, oldest first. Pages by the last id, so new records do not shift the pages. */
export async function* readAll(
  api: Api,
  { page, type }: PageData,
  collection: string,
): AsyncGenerator<RecordResponse[]> {
  for (let after: string | undefined; ; ) {
    const { records, hasMore } = await api.call(recordEndpoints[type].listRecords, {
      params: { id: page, collection },
      query: { orderBy: 'created_at', order: 'asc', limit: PAGE_SIZE, after },
    });
    if (records.length > 0) yield records;
    after = records.at(-1)?.id;
    if (!hasMore || !after) return;
  }
}
