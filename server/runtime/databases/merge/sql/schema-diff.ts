import type { SchemaChange, SchemaEntry } from '../port.ts';
import { type Item, parseTable, writeTable } from './items.ts';
import type { Schema, Side, Table } from './schema.ts';
import type { Takes } from './takes.ts';
import { toKey } from './words.ts';

/** Compares three schemas, and says what the merged one is. */

const MAX_SQL = 2_000;
/** What says which migrations ran. It comes along with the schema. */
export const MIGRATIONS = 'd1_migrations';

type Schemas = Record<Side, Schema>;
type Versions = Record<Side, string | undefined>;

interface MergedTable {
  name: string;
  /** Undefined if it is dropped. */
  sql: string | undefined;
}

interface MergedObject {
  type: 'index' | 'view' | 'trigger';
  name: string;
  table: string;
  sql: string | undefined;
}

export interface MergedSchema {
  entries: SchemaEntry[];
  /** Entries with a conflict that nobody has decided. */
  open: SchemaEntry[];
  /** Entries that will be merged and drop something. */
  drops: SchemaEntry[];
  /** By their names in lower case. */
  tables: Map<string, MergedTable>;
  others: Map<string, MergedObject>;
}

interface Subject {
  path: string;
  type: SchemaEntry['type'];
  name: string;
  table?: string | undefined;
}

/** Decides one thing after the other, and keeps what was decided. */
class Decisions {
  readonly entries: SchemaEntry[] = [];
  readonly open: SchemaEntry[] = [];
  readonly drops: SchemaEntry[] = [];

  constructor(private readonly takes: Takes) {}

  /** The version that the merge has. */
  decide(subject: Subject, { base, branch, main }: Versions): string | undefined {
    if (isSame(base, branch) && isSame(base, main)) return main;
    const branchChange = toChange(base, branch);
    const mainChange = toChange(base, main);
    const isConflict = branchChange !== undefined && mainChange !== undefined && !isSame(branch, main);
    const canDrop = subject.type === 'table' || subject.type === 'column';
    const entry: SchemaEntry = {
      ...subject,
      branch: branchChange,
      main: mainChange,
      conflict: isConflict,
      drops: canDrop && branchChange !== undefined && branch === undefined && main !== undefined,
      sql: { base: cut(base), branch: cut(branch), main: cut(main) },
    };
    if (subject.name !== MIGRATIONS && !isSame(branch, main)) this.entries.push(entry);
    if (branchChange === undefined || isSame(branch, main)) return main;
    const taken = this.takes.find(subject.path, isConflict);
    if (isConflict && taken === undefined) this.open.push(entry);
    if (taken === 'main' || (isConflict && taken === undefined)) return main;
    if (entry.drops) this.drops.push(entry);
    return branch;
  }
}

export function mergeSchemas(schemas: Schemas, takes: Takes): MergedSchema {
  const decisions = new Decisions(takes);
  const tables = new Map<string, MergedTable>();
  for (const key of unite(schemas, ({ tables }) => tables.keys())) {
    const found = pick(schemas, ({ tables }) => tables.get(key));
    const { name } = (found.main ?? found.branch ?? found.base) as Table;
    tables.set(key, { name, sql: mergeTable(decisions, name, found) });
  }
  const others = new Map<string, MergedObject>();
  for (const key of unite(schemas, ({ others }) => others.keys())) {
    const found = pick(schemas, ({ others }) => others.get(key));
    const { type, name, table } = found.main ?? found.branch ?? found.base ?? never();
    const subject =
      type === 'view'
        ? { path: toPath('schema', 'views', name), type, name }
        : { path: toPartPath(tables.has(toKey(table)), table, type, name), type, name, table };
    const versions = pickTexts(found);
    others.set(key, { type, name, table, sql: decisions.decide(subject, versions) });
  }
  const { entries, open, drops } = decisions;
  return { entries, open, drops, tables, others };
}

function toPartPath(isTable: boolean, table: string, type: 'index' | 'trigger', name: string): string {
  return toPath(
    'schema',
    isTable ? 'tables' : 'views',
    table,
    type === 'index' ? 'indexes' : 'triggers',
    name,
  );
}

type Found = Record<Side, Table | undefined>;

function mergeTable(decisions: Decisions, name: string, found: Found): string | undefined {
  const path = toPath('schema', 'tables', name);
  const { base, branch, main } = found;
  const isWhole = !base || !branch || !main || !base.items || !branch.items || !main.items;
  if (isWhole) return decisions.decide({ path, type: 'table', name }, pickTexts(found));
  if (isSame(base.sql, branch.sql) && isSame(base.sql, main.sql)) return main.sql;
  const versions = {
    base: toItems(base.items ?? []),
    branch: toItems(branch.items ?? []),
    main: toItems(main.items ?? []),
  };
  const keys = new Set([...versions.main.keys(), ...versions.base.keys(), ...versions.branch.keys()]);
  const merged = new Map<string, string | undefined>();
  for (const key of keys) {
    const items = pick(versions, (each) => each.get(key));
    const item = items.main ?? items.branch ?? items.base ?? never();
    const type = item.kind === 'column' ? 'column' : 'constraint';
    const folder = type === 'column' ? 'columns' : 'constraints';
    const subject = {
      path: `${path}/${folder}/${encodeURIComponent(item.name)}`,
      type,
      name: item.name,
      table: name,
    } as const;
    const texts = pick(items, (each) => each?.text);
    merged.set(key, decisions.decide(subject, texts));
  }
  return write(merged, found as Record<Side, Table>);
}

/** The text of one side where it is the result, so that nothing seems to have changed. */
function write(merged: Map<string, string | undefined>, { branch, main }: Record<Side, Table>): string {
  for (const { sql, items } of [main, branch]) {
    const texts = toItems(items ?? []);
    if ([...merged].every(([key, text]) => isSame(texts.get(key)?.text, text))) return sql;
  }
  const present = new Map([...toItems(branch.items ?? []), ...toItems(main.items ?? [])]);
  const items = [...merged].flatMap(([key, text]): Item[] => {
    const item = present.get(key);
    return item && text !== undefined ? [{ ...item, text }] : [];
  });
  return writeTable({ head: parseTable(main.sql)?.head ?? '', items });
}

const toItems = (items: Item[]) => new Map(items.map((item) => [item.key, item]));

function unite(schemas: Schemas, keys: (schema: Schema) => Iterable<string>): Set<string> {
  return new Set([...keys(schemas.main), ...keys(schemas.branch), ...keys(schemas.base)]);
}

const pick = <T, R>(sides: Record<Side, T>, get: (side: T) => R): Record<Side, R> => ({
  base: get(sides.base),
  branch: get(sides.branch),
  main: get(sides.main),
});

const pickTexts = (found: Record<Side, { sql: string } | undefined>) => pick(found, (each) => each?.sql);

const isSame = (one: string | undefined, other: string | undefined) =>
  one === other || (one !== undefined && other !== undefined && squeeze(one) === squeeze(other));

const squeeze = (sql: string) => sql.replace(/\s+/g, ' ').trim();

function toChange(base: string | undefined, now: string | undefined): SchemaChange | undefined {
  if (isSame(base, now)) return undefined;
  if (base === undefined) return 'added';
  return now === undefined ? 'dropped' : 'changed';
}

const cut = (sql: string | undefined) =>
  sql !== undefined && sql.length > MAX_SQL ? `${sql.slice(0, MAX_SQL)}…` : sql;

export const toPath = (...names: string[]) => names.map(encodeURIComponent).join('/');

function never(): never {
  throw new Error('a name is in no schema');
}
