import { Database } from 'bun:sqlite';
import type { Random } from '../../contract/fuzz/random.ts';

/** Tables that are changed at random, and a second way to merge their rows: one by one, in JavaScript. */

export interface TableModel {
  name: string;
  sql: string;
  /** The columns of the key; none if rows cannot be told apart. */
  key: string[];
  columns: string[];
}

export const TABLES: TableModel[] = [
  {
    name: 'plain',
    sql: 'CREATE TABLE plain (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b, c REAL)',
    key: ['id'],
    columns: ['a', 'b', 'c'],
  },
  {
    name: 'counted',
    sql: 'CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, a, b TEXT)',
    key: ['id'],
    columns: ['a', 'b'],
  },
  {
    name: 'pairs',
    sql: 'CREATE TABLE pairs (x TEXT NOT NULL, y INTEGER NOT NULL, a, b, PRIMARY KEY (x, y)) WITHOUT ROWID',
    key: ['x', 'y'],
    columns: ['a', 'b'],
  },
  {
    name: 'any "key"',
    sql: 'CREATE TABLE "any ""key""" (k NOT NULL PRIMARY KEY, "a b" BLOB, double AS (k || 1))',
    key: ['k'],
    columns: ['a b'],
  },
  {
    name: 'words',
    sql: 'CREATE VIRTUAL TABLE words USING fts5(a, b)',
    key: ['rowid'],
    columns: ['a', 'b'],
  },
];

const quote = (name: string) => (name === 'rowid' ? name : `"${name.replaceAll('"', '""')}"`);

function makeValue(random: Random): string | number | null | Uint8Array {
  const values = [
    null,
    0,
    1,
    1.5,
    -7,
    9_007_199_254_740_991,
    '',
    'a',
    'A',
    'ä😀',
    "it's",
    '1',
    'x'.repeat(300),
  ];
  return random.chance(0.1) ? new Uint8Array([0, random.int(0, 2)]) : random.pick(values);
}

function makeKey(random: Random, column: string): string | number {
  return column === 'x' || column === 'k'
    ? random.pick(['a', 'b', '1', 'A', 'ö/?#', "q'"])
    : random.int(1, 14);
}

export function changeRandomly(database: Database, table: TableModel, random: Random, changes: number): void {
  for (let change = 0; change < random.int(0, changes); change++) {
    const key = table.key.map((column) => makeKey(random, column));
    const isKey = table.key.map((column) => `${quote(column)} = ?`).join(' AND ');
    const column = random.pick(table.columns);
    const value = makeValue(random);
    const kind = random.int(0, 5);
    if (kind === 0) database.prepare(`DELETE FROM ${quote(table.name)} WHERE ${isKey}`).run(...key);
    else if (kind < 3)
      database
        .prepare(`UPDATE ${quote(table.name)} SET ${quote(column)} = ? WHERE ${isKey}`)
        .run(value, ...key);
    else {
      const all = [...table.key, ...table.columns];
      database.prepare(`DELETE FROM ${quote(table.name)} WHERE ${isKey}`).run(...key);
      database
        .prepare(
          `INSERT INTO ${quote(table.name)} (${all.map(quote).join(', ')}) VALUES (${all.map(() => '?').join(', ')})`,
        )
        .run(...key, ...table.columns.map(() => makeValue(random)));
    }
  }
}

type Row = Record<string, string>;

/** All rows by their keys, with values and types as texts. */
export function readRows(database: Database, name: string): Record<string, Row> {
  const table = TABLES.find((each) => each.name === name) as TableModel;
  const present = (
    database.prepare(`PRAGMA table_info(${quote(name)})`).all() as Array<{ name: string }>
  ).map((each) => each.name);
  const columns = [...new Set([...(table.key[0] === 'rowid' ? ['rowid'] : []), ...present])];
  const rows = database
    .prepare(
      `SELECT ${columns.map((column) => `typeof(${quote(column)}) || ' ' || quote(${quote(column)})`).join(', ')} FROM ${quote(name)}`,
    )
    .values() as string[][];
  return Object.fromEntries(
    rows
      .map((values) => Object.fromEntries(values.map((value, index) => [columns[index] ?? '', value])) as Row)
      .map((row) => [table.key.map((column) => row[column]).join(), row] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

interface Sides {
  base: Database;
  branch: Database;
  main: Database;
}

/** Merges without the server's code. */
export function mergeModel(sides: Sides, merged: string[], from: 'branch' | 'main') {
  const database = Database.deserialize(sides.main.serialize());
  const conflicts = new Map<string, number>();
  const hasExtra = (side: Database, column: string) =>
    (side.prepare('PRAGMA table_info(plain)').all() as Array<{ name: string }>).some(
      ({ name }) => name === column,
    );
  if (hasExtra(sides.branch, 'extra')) database.run("ALTER TABLE plain ADD COLUMN extra DEFAULT 'given'");
  for (const { name, key } of TABLES) {
    const [base, branch, main] = [sides.base, sides.branch, database].map((side) => readRows(side, name)) as [
      Record<string, Row>,
      Record<string, Row>,
      Record<string, Row>,
    ];
    const given: Row = name === 'plain' ? { extra: "text 'given'", other: 'null NULL' } : {};
    for (const id of new Set([...Object.keys(base), ...Object.keys(branch)])) {
      const row = mergeRow(base[id], branch[id], main[id], given);
      if (row.isConflict) conflicts.set(name, (conflicts.get(name) ?? 0) + 1);
      if (merged.includes(name))
        write(database, { name, key }, main[id], row.isConflict && from === 'main' ? main[id] : row.value);
    }
  }
  return { database, conflicts };
}

/** The row as the branch wants it, and whether that contradicts main. */
function mergeRow(base: Row | undefined, branch: Row | undefined, main: Row | undefined, given: Row) {
  const get = (row: Row, column: string) => row[column] ?? given[column] ?? 'null NULL';
  const columns = [...new Set([base, branch, main].flatMap((row) => Object.keys(row ?? {})))];
  const isSame = (one: Row | undefined, other: Row | undefined) =>
    one === undefined || other === undefined
      ? one === other
      : columns.every((column) => get(one, column) === get(other, column));
  if (isSame(base, branch)) return { value: main, isConflict: false };
  if (!branch) return { value: undefined, isConflict: main !== undefined && !isSame(base, main) };
  if (!base) return { value: branch, isConflict: main !== undefined && !isSame(branch, main) };
  if (!main) return { value: branch, isConflict: true };
  const byBranch = columns.filter((column) => get(branch, column) !== get(base, column));
  const isConflict = byBranch.some(
    (column) => get(main, column) !== get(base, column) && get(main, column) !== get(branch, column),
  );
  const value = { ...main };
  for (const column of byBranch) value[column] = get(branch, column);
  return { value, isConflict };
}

function write(
  database: Database,
  { name, key }: { name: string; key: string[] },
  before: Row | undefined,
  after: Row | undefined,
): void {
  if (before === after) return;
  const toValue = (shown: string | undefined) => (shown ?? 'null NULL').replace(/^\w+ /, '');
  const row = after ?? before;
  if (!row) return;
  const isKey = key.map((column) => `${quote(column)} = ${toValue(row[column])}`).join(' AND ');
  database.run(`DELETE FROM ${quote(name)} WHERE ${isKey}`);
  if (!after) return;
  const columns = Object.keys(after).filter((column) => column !== 'double');
  database.run(
    `INSERT INTO ${quote(name)} (${columns.map(quote).join(', ')}) VALUES (${columns.map((column) => toValue(after[column])).join(', ')})`,
  );
}
