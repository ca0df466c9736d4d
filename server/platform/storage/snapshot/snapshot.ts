/** A row in a form that is the same for both engines: strings, numbers and null. JSON is a string. */
export type PlainRow = Record<string, string | number | null>;

/** Tables of what nodes are doing. They are not part of the data, and contain nothing that could be lost. */
export const NODE_TABLES: readonly string[] = [
  'nodes',
  'cluster_joins',
  'backup_runs',
  'backup_plans',
  'backup_proofs',
];

/** Tables that are filled again from the others. */
const DERIVED_TABLES: readonly string[] = ['record_search_texts'];

/** The tables that snapshots leave out, as a list in SQL. */
export const LEFT_OUT_SQL = `(${[...NODE_TABLES, ...DERIVED_TABLES].map((name) => `'${name}'`).join(', ')})`;

/** The whole database at one point in time, however long reading it takes. */
export interface Snapshot {
  /** The last migration that has run. */
  migration: string;
  /** All our tables, each after the tables it references. */
  tables: string[];
  /** All rows of a table, with only a few in memory. Read one table at a time. */
  rows(table: string): AsyncIterable<PlainRow>;
  /** The highest key that each auto-increment table has ever used: it must not be used again. */
  sequences(): Promise<Record<string, number>>;
  end(): Promise<void>;
}

/** Sorts tables so that each comes after its parents. */
export function parentsFirst(tables: Array<{ name: string; parents: string[] }>): string[] {
  const sorted: string[] = [];
  const left = [...tables].sort((a, b) => (a.name < b.name ? -1 : 1));
  while (left.length > 0) {
    const index = left.findIndex(({ name, parents }) =>
      parents.every((parent) => parent === name || sorted.includes(parent)),
    );
    const [next] = left.splice(index, 1);
    if (index < 0 || !next) throw new Error('tables refer to each other in a circle');
    sorted.push(next.name);
  }
  return sorted;
}
