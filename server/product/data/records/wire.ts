import type { RecordResponse } from '../../../../contract/data/records.ts';
import type { RecordData } from '../../../../contract/rules/record-data.ts';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { RecordRow } from './store.ts';

/** Rows as the wire shapes of `contract/data/records.ts`. */

export function toRecord(row: Omit<RecordRow, 'text'>, data: RecordData, target: Kind): RecordResponse {
  return { ...toHead(row, target), data, ...toTail(row, target) };
}

/** A record as JSON text, around the stored text of the data, which is not parsed. */
export function toRecordText(row: RecordRow, target: Kind): string {
  return recordWriter(target)(row);
}

/** Writes the JSON text of records of one collection. Many of them have the same author, which is written once. */
export function recordWriter({ collection, storageType }: Kind): (row: RecordRow) => string {
  // Neither ids nor names of collections have characters that JSON would escape.
  const afterId = `","collection":"${collection}","data":`;
  const authors = new Map<number, string>();
  const writeAuthor = (row: RecordRow) => {
    // In solo mode all records are the reader's own.
    if (storageType === 'solo_data') return '';
    const known = authors.get(row.created_by);
    if (known !== undefined) return known;
    const written = `,"createdBy":${JSON.stringify({ id: row.created_by, username: row.username })}`;
    authors.set(row.created_by, written);
    return written;
  };
  return (row) => {
    const createdAt = toTimestamp(row.created_at);
    const updatedAt = row.updated_at === row.created_at ? createdAt : toTimestamp(row.updated_at);
    return `{"id":"${row.id}${afterId}${row.text},"createdAt":"${createdAt}","updatedAt":"${updatedAt}"${writeAuthor(row)}}`;
  };
}

type Kind = { collection: string; storageType: StorageType };

const toHead = ({ id }: Pick<RecordRow, 'id'>, { collection }: Kind) => ({ id, collection });

const toTail = (row: Omit<RecordRow, 'text'>, { storageType }: Kind) => ({
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  // In solo mode all records are the reader's own.
  ...(storageType !== 'solo_data' && { createdBy: { id: row.created_by, username: row.username } }),
});
