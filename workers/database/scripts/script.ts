import { withLongLiterals } from '../../../contract/rules/sql-statements.ts';
import { atPlace, type PlacedStatement, placeStatements } from './places.ts';

/** Writes a database as a SQL script, and runs such scripts. */

/** What belongs to the owner, and not to SQLite, to a virtual table or to workerd. */
const OWN =
  "name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'";

/**
 * The database as a script: first all tables and unique indexes, so that rows may refer to each other in any order; then
 * the rows; then other indexes, views and triggers. It reads as it goes, so the database must be locked.
 */
export function* exportScript(sql: SqlStorage): Generator<string> {
  yield 'PRAGMA defer_foreign_keys = true;\n';
  const schema = [
    ...sql
      .exec(`SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND ${OWN} ORDER BY rowid`)
      .raw(),
  ] as Array<[type: string, name: string, sql: string]>;
  const tables = schema.filter(([type]) => type === 'table');
  const unique = schema.filter(([type, , create]) => type === 'index' && /^CREATE\s+UNIQUE\b/i.test(create));
  for (const [, , create] of [...tables, ...unique]) yield `${create};\n`;
  for (const [, name, create] of tables) yield* dumpRows(sql, name, create);
  yield* dumpCounters(sql, schema);
  const rest = (kind: string) => schema.filter((entry) => entry[0] === kind && !unique.includes(entry));
  for (const [, , create] of [...rest('index'), ...rest('view'), ...rest('trigger')]) yield `${create};\n`;
}

function* dumpRows(sql: SqlStorage, name: string, create: string): Generator<string> {
  const isVirtual = /^CREATE\s+VIRTUAL\b/i.test(create);
  // Other virtual tables have no rows of their own, or none that can be read back.
  if (isVirtual && !/\bUSING\s+(fts5\s*\((?!.*\bcontent\s*=\s*''?\s*[,)])|rtree)/is.test(create)) return;
  // Generated columns are not in the list, because SQLite computes them again.
  const info = [...sql.exec(`SELECT name, type, pk FROM pragma_table_info(${literal(name)})`).raw()] as Array<
    [name: string, type: string, pk: number]
  >;
  const columns = info.map(([column]) => identifier(column));
  const rowid = findRowid(sql, name, info);
  // A table may have as many columns as a result, so the rowid comes in a second result.
  const values = (of: string[]) => sql.exec(`SELECT ${of.join(', ')} FROM ${identifier(name)}${scan}`).raw();
  const scan = isVirtual ? ' ORDER BY rowid' : ' NOT INDEXED';
  const kinds = values(columns.map((column) => `typeof(${column})`));
  const rowids = rowid === undefined ? undefined : values([rowid]);
  const contents = values(
    columns.map(
      (column) =>
        `CASE typeof(${column}) WHEN 'text' THEN CAST(${column} AS BLOB) WHEN 'blob' THEN ${column} ELSE quote(${column}) END`,
    ),
  );
  const named = rowid === undefined ? columns : [rowid, ...columns];
  const into = `INSERT INTO ${identifier(name)} (${named.join(', ')}) VALUES`;
  for (const row of contents) {
    const kindsOfRow = kinds.next().value ?? [];
    const own = rowids?.next().value ?? [];
    const literals = row.map((value, i) => toLiteral(value, String(kindsOfRow[i])));
    yield `${into} (${[...own, ...literals].join(', ')});\n`;
  }
}

/** The name of a table's rowid; undefined if a column has it already, or if there is none. */
function findRowid(sql: SqlStorage, table: string, info: Array<[name: string, type: string, pk: number]>) {
  const keys = info.filter(([, , pk]) => pk > 0);
  if (keys.length === 1 && keys[0]?.[1].toUpperCase() === 'INTEGER') return undefined;
  const [entry] = sql
    .exec(`SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ${literal(table)}`)
    .raw();
  if (entry?.[1] === 1 || (entry?.[0] === 'virtual' && info[0]?.[0] === 'id')) return undefined;
  const taken = new Set(info.map(([name]) => name.toLowerCase()));
  return ['rowid', '_rowid_', 'oid'].find((alias) => !taken.has(alias));
}

/** The AUTOINCREMENT counters, which may be beyond the last row. */
function* dumpCounters(
  sql: SqlStorage,
  schema: Array<[type: string, name: string, sql: string]>,
): Generator<string> {
  const [table] = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").raw();
  if (!table) return;
  const known = new Set(schema.map(([, name]) => name));
  for (const [name, seq] of sql.exec('SELECT name, quote(seq) FROM sqlite_sequence').raw()) {
    if (!known.has(String(name))) continue;
    const quoted = literal(String(name));
    yield `DELETE FROM sqlite_sequence WHERE name = ${quoted};\n`;
    yield `INSERT INTO sqlite_sequence (name, seq) VALUES (${quoted}, ${seq});\n`;
  }
}

/** The statements around a dump of SQLite's own shell. An import is a transaction already. */
export const FRAME = /^(BEGIN|COMMIT|END|PRAGMA\s+foreign_keys\s*=)/i;

/** The work of a script. */
export interface ScriptTotal {
  rowsRead: number;
  rowsWritten: number;
}

/** Runs a script. Call it in a transaction. */
export function importScript(sql: SqlStorage, script: string): ScriptTotal {
  const total = beginScript(sql);
  runSome(sql, total, placeStatements(script));
  checkReferences(sql);
  return total;
}

/** A statement that somebody wrote has a place, and one of our own exports has none. */
export type ScriptStatement = string | PlacedStatement;

/** Called around the pieces of a script, and at its end. */
export interface PieceHooks {
  beforePiece(): void;
  afterPiece(): void | Promise<void>;
  end(sql: SqlStorage): void;
}

/** Runs a script in pieces. Call it in a transaction, which `end` may still undo. */
export async function importPieces(
  sql: SqlStorage,
  pieces: AsyncIterable<Iterable<ScriptStatement>>,
  { beforePiece, afterPiece, end }: PieceHooks,
): Promise<ScriptTotal> {
  const total = beginScript(sql);
  for await (const piece of pieces) {
    beforePiece();
    runSome(sql, total, piece);
    await afterPiece();
  }
  end(sql);
  return total;
}

/** The length of a piece: about a tenth of a second of work. */
export const PIECE_LENGTH = 128 * 1024;

/** Splits a script into pieces, so that other databases get a turn in between. */
export async function* splitScript(script: string): AsyncGenerator<PlacedStatement[]> {
  let piece: PlacedStatement[] = [];
  let length = 0;
  for (const statement of placeStatements(script)) {
    piece.push(statement);
    length += statement.text.length;
    if (length < PIECE_LENGTH) continue;
    yield piece;
    await new Promise((resolve) => setTimeout(resolve, 0));
    piece = [];
    length = 0;
  }
  yield piece;
}

/** Lets rows come before the rows that they refer to, until the transaction ends. */
export function deferReferences(sql: SqlStorage): void {
  sql.exec('PRAGMA defer_foreign_keys = true');
}

function beginScript(sql: SqlStorage): ScriptTotal {
  deferReferences(sql);
  return { rowsRead: 0, rowsWritten: 0 };
}

function runSome(sql: SqlStorage, total: ScriptTotal, some: Iterable<ScriptStatement>): void {
  for (const each of some) {
    const text = typeof each === 'string' ? each : each.text;
    if (FRAME.test(text)) continue;
    const run = () => runStatement(sql, text);
    const cursor = typeof each === 'string' ? run() : atPlace(each, run);
    total.rowsRead += cursor.rowsRead;
    total.rowsWritten += cursor.rowsWritten;
  }
}

/**
 * Throws if rows refer to rows that do not exist. Dropping a table that others refer to counts as breaking their
 * references, also if another table gets its name. So SQLite has to forget what it counted: otherwise the commit fails.
 */
export function checkReferences(sql: SqlStorage): void {
  sql.exec('PRAGMA defer_foreign_keys = false');
  const [violation] = sql.exec('PRAGMA foreign_key_check').raw();
  if (violation) throw new Error(`FOREIGN KEY constraint failed in ${violation[0]}: SQLITE_CONSTRAINT`);
}

/** Checks references before a commit, if statements may have left that for the commit. A commit that fails would end the object. */
export function checkDeferred(sql: SqlStorage): void {
  const [deferred] = sql.exec('PRAGMA defer_foreign_keys').raw();
  const [table] = sql.exec("SELECT 1 FROM sqlite_master WHERE sql LIKE '%DEFERRABLE%' LIMIT 1").raw();
  if (deferred?.[0] === 1 || table) checkReferences(sql);
}

/** Removes all tables, views and triggers. Tables whose rows others may not lose come after these others. */
export function dropAll(sql: SqlStorage): void {
  deferReferences(sql);
  const list = (type: string) =>
    [...sql.exec(`SELECT name FROM sqlite_master WHERE type = '${type}' AND ${OWN}`).raw()].map(([name]) =>
      String(name),
    );
  const drop = (type: string, name: string) => sql.exec(`DROP ${type} IF EXISTS ${identifier(name)}`);
  for (const type of ['trigger', 'view']) for (const name of list(type)) drop(type, name);
  for (let left = list('table'); left.length > 0; ) {
    const refused = left.filter((name) => {
      try {
        drop('table', name);
        return false;
      } catch {
        return true;
      }
    });
    const [first = ''] = refused;
    // Nothing got better, so this says why.
    if (refused.length === left.length) drop('table', first);
    left = refused;
  }
}

/** Runs a statement of a script, however long its values are. */
export function runStatement(sql: SqlStorage, statement: string): ReturnType<SqlStorage['exec']> {
  const { sql: short, params } = withLongLiterals(statement);
  const cursor = sql.exec(
    short,
    ...params.map((param) => (typeof param === 'string' ? param : toArrayBuffer(param))),
  );
  cursor.raw().next();
  return cursor;
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

function toLiteral(value: SqlStorageValue, kind: string): string {
  if (!(value instanceof ArrayBuffer)) return String(value);
  const bytes = new Uint8Array(value);
  if (kind === 'blob') return `x'${toHex(bytes)}'`;
  const text = toText(bytes);
  return text === undefined ? `CAST(x'${toHex(bytes)}' AS TEXT)` : literal(text);
}

/** The bytes as text, if SQL can express it: SQL ends at a NUL, and a script has to be valid UTF-8. */
function toText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function toHex(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += HEX[byte];
  return hex;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
