import type { Text } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';

/** A snapshot, or a database as it is now. */
export type Source = number | { database: number };

/** Three databases of one owner. What is undefined counts as empty. */
export interface ThreeDatabases {
  ownerId: number;
  base: Source | undefined;
  branch: Source | undefined;
  main: Source | undefined;
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
  /** The rows that differ now because of each side. Undefined if its rows cannot be merged one by one. */
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
  keyNames: string[];
  /** What the branch did. */
  kind: 'added' | 'changed' | 'deleted';
  conflict: boolean;
  /** The row of main: as at the base, changed or added since then, or not there. */
  main: 'same' | 'changed' | 'none';
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
  /** Lists only rows that main has not changed too. */
  isOwn?: boolean | undefined;
  /** Lists only the row with this key, as paths have it. */
  key?: string | undefined;
  /** The side that is a copy without its rows, or with other ones. It must have tables if the base has some. */
  stripped?: Stripped;
}

/** A side whose rows are not those of the page. */
export type Stripped = 'branch' | 'main' | undefined;

export interface MergeOrder {
  /** The tables whose rows are merged: some, or all that can be. */
  tables: string[] | 'all';
  take: Take[];
  /** Columns and tables may be dropped. */
  confirm: boolean;
  /** Those that main does not have yet are applied to it first, as a deploy does. */
  migrations: Migration[];
  /** The side that is a copy without its rows, or with other ones: rows are not compared. */
  stripped?: Stripped;
}

export interface Migration {
  name: string;
  sql: string;
}

/** What is open, by the paths of the comparison. */
export type OpenConflict = SchemaEntry | RowEntry | TableComparison;

/** What a merge does, also if it is refused. */
export interface MergeEffects {
  tables: Array<{ name: string } & RowCounts>;
  /** Tables and views that get another schema. */
  altered: number;
  /** Paths of what it removes, which needs `confirm`. */
  drops: string[];
  /** Tables that were asked for, and are on no side. */
  missing: string[];
}

export interface MergedDatabase extends MergeEffects {
  isMerged: true;
  /** Main stays as it is. */
  isSame: boolean;
  /** The branch has changed rows of tables that were not asked for. */
  hasOtherRows: boolean;
}

export interface RefusedMerge extends MergeEffects {
  isMerged: false;
  /** Some of the open ones, and how many there are. */
  conflicts: OpenConflict[];
  conflictCount: number;
  /** What the merged data would break. */
  violations: Text[];
}

export type SqlTrial = MergedDatabase | RefusedMerge;
export type SqlMerge =
  | (MergedDatabase & {
      /** For `SnapshotKeeper.replace`. Drop it when it is no longer needed. Undefined if main stays as it is. */
      snapshot: number | undefined;
    })
  | RefusedMerge;

/** Compares and merges databases. None changes one: a merge makes a new snapshot. */
export interface DatabaseMerger {
  compare(files: ThreeDatabases, options?: CompareOptions): Promise<SqlComparison>;
  /** Says what a merge would do. */
  tryOut(files: ThreeDatabases, order: MergeOrder): Promise<SqlTrial>;
  /** The snapshot is one of this database. */
  merge(files: ThreeDatabases, order: MergeOrder & { databaseId: number }): Promise<SqlMerge>;
}

/** Thrown if databases cannot be compared: one is damaged, or it would take too much time, memory or disk space. */
export class DatabaseMergeError extends AppError {
  constructor(sentence: string, values?: Text['values'], cause?: unknown) {
    super('CONFLICT', sentence, values, { cause });
  }
}
