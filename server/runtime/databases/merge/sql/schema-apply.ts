import type { Database } from 'bun:sqlite';
import { readSchema, type Schema, type Table } from './schema.ts';
import type { MergedSchema } from './schema-diff.ts';
import { quote, toKey } from './words.ts';

/** Thrown if the merged schema or data cannot be. */
export class Violation extends Error {
  constructor(
    readonly kind: 'table' | 'index' | 'view' | 'trigger' | 'rows' | 'virtual' | 'migration',
    readonly of: string,
    message: string,
  ) {
    super(message);
  }
}

/** What waits until the rows are merged. */
export interface Later {
  /** Statements by what they make. */
  make: Array<{ type: 'index' | 'view' | 'trigger'; name: string; sql: string }>;
  /** Tables that are new, or whose rows went to a new table. */
  written: Set<string>;
  isChanged: boolean;
}

/** A name that no table has. */
function findFreeName(database: Database): string {
  const isTaken = database.prepare('SELECT 1 FROM main.sqlite_schema WHERE lower(name) = ?');
  for (let number = 1; ; number++) {
    const name = `quire_merge_${number}`;
    if (isTaken.get(name) === null) return name;
  }
}

/**
 * Changes the tables of main. Triggers and views are gone until the rows are merged: no trigger runs, and no view stands
 * in the way. Call it in a transaction, without foreign keys.
 */
export function applySchema(database: Database, main: Schema, merged: MergedSchema): Later {
  const later: Later = { make: [], written: new Set(), isChanged: false };
  for (const type of ['trigger', 'view'] as const)
    for (const { type: each, name } of main.others.values())
      if (each === type) database.run(`DROP ${type} IF EXISTS main.${quote(name)}`);
  for (const [key, { type, name, sql, table }] of merged.others) {
    const present = main.others.get(key);
    const isGone = sql === undefined || isDropped(merged, table);
    if (present?.sql !== sql) later.isChanged = true;
    if (type === 'index' && present && present.sql === sql && !isGone) continue;
    if (type === 'index' && present) database.run(`DROP INDEX main.${quote(name)}`);
    if (!isGone) later.make.push({ type, name, sql });
  }
  for (const [key, { name, sql }] of merged.tables) {
    const present = main.tables.get(key);
    if (sql === present?.sql) continue;
    later.isChanged = true;
    if (sql === undefined) database.run(`DROP TABLE main.${quote(name)}`);
    else {
      later.written.add(key);
      if (present) rebuild(database, main, present, sql, later);
      else create(database, name, sql);
    }
  }
  return later;
}

/** What a trigger, or an index, is of. Triggers of views are dropped with their views. */
function isDropped({ tables, others }: MergedSchema, name: string): boolean {
  const found = tables.get(toKey(name)) ?? others.get(`view ${toKey(name)}`);
  return found !== undefined && found.sql === undefined;
}

function create(database: Database, name: string, sql: string): void {
  try {
    database.prepare(sql).run();
  } catch (error) {
    throw new Violation('table', name, (error as Error).message);
  }
}

/** Makes a table anew, with the rows of the old one in the columns that both have. */
function rebuild(database: Database, main: Schema, old: Table, sql: string, later: Later): void {
  const { name } = old;
  if (old.virtual === 'other' || old.virtual === 'external') {
    if (old.virtual === 'other') throw new Violation('virtual', name, '');
    database.run(`DROP TABLE main.${quote(name)}`);
    create(database, name, sql);
    return;
  }
  for (const { name: index, sql: text } of listIndexes(main, name)) {
    if (later.make.some((made) => made.type === 'index' && toKey(made.name) === toKey(index))) continue;
    // One that stays as it is.
    if (!database.prepare('SELECT 1 FROM main.sqlite_schema WHERE type = ? AND name = ?').get('index', index))
      continue;
    database.run(`DROP INDEX main.${quote(index)}`);
    later.make.unshift({ type: 'index', name: index, sql: text });
  }
  if (old.virtual === 'own') rebuildVirtual(database, old, sql);
  else rebuildOrdinary(database, old, sql);
}

function rebuildOrdinary(database: Database, old: Table, sql: string): void {
  const { name } = old;
  const sequence = readSequence(database, name);
  const oldName = findFreeName(database);
  database.run(`ALTER TABLE main.${quote(name)} RENAME TO ${oldName}`);
  create(database, name, sql);
  const columns = listCommon(database, old);
  try {
    database.run(
      `INSERT OR ABORT INTO main.${quote(name)} (${columns}) SELECT ${columns} FROM main.${oldName}`,
    );
  } catch (error) {
    throw new Violation('rows', name, (error as Error).message);
  }
  database.run(`DROP TABLE main.${oldName}`);
  if (sequence !== undefined) raiseSequence(database, name, sequence);
}

function rebuildVirtual(database: Database, old: Table, sql: string): void {
  const { name } = old;
  const all = old.columns.map((column) => `, ${quote(column.name)}`).join('');
  database.run(`CREATE TABLE work.old_rows AS SELECT rowid AS quire_rowid${all} FROM main.${quote(name)}`);
  database.run(`DROP TABLE main.${quote(name)}`);
  create(database, name, sql);
  const common = listCommon(database, old);
  const columns = common === '' ? '' : `, ${common}`;
  database.run(
    `INSERT INTO main.${quote(name)} (rowid${columns}) SELECT quire_rowid${columns} FROM work.old_rows`,
  );
  database.run(`DROP TABLE work.old_rows`);
}

const listIndexes = (main: Schema, table: string) =>
  [...main.others.values()].filter((each) => each.type === 'index' && toKey(each.table) === toKey(table));

function listCommon(database: Database, old: Table): string {
  const now = readSchema(database, 'main').tables.get(toKey(old.name));
  const has = new Set(old.columns.filter(({ isGenerated }) => !isGenerated).map(({ name }) => toKey(name)));
  return (now?.columns ?? [])
    .filter(({ name, isGenerated }) => !isGenerated && has.has(toKey(name)))
    .map(({ name }) => quote(name))
    .join(', ');
}

/** The highest id that a table with AUTOINCREMENT has ever had. */
export function readSequence(database: Database, table: string, side = 'main'): number | undefined {
  const has = database.prepare(`SELECT 1 FROM ${side}.sqlite_schema WHERE name = 'sqlite_sequence'`).get();
  if (!has) return undefined;
  const row = database.prepare(`SELECT seq FROM ${side}.sqlite_sequence WHERE name = ?`).get(table);
  const { seq } = (row ?? {}) as { seq?: unknown };
  return typeof seq === 'number' ? seq : undefined;
}

/** No id that one side has given is given again. */
export function raiseSequence(database: Database, table: string, atLeast: number): void {
  if (readSequence(database, table) === undefined) {
    const isCounted = /\bautoincrement\b/i.test(
      String(
        (
          database
            .prepare('SELECT sql FROM main.sqlite_schema WHERE type = ? AND name = ?')
            .get('table', table) as {
            sql?: string;
          } | null
        )?.sql,
      ),
    );
    if (isCounted)
      database.prepare('INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)').run(table, atLeast);
    return;
  }
  database.prepare('UPDATE main.sqlite_sequence SET seq = max(seq, ?) WHERE name = ?').run(atLeast, table);
}

/** Makes what waited. */
export function applyRest(database: Database, later: Later): void {
  for (const type of ['index', 'view', 'trigger'] as const)
    for (const { name, sql } of later.make.filter((each) => each.type === type))
      try {
        database.prepare(sql).run();
      } catch (error) {
        throw new Violation(type, name, (error as Error).message);
      }
}
