import type { Database } from 'bun:sqlite';
import type { OpenConflict } from '../port.ts';
import type { MergeOutcome, MergeTask } from '../tasks.ts';
import { countReferences, findBroken } from './checks.ts';
import { assertCopied, compareWhole, listTables, readSchemas } from './compare.ts';
import type { Migrated } from './migrate.ts';
import { applyRows, replaceRows } from './row-apply.ts';
import {
  CONFLICT,
  countConflicts,
  countDelta,
  type Delta,
  decideRows,
  makeDelta,
  toRowsPath,
  WRITTEN,
} from './row-delta.ts';
import { listEntries } from './row-entries.ts';
import { type Schema, SIDES, type Side } from './schema.ts';
import { applyRest, applySchema, Violation } from './schema-apply.ts';
import { type MergedSchema, MIGRATIONS, mergeSchemas } from './schema-diff.ts';
import { isDifferent, type TableRows } from './table-rows.ts';
import { Takes } from './takes.ts';
import { literal, quote, toKey } from './words.ts';

const MAX_CONFLICTS = 200;
const MAX_VIOLATIONS = 50;

type Counts = { added: number; changed: number; deleted: number };

/** Merges the branch into main. If something is open or would break, main is not to be used afterwards. */
export function merge(database: Database, task: MergeTask, migrated: Migrated): MergeOutcome {
  const before = countReferences(database);
  try {
    database.run('BEGIN');
    const outcome = change(database, task, migrated);
    if (!outcome.isMerged) return outcome;
    database.run('COMMIT');
    const violations = findBroken(database, before).slice(0, MAX_VIOLATIONS);
    return violations.length > 0 ? refuse({ ...outcome, violations }) : outcome;
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return refuse({ violations: [{ kind: error.kind, of: error.of, message: error.message }] });
  }
}

type Refused = Extract<MergeOutcome, { isMerged: false }>;

const refuse = (found: Omit<Partial<Refused>, 'isMerged'>): Refused => ({
  ...{ conflicts: [], conflictCount: 0, drops: [], violations: [], tables: [], altered: 0, missing: [] },
  ...found,
  isMerged: false,
});

function change(database: Database, task: MergeTask, { before, count }: Migrated): MergeOutcome {
  const schemas = readSchemas(database);
  const takes = new Takes(task.take);
  const schema = mergeSchemas(schemas, takes);
  assertCopied(schemas, task.stripped);
  const drops = schema.drops.map(({ path }) => path);
  const chosen = listTables(database, schemas).filter(
    (rows) => isWanted(rows, task.tables) && schema.tables.get(toKey(rows.name))?.sql !== undefined,
  );
  const names = task.tables === 'all' ? [] : task.tables;
  const missing = names.filter((name) => !SIDES.some((side) => schemas[side].tables.has(toKey(name))));
  const altered = countAltered(before, schema);
  const planned = chosen.map((rows, number) => plan(database, rows, number, takes));
  const conflicts: OpenConflict[] = [...schema.open, ...planned.flatMap(({ open }) => open)];
  const conflictCount = schema.open.length + planned.reduce((sum, { openCount }) => sum + openCount, 0);
  if (conflictCount > 0 || (drops.length > 0 && !task.confirm))
    return refuse({
      conflicts: conflicts.slice(0, MAX_CONFLICTS),
      conflictCount,
      drops: drops.slice(0, MAX_CONFLICTS),
      ...{ altered, missing },
      tables: planned.map(({ rows, counts }) => ({ name: rows.name, ...counts })),
    });
  const hasOtherRows = task.stripped === undefined && hasUnasked(database, schemas, chosen);
  const later = applySchema(database, schemas.main, schema);
  // What main has now decides which columns are written.
  const now = new Map(listTables(database, readSchemas(database)).map((rows) => [toKey(rows.name), rows]));
  const tables = planned.flatMap(({ rows, delta, isTaken, counts }) => {
    const present = now.get(toKey(rows.name));
    if (!present) return [];
    if (delta) applyRows(database, { ...delta, rows: present });
    else if (isTaken) replaceRows(database, present);
    return [{ name: rows.name, ...counts }];
  });
  const notes = noteMigrations(database);
  refreshSearches(database, new Set([...chosen.map(({ name }) => toKey(name)), ...later.written]));
  applyRest(database, later);
  const isSame =
    count === 0 &&
    !later.isChanged &&
    tables.every(({ added, changed, deleted }) => added + changed + deleted === 0);
  const effects = { tables, altered, drops, missing };
  return { isMerged: true, isSame: isSame && notes === 0, hasOtherRows, ...effects };
}

/** Whether the branch has changed rows of tables that nobody asked for. */
function hasUnasked(database: Database, schemas: Record<Side, Schema>, chosen: TableRows[]): boolean {
  const asked = new Set(chosen.map(({ name }) => toKey(name)));
  const others = listTables(database, schemas).filter(({ name }) => !asked.has(toKey(name)));
  return others.some((rows, number) => {
    if (rows.unmergeable !== undefined) return isDifferent(database, rows, 'branch', 'base');
    const delta = makeDelta(database, rows, asked.size + number);
    const { added, changed, deleted } = countDelta(database, delta);
    database.run(`DROP TABLE ${delta.table}`);
    return added + changed + deleted > 0;
  });
}

const isWanted = ({ name, unmergeable }: TableRows, tables: MergeTask['tables']) =>
  tables === 'all' ? unmergeable !== 'virtual' : tables.some((each) => toKey(each) === toKey(name));

/** The tables and views that get another schema than before: columns, constraints, indexes or triggers. */
function countAltered(before: Schema, after: MergedSchema): number {
  const altered = new Set<string>();
  for (const [key, { sql }] of after.tables)
    if (key !== MIGRATIONS && sql !== before.tables.get(key)?.sql) altered.add(key);
  for (const [key, { type, name, table, sql }] of after.others)
    if (sql !== before.others.get(key)?.sql) altered.add(toKey(type === 'view' ? name : table));
  return altered.size;
}

interface Planned {
  rows: TableRows;
  delta: Delta | undefined;
  /** The branch's rows take the place of all of main's. */
  isTaken: boolean;
  counts: Counts;
  open: OpenConflict[];
  openCount: number;
}

function plan(database: Database, rows: TableRows, number: number, takes: Takes): Planned {
  const none: Counts = { added: 0, changed: 0, deleted: 0 };
  if (rows.unmergeable === undefined) {
    const delta = makeDelta(database, rows, number);
    decideRows(database, delta, takes);
    const open = listEntries(database, delta, {
      offset: 0,
      limit: MAX_CONFLICTS,
      which: `state = ${CONFLICT}`,
    });
    const counts = countDelta(database, delta, WRITTEN);
    return { rows, delta, isTaken: false, counts, open, openCount: countConflicts(database, delta) };
  }
  const compared = compareWhole(database, rows);
  if (rows.unmergeable === 'virtual' && compared.isChanged.branch)
    throw new Violation('virtual', rows.name, '');
  const isConflict = compared.conflicts > 0;
  const taken = takes.find(toRowsPath(rows), isConflict);
  const isOpen = isConflict && taken === undefined;
  const isTaken = compared.isChanged.branch && taken !== 'main' && (isConflict || !compared.isChanged.main);
  const after = isTaken ? countRows(database, rows, 'branch') : 0;
  const counts = isTaken ? { ...none, added: after, deleted: countRows(database, rows, 'main') } : none;
  return {
    rows,
    delta: undefined,
    isTaken,
    counts,
    open: isOpen ? [compared] : [],
    openCount: isOpen ? 1 : 0,
  };
}

function countRows(database: Database, { name, tables }: TableRows, side: 'branch' | 'main'): number {
  if (!tables[side]) return 0;
  return (database.prepare(`SELECT count(*) AS count FROM ${side}.${quote(name)}`).get() as { count: number })
    .count;
}

/** Notes the migrations that the branch has applied: their changes came with the schema. Returns how many. */
function noteMigrations(database: Database): number {
  const has = (side: string) =>
    database
      .prepare(`SELECT 1 FROM ${side}.sqlite_schema WHERE type = 'table' AND lower(name) = ?`)
      .get(MIGRATIONS) !== null;
  if (!has('branch') || !has('main')) return 0;
  const known = has('base') ? `AND name NOT IN (SELECT name FROM base.${MIGRATIONS})` : '';
  return database.run(`INSERT INTO main.${MIGRATIONS} (name, applied_at) SELECT name, applied_at FROM branch.${MIGRATIONS}
    WHERE name NOT IN (SELECT name FROM main.${MIGRATIONS}) ${known} ORDER BY id`).changes;
}

/** Makes searches anew whose rows are those of another table. */
function refreshSearches(database: Database, changed: Set<string>): void {
  const { tables } = readSchemas(database).main;
  for (const { name, sql, virtual } of tables.values()) {
    if (virtual !== 'external') continue;
    const [, quoted, bare] = /\bcontent\s*=\s*(?:["'`[]([^"'`\]]*)["'`\]]|([\w$]+))/i.exec(sql) ?? [];
    const source = toKey(quoted ?? bare ?? '');
    if (!tables.has(source) || !(changed.has(source) || changed.has(toKey(name)))) continue;
    database.run(`INSERT INTO main.${quote(name)} (${quote(name)}) VALUES (${literal('rebuild')})`);
  }
}
