import type { RecordData } from '../../../../contract/rules/record-data.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { readPath, toKey } from './keys.ts';
import type { Entry, IndexWrites, StoredIndex } from './write-store.ts';

/** Keeps indexes equal to the records, in the transaction of each change. */

/** A record before and after a change. There is no data before it is added, or after it is deleted. */
export interface IndexedChange {
  id: string;
  /** The user that the record counts for. */
  userId: number;
  before?: RecordData | undefined;
  after?: RecordData | undefined;
}

interface IndexedCollection {
  id: number;
  is_indexed: number;
}

/** Changes the entries of records that were written. Does nothing for collections without an index. */
export async function noteIndexed(
  writes: IndexWrites,
  tx: Tx,
  { id, is_indexed }: IndexedCollection,
  changes: () => IndexedChange[],
): Promise<void> {
  if (is_indexed === 0) return;
  const indexes = await writes.lock(tx, id);
  const removed: Entry[] = [];
  const added: Entry[] = [];
  for (const change of changes())
    for (const index of indexes) {
      // The builder adds the records after this id, as they are then.
      if (index.state === 'building' && change.id > index.built_to) continue;
      const before = change.before && toEntry(index, change, change.before);
      const after = change.after && toEntry(index, change, change.after);
      if (before?.key === after?.key) continue;
      if (before) removed.push(before);
      if (after) added.push(after);
    }
  await writes.remove(tx, removed);
  await writes.add(tx, added);
}

export function toEntry(
  { id, field }: Pick<StoredIndex, 'id' | 'field'>,
  { id: recordId, userId }: Pick<IndexedChange, 'id' | 'userId'>,
  data: RecordData,
): Entry {
  return {
    indexId: id,
    userId,
    key: toKey(readPath(data, field.split('.'))),
    recordId,
  };
}
