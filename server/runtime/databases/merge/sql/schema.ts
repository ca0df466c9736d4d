import type { Database } from 'bun:sqlite';
import { type Item, parseTable } from './items.ts';
import { quote, toKey } from './words.ts';

/** What a database is made of. Reads no view: what these do is their owner's. */

export type Side = 'base' | 'branch' | 'main';
export const SIDES: readonly Side[] = ['base', 'branch', 'main'];

/** Far more than a database has. */
const MAX_OBJECTS = 5_000;

interface Column {
  name: string;
  type: string;
  default: string | null;
  /** Its place in the primary key, from 1. */
  keyPlace: number;
  isGenerated: boolean;
}

/** How a virtual table keeps its rows. */
type Virtual = 'own' | 'external' | 'other';

export interface Table {
  name: string;
  sql: string;
  columns: Column[];
  /** Undefined for an ordinary table. */
  virtual: Virtual | undefined;
  /** The tables of a virtual table. */
  shadows: string[];
  items: Item[] | undefined;
}

interface StoredObject {
  type: 'index' | 'view' | 'trigger';
  name: string;
  table: string;
  sql: string;
}

export interface Schema {
  /** By their names in lower case. */
  tables: Map<string, Table>;
  /** Indexes, views and triggers. */
  others: Map<string, StoredObject>;
}

interface SchemaRow {
  type: string;
  name: string;
  tbl_name: string;
  sql: string | null;
}

const INTERNAL = /^(?:sqlite_|_cf_)/i;

export function readSchema(database: Database, side: Side): Schema {
  const rows = database
    .prepare(`SELECT type, name, tbl_name, sql FROM ${side}.sqlite_schema LIMIT ${MAX_OBJECTS + 1}`)
    .all() as SchemaRow[];
  if (rows.length > MAX_OBJECTS)
    throw new Error('the schema has too many tables, indexes, views and triggers');
  const own = rows.filter(({ name, sql }) => sql !== null && !INTERNAL.test(name));
  const isVirtual = ({ sql }: SchemaRow) => /^create\s+virtual\s/i.test(sql ?? '');
  const virtual = own.filter(isVirtual).map(({ name }) => toKey(name));
  const findOwner = (name: string) => virtual.find((owner) => isShadow(toKey(name), owner));
  const tables = new Map<string, Table>();
  for (const row of own) {
    if (row.type !== 'table' || findOwner(row.name) !== undefined) continue;
    const shadows = isVirtual(row)
      ? own.filter(({ type, name }) => type === 'table' && findOwner(name) === toKey(row.name))
      : [];
    tables.set(toKey(row.name), {
      name: row.name,
      sql: row.sql ?? '',
      columns: readColumns(database, side, row.name),
      virtual: isVirtual(row) ? toVirtual(row, shadows) : undefined,
      shadows: shadows.map(({ name }) => name),
      items: isVirtual(row) ? undefined : parseTable(row.sql ?? '')?.items,
    });
  }
  const others = new Map<string, StoredObject>();
  for (const { type, name, tbl_name, sql } of own) {
    if (type !== 'index' && type !== 'view' && type !== 'trigger') continue;
    others.set(`${type} ${toKey(name)}`, { type, name, table: tbl_name, sql: sql ?? '' });
  }
  return { tables, others };
}

/** Tables that only the module of a virtual table writes. */
const isShadow = (name: string, owner: string) =>
  name.startsWith(`${owner}_`) && /^[a-z]+$/.test(name.slice(owner.length + 1));

function toVirtual({ name, sql }: SchemaRow, shadows: SchemaRow[]): Virtual {
  if (!/\busing\s+["'`[]?fts5\b/i.test(sql ?? '')) return 'other';
  if (shadows.some((shadow) => toKey(shadow.name) === `${toKey(name)}_content`)) return 'own';
  return /\bcontent\s*=\s*(?:''|"")/i.test(sql ?? '') ? 'other' : 'external';
}

interface ColumnRow {
  name: string;
  type: string;
  dflt_value: string | null;
  pk: number;
  hidden: number;
}

function readColumns(database: Database, side: Side, table: string): Column[] {
  const rows = database.prepare(`PRAGMA ${side}.table_xinfo(${quote(table)})`).all() as ColumnRow[];
  // A virtual table has hidden columns, such as its rank.
  return rows
    .filter(({ hidden }) => hidden !== 1)
    .map(({ name, type, dflt_value, pk, hidden }) => ({
      ...{ name, type, default: dflt_value, keyPlace: pk },
      isGenerated: hidden > 1,
    }));
}

/** The names of the columns that identify a row; undefined without any. */
export function findKey({ columns, virtual }: Table): string[] | undefined {
  if (virtual !== undefined) return virtual === 'own' ? ['rowid'] : undefined;
  const key = columns.filter(({ keyPlace }) => keyPlace > 0).sort((a, b) => a.keyPlace - b.keyPlace);
  return key.length > 0 ? key.map(({ name }) => name) : undefined;
}

/** What must be the same for two tables to have the same keys: names, types, and how texts are compared. */
export function describeKey(database: Database, side: Side, table: Table): string {
  const key = findKey(table) ?? [];
  const types = table.columns.filter(({ keyPlace }) => keyPlace > 0).map(({ type }) => type);
  const indexes = database.prepare(`PRAGMA ${side}.index_list(${quote(table.name)})`).all() as Array<{
    name: string;
    origin: string;
  }>;
  const index = indexes.find(({ origin }) => origin === 'pk');
  const collations = index
    ? (database.prepare(`PRAGMA ${side}.index_xinfo(${quote(index.name)})`).all() as Array<{
        coll: string;
        key: number;
      }>)
    : [];
  const orders = collations.filter((each) => each.key === 1).map(({ coll }) => coll);
  return toKey(JSON.stringify([key, types, orders]));
}
