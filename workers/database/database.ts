/// <reference path="../workerd.d.ts" />
import { DurableObject } from 'cloudflare:workers';
import { onlyStatement, statements, withIntegers } from '../../contract/sql-statements.ts';
import { isFull, toFailure } from './failures.ts';
import { mayAsk } from './keys.ts';
import { createRoom, type Room } from './quota.ts';
import { exportScript, importPieces, importScript, type PieceHooks, type ScriptTotal } from './script.ts';
import { linesOf, toLine } from './statement-lines.ts';
import { fromSqlValue, sizeOf, toObjects, toSqlValue } from './values.ts';

/**
 * Runs in workerd, as a program of ours: one Durable Object per database. It speaks what workerd's own D1 client
 * speaks, so that `env.DB` in a function and the SQL endpoint end at the same code.
 */

export interface Query {
  sql: string;
  params?: unknown[];
}

interface Environment {
  DATABASES: DurableObjectNamespace;
  KEY: string;
  /** What the owner's databases may take up together, and what each does on disk. */
  LIMIT: string;
  SIZES: string;
}

/** An answer larger than this, to one statement or to a batch, is refused: it would have to be held in memory several times. */
const MAX_RESULT_ROWS = 100_000;
const MAX_RESULT_BYTES = 32 * 1024 * 1024;

/** Writers wait for a copy of the database for this long; then the copy is not one. */
const HOLD_MS = 20_000;
/** Where it is read over the network, it is held while somebody reads, for no longer than this. */
const LONGEST_HOLD_MS = 120_000;

/** Databases that were removed: a function that is still finishing a call must not bring one back. */
const removed = new Set<string>();
/** One for all databases, which are of one owner. */
let room: Room | undefined;

export class Database<Env = Environment> extends DurableObject<Env> {
  /** While it is copied, nobody writes. */
  private held: { token: string; until: number } | undefined;
  /** While a script runs piece by piece, what it has done so far is for nobody to see. */
  private isImporting = false;

  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const id = this.ctx.id.toString();
    if (request.method === 'DELETE') {
      if (this.isImporting) await this.untilFree();
      await this.ctx.storage.deleteAll();
      room?.remove(id);
      return Response.json({ file: id });
    }
    if (pathname === '/export') return new Response(streamOf(exportScript(this.ctx.storage.sql)));
    if (pathname === '/export-lines') return new Response(streamOf(this.exportLines()));
    if (pathname === '/import-lines') return this.importLines(request);
    if (pathname === '/hold') return Response.json(await this.hold());
    const body = await request.json();
    if (pathname === '/release') return Response.json({ isHeld: this.release(body) });
    try {
      if (pathname === '/import') {
        await this.untilFree();
        return this.reply(await this.import((body as Query).sql));
      }
      // What D1's client asks for when it passes the rows on as they are.
      const asObjects = searchParams.get('resultsFormat') === 'NONE';
      const answer = await this.answer(pathname, body as Query | Query[], asObjects);
      return this.reply(answer);
    } catch (error) {
      return toFailure(error);
    }
  }

  private reply(answer: unknown): Response {
    const headers = {
      'x-cf-d1-session-commit-token': String(Date.now()),
      'x-quire-bytes': String(room?.total()),
    };
    return Response.json(answer, { headers });
  }

  /** Answers a query, a batch of them, or `exec`, whose script D1's client has cut into lines. */
  private async answer(pathname: string, body: Query | Query[], asObjects: boolean) {
    if (this.isImporting) await this.untilFree();
    if (!Array.isArray(body) && isRead(body.sql)) return this.run(body, emptyResult(), asObjects);
    const isScript = Array.isArray(body) && pathname === '/execute';
    const queries = isScript ? toQueries(body.map(({ sql }) => sql).join('\n')) : body;
    if (Array.isArray(queries) && queries.length === 0) throw new Error('No SQL statements detected.');
    await this.untilFree();
    return this.write(() => {
      const left = emptyResult();
      return Array.isArray(queries)
        ? queries.map((query) => this.run(query, left, asObjects))
        : this.run(queries, left, asObjects);
    });
  }

  /** Runs what may write as one transaction, which fails when the owner has no room for what it adds. */
  protected write<T>(work: () => T): T | Promise<T> {
    const { storage } = this.ctx;
    return storage.transactionSync(() => {
      const result = work();
      this.checkRoom(storage.sql.databaseSize);
      return result;
    });
  }

  /** Throws when the database has grown and there is no room for that. */
  protected checkRoom(bytes: number): void | Promise<void> {
    room?.check(this.ctx.id.toString(), bytes);
  }

  /** The whole database, a statement a line; whoever reads it holds the database, and goes on doing so while it reads. */
  private *exportLines(): Generator<string> {
    const lastAt = Date.now() + LONGEST_HOLD_MS;
    for (const statement of exportScript(this.ctx.storage.sql)) {
      if (this.held) this.held.until = Math.min(lastAt, Date.now() + HOLD_MS);
      yield toLine(statement);
    }
  }

  /** Runs statements, one a line, while they come: all of them, or nothing. */
  private async importLines(request: Request): Promise<Response> {
    try {
      // References are not looked at: those that cannot be followed were in the database it comes from, too.
      await this.runPieces(linesOf(request.body), () => undefined);
      return Response.json({ success: true, bytes: this.ctx.storage.sql.databaseSize });
    } catch (error) {
      return toFailure(error);
    }
  }

  /** Runs statements as one transaction that takes its time; nobody else reads or writes meanwhile. */
  protected async runPieces(
    pieces: AsyncIterable<Iterable<string>>,
    end: PieceHooks['end'],
  ): Promise<ScriptTotal> {
    await this.untilFree();
    const { storage } = this.ctx;
    this.held = { token: crypto.randomUUID(), until: Number.POSITIVE_INFINITY };
    this.isImporting = true;
    try {
      return await storage.transaction(() =>
        importPieces(storage.sql, pieces, {
          beforePiece: () => this.beforeRun(),
          afterPiece: () => this.checkRoom(storage.sql.databaseSize),
          end,
        }),
      );
    } finally {
      this.isImporting = false;
      this.held = undefined;
    }
  }

  /** Runs a script: all of it, or nothing. */
  protected runScript(script: string): ScriptTotal | Promise<ScriptTotal> {
    return this.write(() => importScript(this.ctx.storage.sql, script));
  }

  /** Lets nobody write until it is released, or has been held for too long. */
  private async hold(): Promise<{ file: string; token: string }> {
    await this.untilFree();
    this.held = { token: crypto.randomUUID(), until: Date.now() + HOLD_MS };
    // Whatever was written before is on disk when this answer leaves.
    return { file: this.ctx.id.toString(), token: this.held.token };
  }

  /** False when somebody may have written since: it was held for too long, or by a process that has ended. */
  private release(body: unknown): boolean {
    const isHeld = this.held?.token === (body as { token?: string }).token;
    if (isHeld) this.held = undefined;
    return isHeld;
  }

  protected async untilFree(): Promise<void> {
    while (this.held) {
      if (Date.now() > this.held.until) this.held = undefined;
      else await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Called before something is run that may take long. */
  protected beforeRun(): void {}

  /** Runs one statement; what it returns must fit into the room that is left. */
  private run({ sql, params = [] }: Query, room: { rows: number; bytes: number }, asObjects: boolean) {
    const statement = onlyStatement(sql);
    if (statement === undefined) throw new Error('Only one statement at a time is allowed: SQLITE_ERROR');
    const { sql: database } = this.ctx.storage;
    const startedAt = performance.now();
    const before = this.counters();
    this.beforeRun();
    const cursor = database.exec(withIntegers(statement, params), ...params.map(toSqlValue));
    const rows: unknown[][] = [];
    // Every row is sent with the names of its columns, and a name is as long as a statement can make it.
    const namesSize = JSON.stringify(cursor.columnNames).length;
    for (const row of cursor.raw()) {
      const values = row.map(fromSqlValue);
      rows.push(values);
      room.rows--;
      room.bytes -= namesSize + sizeOf(values);
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
  private async import(script: string) {
    const before = this.counters();
    const startedAt = performance.now();
    const { rowsRead, rowsWritten } = await this.runScript(script);
    const after = this.counters();
    return {
      success: true,
      results: { columns: [], rows: [] },
      meta: {
        duration: performance.now() - startedAt,
        changes: after.total - before.total,
        last_row_id: after.rowId,
        rows_read: rowsRead,
        rows_written: rowsWritten,
      },
    };
  }

  private counters(): { total: number; rowId: number } {
    const [row] = this.ctx.storage.sql.exec('SELECT total_changes(), last_insert_rowid()').raw();
    return { total: Number(row?.[0]), rowId: Number(row?.[1]) };
  }
}

export default {
  async fetch(request: Request, env: Environment): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (!(await mayAsk(request, pathname, env.KEY))) return new Response(null, { status: 403 });
    room ??= createRoom(Number(env.LIMIT), env.SIZES);
    const name = request.headers.get('x-quire-database');
    // The server's own question: what cells send has the name of their database put in.
    if (name === null) {
      const limit = request.headers.get('x-quire-limit');
      if (limit !== null) room.setLimit(Number(limit));
      return Response.json({ bytes: room.total() });
    }
    if (request.method === 'DELETE') removed.add(name);
    else if (removed.has(name))
      return Response.json({ success: false, error: 'The database was removed.' }, { status: 410 });
    try {
      return await env.DATABASES.get(env.DATABASES.idFromName(name)).fetch(request);
    } catch (error) {
      // A write that finds no space ends the object, and with it the answer that explains it.
      if (isFull(error)) return toFailure(error);
      throw error;
    }
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

function toQueries(script: string): Query[] {
  return [...statements(script)].map((sql) => ({ sql }));
}

/** What is left for an answer before there is anything in it. */
function emptyResult(): { rows: number; bytes: number } {
  return { rows: MAX_RESULT_ROWS, bytes: MAX_RESULT_BYTES };
}

/** True when it certainly writes nothing. */
export function isRead(sql: unknown): boolean {
  return typeof sql === 'string' && /^\s*SELECT\b/i.test(sql);
}
