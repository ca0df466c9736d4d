/// <reference path="./workerd.d.ts" />
import { DurableObject } from 'cloudflare:workers';
import { onlyStatement, withIntegers } from '../lib/sql-statements.ts';

/**
 * Runs in workerd, as a program of ours: one Durable Object per database. It speaks what workerd's own D1 client
 * speaks, so that `env.DB` in a function and the SQL endpoint end at the same code.
 */

interface Query {
  sql: string;
  params?: unknown[];
}

interface Environment {
  DATABASES: DurableObjectNamespace;
  KEY: string;
}

/** An answer larger than this, to one statement or to a batch, is refused: it would have to be held in memory several times. */
const MAX_RESULT_ROWS = 100_000;
const MAX_RESULT_BYTES = 32 * 1024 * 1024;

/** Databases that were removed: a function that is still finishing a call must not bring one back. */
const removed = new Set<string>();

export class Database extends DurableObject<Environment> {
  override async fetch(request: Request): Promise<Response> {
    if (request.method === 'DELETE') {
      await this.ctx.storage.deleteAll();
      return Response.json({ file: this.ctx.id.toString() });
    }
    const { pathname, searchParams } = new URL(request.url);
    // What D1's client asks for when it passes the rows on as they are.
    const asObjects = searchParams.get('resultsFormat') === 'NONE';
    if (pathname === '/export') return new Response(streamOf(this.export()));
    const body = (await request.json()) as Query | Query[];
    try {
      if (pathname === '/import') return Response.json(this.import((body as Query).sql));
      // A batch is one transaction; so is a single statement, by itself.
      const room = { rows: MAX_RESULT_ROWS, bytes: MAX_RESULT_BYTES };
      const answer = Array.isArray(body)
        ? this.ctx.storage.transactionSync(() => body.map((query) => this.run(query, room, asObjects)))
        : this.run(body, room, asObjects);
      return Response.json(answer, { headers: { 'x-cf-d1-session-commit-token': String(Date.now()) } });
    } catch (error) {
      return Response.json({ success: false, error: messageOf(error) }, { status: 400 });
    }
  }

  /** Runs one statement; what it returns must fit into the room that is left. */
  private run({ sql, params = [] }: Query, room: { rows: number; bytes: number }, asObjects: boolean) {
    const statement = onlyStatement(sql);
    if (statement === undefined) throw new Error('Only one statement at a time is allowed: SQLITE_ERROR');
    const { sql: database } = this.ctx.storage;
    const startedAt = performance.now();
    const before = this.counters();
    const cursor = database.exec(withIntegers(statement, params), ...params.map(toSqlValue));
    const rows: unknown[][] = [];
    for (const row of cursor.raw()) {
      const values = row.map(fromSqlValue);
      rows.push(values);
      room.rows--;
      room.bytes -= sizeOf(values);
      if (room.rows < 0 || room.bytes < 0) {
        throw new Error('The result is too large. Ask for fewer rows with LIMIT: SQLITE_TOOBIG');
      }
    }
    const after = this.counters();
    return {
      success: true,
      results: asObjects ? toObjects(cursor.columnNames, rows) : { columns: cursor.columnNames, rows },
      meta: {
        duration: performance.now() - startedAt,
        changes: after.total - before.total,
        last_row_id: after.rowId,
        changed_db: cursor.rowsWritten > 0,
        size_after: database.databaseSize,
        rows_read: cursor.rowsRead,
        rows_written: cursor.rowsWritten,
      },
    };
  }

  /** Runs a script of many statements: all of it, or nothing. */
  private import(script: string) {
    const before = this.counters();
    const startedAt = performance.now();
    const cursor = this.ctx.storage.transactionSync(() => {
      const running = this.ctx.storage.sql.exec(script);
      for (const _ of running.raw()) break;
      return running;
    });
    const after = this.counters();
    return {
      success: true,
      results: { columns: [], rows: [] },
      meta: {
        duration: performance.now() - startedAt,
        changes: after.total - before.total,
        last_row_id: after.rowId,
        rows_read: cursor.rowsRead,
        rows_written: cursor.rowsWritten,
      },
    };
  }

  /** The database as a script: tables with their rows first, then what refers to them. */
  private *export(): Generator<string> {
    const { sql } = this.ctx.storage;
    yield 'PRAGMA defer_foreign_keys = true;\n';
    const schema = [
      ...sql
        .exec(
          "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY rowid",
        )
        .raw(),
    ] as Array<[type: string, name: string, sql: string]>;
    for (const [, name, create] of schema.filter(([type]) => type === 'table')) {
      yield `${create};\n`;
      const columns = [...sql.exec(`SELECT name FROM pragma_table_info(${literal(name)})`).raw()].map(
        ([column]) => identifier(String(column)),
      );
      const values = columns.map((column) => `quote(${column})`).join(" || ', ' || ");
      const into = `INSERT INTO ${identifier(name)} (${columns.join(', ')}) VALUES`;
      for (const [row] of sql.exec(`SELECT ${values} FROM ${identifier(name)}`).raw())
        yield `${into} (${row});\n`;
    }
    for (const [, , create] of schema.filter(([type]) => type !== 'table')) yield `${create};\n`;
  }

  private counters(): { total: number; rowId: number } {
    const [row] = this.ctx.storage.sql.exec('SELECT total_changes(), last_insert_rowid()').raw();
    return { total: Number(row?.[0]), rowId: Number(row?.[1]) };
  }
}

export default {
  fetch(request: Request, env: Environment): Response | Promise<Response> {
    if (request.headers.get('x-quire-key') !== env.KEY) return new Response(null, { status: 403 });
    const name = request.headers.get('x-quire-database');
    if (new URL(request.url).pathname === '/alive' || !name) return new Response('alive');
    if (request.method === 'DELETE') removed.add(name);
    else if (removed.has(name))
      return Response.json({ success: false, error: 'The database was removed.' }, { status: 410 });
    return env.DATABASES.get(env.DATABASES.idFromName(name)).fetch(request);
  },
};

/** Sends pieces of text as they are asked for. */
function streamOf(pieces: Iterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull(controller) {
      let text = '';
      while (text.length < 64 * 1024) {
        const { done, value } = pieces.next();
        if (done) {
          controller.enqueue(encoder.encode(text));
          controller.close();
          return;
        }
        text += value;
      }
      controller.enqueue(encoder.encode(text));
    },
  });
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** JSON has no bytes, so D1's client sends them as lists of numbers. */
function toSqlValue(value: unknown): SqlStorageValue {
  if (Array.isArray(value)) return new Uint8Array(value as number[]).buffer;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || typeof value === 'number' || typeof value === 'string') return value;
  throw new Error(
    'A parameter must be text, a number, true, false, null or a list of bytes: SQLITE_MISMATCH',
  );
}

function fromSqlValue(value: SqlStorageValue): unknown {
  return value instanceof ArrayBuffer ? Array.from(new Uint8Array(value)) : value;
}

function sizeOf(values: unknown[]): number {
  let size = 8 * values.length;
  for (const value of values) {
    if (typeof value === 'string') size += value.length;
    else if (Array.isArray(value)) size += 4 * value.length;
  }
  return size;
}

function toObjects(columns: string[], rows: unknown[][]): Array<Record<string, unknown>> {
  return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
}

function messageOf(error: unknown): string {
  if (error instanceof Error && error.message.includes('state.storage.transaction')) {
    return 'BEGIN, COMMIT and SAVEPOINT are not possible here; use batch, which is one transaction: SQLITE_ERROR';
  }
  return error instanceof Error ? error.message : String(error);
}
