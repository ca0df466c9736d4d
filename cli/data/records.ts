import { z } from 'zod';
import { Collection, RecordResponse, RecordList as WholeList } from '../../contract/data/records.ts';
import type { Api } from '../client/api.ts';

const PAGE_SIZE = 100;

const StoredRecord = RecordResponse.pick({ id: true, collection: true, data: true }).loose();
export type StoredRecord = z.infer<typeof StoredRecord>;
const RecordList = WholeList.pick({ hasMore: true }).extend({ records: z.array(StoredRecord) });
const CollectionList = z.object({
  collections: z.array(
    // The name becomes the name of a file.
    Collection.pick({ recordCount: true }).extend({ name: z.string().regex(/^[a-z0-9_]+$/) }),
  ),
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
