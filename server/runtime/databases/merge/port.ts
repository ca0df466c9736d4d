import type { Text } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';

/** Snapshots of one owner's databases. Without one, that database counts as empty. */
export interface ThreeSnapshots {
  ownerId: number;
  base: number | undefined;
  branch: number | undefined;
  main: number | undefined;
}

/**
 * The side that counts. The path is that of an entry, or any path above it: `rows/posts` decides all conflicts of the
 * table. The longest path counts. Only the exact path of an entry leaves out what is no conflict.
 */
export interface Take {
  path: string;
  from: 'branch' | 'main';
}

/** Texts are cut, and then end with `…`. Blobs are texts such as `x'00ff…' (12 bytes)`. */
export type SqlValue = string | number | null;
export type SchemaChange = 'added' | 'changed' | 'dropped';

export interface SchemaEntry {
  /** Such as `schema/tables/posts/columns/title`. Names are percent-encoded. */
  path: string;
  type: 'table' | 'column' | 'constraint' | 'index' | 'view' | 'trigger';
  name: string;
  /** What it belongs to, unless it is a table or a view itself. */
  table?: string | undefined;
  /** What each side did since the base. */
  branch?: SchemaChange | undefined;
  main?: SchemaChange | undefined;
  conflict: boolean;
  /** Merging it drops a column or a table that main has. */
  drops: boolean;
  sql: { base?: string | undefined; branch?: string | undefined; main?: string | undefined };
}

export interface RowCounts {
  added: number;
  changed: number;
  deleted: number;
}

/**
 * Why the rows of a table cannot be merged one by one: it has no primary key, or NULL in it; one side has changed the
 * key; or it is a virtual table without rows of its own.
 */
export type Unmergeable = 'no_key' | 'key_changed' | 'virtual';

export interface TableComparison {
  /** Such as `rows/posts`. */
  path: string;
  name: string;
  unmergeable?: Unmergeable | undefined;
  /** Undefined if its rows cannot be merged one by one. */
  branch?: RowCounts | undefined;
  main?: RowCounts | undefined;
  conflicts: number;
  isChanged: { branch: boolean; main: boolean };
}

export interface RowEntry {
  /** Such as `rows/posts/12`. That of the table if the key is long. */
  path: string;
  table: string;
  key: SqlValue[];
  /** What the branch did. */
  kind: 'added' | 'changed' | 'deleted';
  conflict: boolean;
  columns: Array<{ name: string; base: SqlValue; branch: SqlValue; main: SqlValue; conflict: boolean }>;
}

export interface SqlComparison {
  schema: SchemaEntry[];
  /** Those that one side has changed. */
  tables: TableComparison[];
  /** What the branch did, conflicts first. */
  rows: RowEntry[];
  /** There is more of the schema or more tables than fit. */
  isCut: boolean;
}

export interface CompareOptions {
  /** Rows of this table only, from this entry on. */
  table?: string | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
  /** False for a branch whose rows were masked or left out. */
  rows?: boolean | undefined;
}

export interface MergeOrder {
  /** The database that the new snapshot belongs to. */
  databaseId: number;
  /** The tables whose rows are merged. */
  tables: string[];
  take: Take[];
  /** Columns and tables may be dropped. */
  confirm: boolean;
}

/** What is open, by the paths of the comparison. */
export type OpenConflict = SchemaEntry | RowEntry | TableComparison;

export type SqlMerge =
  | {
      isMerged: true;
      /** For `SnapshotKeeper.replace`. Drop it when it is no longer needed. */
      snapshot: number;
      /** The size of the database. */
      bytes: number;
      /** Main stays as it is. */
      isSame: boolean;
      tables: Array<{ name: string } & RowCounts>;
    }
  | {
      isMerged: false;
      /** Some of the open ones, and how many there are. */
      conflicts: OpenConflict[];
      conflictCount: number;
      /** Paths that need `confirm`. */
      drops: string[];
      /** What the merged data would break. */
      violations: Text[];
    };

/** Compares and merges databases. Neither changes one: a merge makes a new snapshot. */
export interface DatabaseMerger {
  compare(files: ThreeSnapshots, options?: CompareOptions): Promise<SqlComparison>;
  merge(files: ThreeSnapshots, order: MergeOrder): Promise<SqlMerge>;
}

/** Thrown if databases cannot be compared: one is damaged, or it would take too much time, memory or disk space. */
export class DatabaseMergeError extends AppError {
  constructor(sentence: string, values?: Text['values'], cause?: unknown) {
    super('CONFLICT', sentence, values, { cause });
  }
}
