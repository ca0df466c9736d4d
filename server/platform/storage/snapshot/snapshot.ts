/** A row as it is written down: text, numbers and nothing, alike on both engines. JSON is text. */
export type PlainRow = Record<string, string | number | null>;

/** The whole database as it was at one moment, however long it takes to read it. */
export interface Snapshot {
  /** The last migration that was made. */
  migration: string;
  /** Every table of ours, each after those that it refers to. */
  tables: string[];
  /** All rows of a table, a few at a time in memory. One table at a time. */
  rows(table: string): AsyncIterable<PlainRow>;
  /** The highest key each counting table has ever given out: it must not be given out again. */
  sequences(): Promise<Record<string, number>>;
  end(): Promise<void>;
}

/** Puts tables into an order in which each comes after its parents. */
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
