import type { Generated } from 'kysely';

/** Indexes on fields of records. */

/** An index on a field of a collection. */
export interface RecordIndexesTable {
  id: Generated<number>;
  collection_id: number;
  /** The path of the field, such as `author.city`. */
  field: string;
  /** `building` while existing records are added. `dropped` until its entries are removed. */
  state: 'building' | 'ready' | 'dropped';
  /** While it is built, it has the records up to this id. */
  built_to: string;
  changed_at: number;
}

/** The value of one record in an index. */
export interface RecordIndexEntriesTable {
  index_id: number;
  /** The user that the record counts for, as in `record_counts`. */
  user_id: number;
  /** The value as a text that sorts like it. */
  key: string;
  record_id: string;
}

/** The number of entries from one key up to the next block, so that a range is counted without reading it. */
export interface RecordIndexBlocksTable {
  index_id: number;
  user_id: number;
  start: string;
  entries: number;
}
