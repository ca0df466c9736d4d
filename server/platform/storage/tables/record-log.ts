import type { Generated } from 'kysely';

/** The record log: what records and collections were before they changed. */

/** A record before a change. Creating a record adds nothing here: its id has the time. */
export interface RecordChangesTable {
  id: Generated<number>;
  collection_id: number;
  record_id: string;
  at: number;
  /** Who changed it; null if the service did. There is no such user any more if they deleted their account. */
  changed_by: number | null;
  /** `restore` brings a deleted record back. */
  action: 'update' | 'delete' | 'restore';
  size: number;
  created_by: number;
  created_at: number;
  updated_at: number;
  /** The JSON of the data. Null if the record did not exist before, or if nobody may have it back. */
  before: string | null;
}

/** The schema and the rules of a collection before they changed. */
export interface CollectionChangesTable {
  id: Generated<number>;
  collection_id: number;
  at: number;
  changed_by: number | null;
  schema: string | null;
  rules: string | null;
}
