import type { RecordResponse } from '../../../contract/records.ts';
import type { RecordData } from '../../../contract/rules/record-data.ts';
import type { StorageType } from '../../../contract/rules/storage-modes.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { RecordRow } from './store.ts';

/** Rows as the wire shapes of `contract/records.ts`. */

export function toRecord(row: Omit<RecordRow, 'text'>, data: RecordData, place: Kind): RecordResponse {
  return { ...toHead(row, place), data, ...toTail(row, place) };
}

/** The same as JSON text, around the stored text of the data, which is not parsed for it. */
export function toRecordText(row: RecordRow, place: Kind): string {
  const head = JSON.stringify(toHead(row, place)).slice(0, -1);
  const tail = JSON.stringify(toTail(row, place)).slice(1);
  return `${head},"data":${row.text},${tail}`;
}

type Kind = { collection: string; storageType: StorageType };

const toHead = ({ id }: Pick<RecordRow, 'id'>, { collection }: Kind) => ({ id, collection });

const toTail = (row: Omit<RecordRow, 'text'>, { storageType }: Kind) => ({
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  // In solo mode all records are the reader's own.
  ...(storageType !== 'solo_data' && { createdBy: { id: row.created_by, username: row.username } }),
});
