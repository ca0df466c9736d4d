import type { Generated } from 'kysely';

/** Indexes on fields of records, and the search of collections. */

/** An index on a field of a collection, or its search. */
export interface RecordIndexesTable {
  id: Generated<number>;
  collection_id: number;
  kind: Generated<'field' | 'search'>;
  /** The path of the field, such as `author.city`. Of a search, the paths of its fields as JSON. */
  field: string;
  /** `building` while existing records are added. `dropped` until its entries are removed. */
  state: 'building' | 'ready' | 'dropped';
  /** While it is built, it has the records up to this id. */
  built_to: string;
  /** How many records have been added while it is built. */
  built: Generated<number>;
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

/** The words of one record in the search of its collection. PostgreSQL also has a column with the words, for its index. */
export interface RecordSearchTextsTable {
  id: Generated<number>;
  index_id: number;
  /** The user that the record counts for, as in `record_counts`. */
  user_id: number;
  /** Empty in the row that each search has while its texts are there. */
  record_id: string;
  /** The words in order, between spaces. */
  text: string;
}

/** The words of `record_search_texts` in an index of SQLite: https://sqlite.org/fts5.html */
export interface RecordSearchWordsTable {
  rowid: number;
  words: string;
  /** A command, in place of a row. */
  record_search_words?: string;
}
