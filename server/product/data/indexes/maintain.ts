import type { RecordData } from '../../../../contract/rules/record-data.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { readPath } from '../queries/matches.ts';
import { readAllTexts, toStoredText } from '../search/texts.ts';
import type { SearchText } from '../search/write-store.ts';
import { toKey } from './keys.ts';
import type { Entry, IndexWrites, StoredIndex } from './write-store.ts';

/** Keeps indexes and searches equal to the records, in the transaction of each change. */

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
  const fields = { removed: [] as Entry[], added: [] as Entry[] };
  const texts = { removed: [] as SearchText[], added: [] as SearchText[] };
  for (const change of changes())
    for (const index of indexes) {
      // The builder adds the records after this id, as they are then.
      if (index.state === 'building' && change.id > index.built_to) continue;
      if (index.kind === 'search') noteDifference(texts, index, change, toSearchText, sameText);
      else noteDifference(fields, index, change, toEntry, sameKey);
    }
  await writes.remove(tx, fields.removed);
  await writes.add(tx, fields.added);
  await writes.search.remove(tx, texts.removed);
  await writes.search.add(tx, texts.added);
}

type ToItem<Item> = (
  index: Identified,
  record: Pick<IndexedChange, 'id' | 'userId'>,
  data: RecordData,
) => Item;
type Identified = Pick<StoredIndex, 'id' | 'field'>;

function noteDifference<Item>(
  items: { removed: Item[]; added: Item[] },
  index: StoredIndex,
  change: IndexedChange,
  toItem: ToItem<Item>,
  isSame: (one: Item, other: Item) => boolean,
): void {
  const before = change.before && toItem(index, change, change.before);
  const after = change.after && toItem(index, change, change.after);
  if (before && after && isSame(before, after)) return;
  if (before) items.removed.push(before);
  if (after) items.added.push(after);
}

const sameKey = (one: Entry, other: Entry) => one.key === other.key;
const sameText = (one: SearchText, other: SearchText) => one.text === other.text;

export const toEntry: ToItem<Entry> = ({ id, field }, { id: recordId, userId }, data) => ({
  indexId: id,
  userId,
  key: toKey(readPath(data, field.split('.'))),
  recordId,
});

export const toSearchText: ToItem<SearchText> = ({ id, field }, { id: recordId, userId }, data) => ({
  indexId: id,
  userId,
  recordId,
  text: toStoredText(readAllTexts(data, JSON.parse(field) as string[])),
});
