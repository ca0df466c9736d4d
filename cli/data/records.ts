import { z } from 'zod';
import type { Api } from '../client/api.ts';

const PAGE_SIZE = 100;

const StoredRecord = z.looseObject({
  id: z.string(),
  collection: z.string(),
  data: z.record(z.string(), z.unknown()),
});
export type StoredRecord = z.infer<typeof StoredRecord>;
const RecordList = z.object({ records: z.array(StoredRecord), hasMore: z.boolean() });
const CollectionList = z.object({
  collections: z.array(z.object({ name: z.string().regex(/^[a-z0-9_]+$/), recordCount: z.int() })),
});

/** The collections of a page, with the number of records that the caller can see. */
export async function listCollections(api: Api, data: string) {
  return (await api.call('GET', data, { reads: CollectionList })).collections;
}

/** All records of a collection, oldest first. Pages by the last id, so new records do not shift the pages. */
export async function* readAll(api: Api, data: string, collection: string): AsyncGenerator<StoredRecord[]> {
  for (let after: string | undefined; ; ) {
    const query = new URLSearchParams({ orderBy: 'created_at', order: 'asc', limit: String(PAGE_SIZE) });
    if (after) query.set('after', after);
    const path = `${data}/${encodeURIComponent(collection)}?${query}`;
    const { records, hasMore } = await api.call('GET', path, { reads: RecordList });
    if (records.length > 0) yield records;
    after = records.at(-1)?.id;
    if (!hasMore || !after) return;
  }
}
