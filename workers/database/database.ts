import { DATABASE_HEADERS, DATABASE_PATHS, type DatabaseLock, type Migration } from '../protocol.ts';
import { ONE_STATEMENT, toFailure } from './failures.ts';
import type { Counters, HostPolicy } from './host-policy.ts';
import { TableChanges } from './live/changes.ts';
import { WriteLock } from './lock.ts';
import { newBudget, type ResultBudget, readRows, respondWith } from './results.ts';
import { runLines } from './scripts/exec-lines.ts';
import { checkDeferred, exportScript } from './scripts/script.ts';
import { ScriptRunner } from './scripts/script-runner.ts';
import { readAllLines, readLines } from './scripts/statement-lines.ts';
import type { Mode, Query } from './statements/mode.ts';
import { isRead, prepare, sqlFor } from './statements/prepared.ts';
import { type RequestNote, TracedCalls } from './statements/traced-calls.ts';
import { parseTarget } from './target.ts';
import { toStream } from './text-stream.ts';
import { Transaction } from './transaction/transaction.ts';
import { toObjects, toSqlValue } from './values.ts';

/**
 * One SQLite database. It speaks the protocol of workerd's own D1 client, so `env.DB` in a function and the SQL endpoint
 * end at the same code. `local.ts` and `cluster.ts` make a Durable Object of it.
 */

/** What changes tables without their plans. */
const SCRIPT_PATHS: readonly string[] = [
  DATABASE_PATHS.import,
  DATABASE_PATHS.migrate,
  DATABASE_PATHS.importLines,
  DATABASE_PATHS.replaceLines,
];

/** Undoes a transaction that needs more bytes than are granted. */
class NeedsGrant extends Error {
  constructor(readonly bytes: number) {
    super('more bytes must be granted');
  }
}

export class SqlDatabase {
  readonly lock = new WriteLock();
  private readonly scripts: ScriptRunner;
  private readonly changes: TableChanges;
  private readonly traced = new TracedCalls();
  /** The counters, which reads need not ask for again. Undefined after something may have been written. */
  private counted: Counters | undefined;

  constructor(
    private readonly ctx: DurableObjectState,
    private readonly policy: HostPolicy,
  ) {
    this.changes = new TableChanges(ctx.storage.sql);
    this.scripts = new ScriptRunner({
      ...{ storage: ctx.storage, policy, lock: this.lock },
      counters: () => this.counters(),
      forgetCounters: () => this.forgetCounters(),
      write: (work) => this.write(work),
    });
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname } = parseTarget(request);
    try {
      return await this.answer(request);
    } finally {
      if (SCRIPT_PATHS.includes(pathname) || request.method === 'DELETE') this.changes.everythingChanged();
    }
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname, wantsObjects } = parseTarget(request);
    if (request.method === 'DELETE') return this.remove();
    switch (pathname) {
      case DATABASE_PATHS.export:
        return new Response(toStream(exportScript(this.ctx.storage.sql)));
      case DATABASE_PATHS.exportLines:
        return new Response(toStream(this.scripts.exportLines()));
      case DATABASE_PATHS.importLines:
        return this.scripts.importLines(readLines(request.body));
      case DATABASE_PATHS.replaceLines:
        return this.scripts.replaceLines(readAllLines(request.body));
      case DATABASE_PATHS.lock:
        return this.lockForCopy();
      case DATABASE_PATHS.unlock:
        return this.unlock(await request.json());
      case DATABASE_PATHS.fence:
        return this.untilIdle();
      case DATABASE_PATHS.watch:
        return this.changes.watch();
    }
    const body: unknown = await request.json();
    const note = this.traced.begin(request.headers);
    try {
      const result = await this.runBody(pathname, body, {
        ...this.toMode(request, note),
        asObjects: wantsObjects,
      });
      note?.end();
      return respondWith(result, request, this.policy);
    } catch (error) {
      note?.end(true);
      return toFailure(error);
    }
  }

  /**
   * Opens a transaction and responds when it is open; undefined if the host shuts down. `onEnd` is called when it is
   * over.
   */
  async openTransaction(request: Request, onEnd: () => void): Promise<Response | undefined> {
    const { lock, policy, ctx } = this;
    const note = this.traced.begin(request.headers, true);
    const token = await lock.lockIf(policy.assertHere, Number.POSITIVE_INFINITY).catch((error: unknown) => {
      onEnd();
      throw error;
    });
    const end = () => {
      this.forgetCounters();
      this.changes.undo();
      lock.unlock(token);
      note?.end();
      onEnd();
    };
    if (policy.isDraining()) return void end();
    // A response with another kind of stream hangs while the transaction is open.
    const { readable, writable } = new IdentityTransformStream();
    const mode = this.toMode(request, note);
    const transaction = new Transaction(ctx.storage, request.body, writable, {
      run: (pathname, body, asObjects) =>
        this.runQueries(pathname, body as Query | Query[], { ...mode, asObjects, isInside: true }),
      count: policy.countPending(),
      beforeCommit: () => this.finishTransaction(),
      afterUndo: () => this.forgetCounters(),
    });
    void transaction.run(end);
    return new Response(readable);
  }

  /** Charges what a transaction has added. Before that, its statements only check that it fits the quota. */
  private async finishTransaction(): Promise<void> {
    const { quota } = this.policy;
    checkDeferred(this.ctx.storage.sql);
    const { bytes } = this.counters();
    if (quota.granted === undefined || bytes > quota.granted) await quota.request(bytes);
    quota.record(bytes);
    // What runs again because of this waits for the end of the transaction.
    this.changes.commit();
  }

  private runBody(pathname: string, body: unknown, mode: Mode): Promise<unknown> {
    switch (pathname) {
      case DATABASE_PATHS.import:
        return this.scripts.import((body as Query).sql);
      case DATABASE_PATHS.takeReads:
        return Promise.resolve(this.changes.takeReads((body as { run: string }).run));
      case DATABASE_PATHS.takeTraced:
        return Promise.resolve(this.traced.take((body as { traceparent: string }).traceparent));
      case DATABASE_PATHS.migrate:
        return this.scripts.migrate((body as { migrations: Migration[] }).migrations);
      default:
        return this.run(pathname, body as Query | Query[], mode);
    }
  }

  /** Waits while a copy or a script has the database to itself. */
  untilUnlocked(): Promise<void> {
    return this.lock.untilUnlocked();
  }

  /** Must be called after anything else has written to the database. */
  forgetCounters(): void {
    this.counted = undefined;
  }

  private async remove(): Promise<Response> {
    if (this.scripts.isRunning) await this.untilUnlocked();
    this.policy.assertHere();
    await this.ctx.storage.deleteAll();
    this.forgetCounters();
    return Response.json({ file: this.ctx.id.toString() });
  }

  /** Waits for what has the database to itself: a transaction, or a script. */
  private async untilIdle(): Promise<Response> {
    this.lock.unlock(await this.lock.lockIf(this.policy.assertHere));
    return new Response();
  }

  /** Takes content as statements, if `mayBegin` when it is the turn of this. */
  takeOver(body: ReadableStream<Uint8Array> | null, mayBegin: () => boolean): Promise<Response> {
    return this.scripts.replaceLines(readAllLines(body), mayBegin);
  }

  /** Tells those who follow the database that it is elsewhere. */
  endWatches(): void {
    this.changes.end();
  }

  private async lockForCopy(): Promise<Response> {
    const token = await this.lock.lockIf(this.policy.assertHere);
    // Everything written before is on disk when this response leaves.
    const body: DatabaseLock = { file: this.ctx.id.toString(), token };
    return Response.json(body);
  }

  private unlock(body: unknown): Response {
    return Response.json({ wasLocked: this.lock.unlock((body as { token: string }).token) });
  }

  /** Runs a query, a batch of them, or `exec`, whose script the D1 client has cut into lines. */
  private async run(pathname: string, body: Query | Query[], mode: Mode) {
    if (this.scripts.isRunning) await this.untilUnlocked();
    this.policy.assertHere();
    return this.runQueries(pathname, body, mode);
  }

  private async runQueries(pathname: string, body: Query | Query[], mode: Mode) {
    if (!Array.isArray(body)) {
      return isRead(body.sql)
        ? this.runOne(body, newBudget(), mode)
        : this.write(() => this.runOne(body, newBudget(), mode), mode.isInside);
    }
    if (pathname !== DATABASE_PATHS.execute) return this.runAll(body, mode);
    return runLines(
      body.map(({ sql }) => sql),
      (queries) => this.runAll(queries, mode),
    );
  }

  private runAll(queries: Query[], mode: Mode) {
    if (queries.length === 0) throw new Error('No SQL statements detected.');
    return this.write(() => {
      const budget = newBudget();
      return queries.map((query) => this.runOne(query, budget, mode));
    }, mode.isInside);
  }

  /**
   * Runs what may write as one transaction. It runs again when it needs more bytes and they are granted. Inside a
   * transaction that a function has opened, the whole is charged at its end.
   */
  private async write<T>(work: () => T, isInside = false): Promise<T> {
    const { storage } = this.ctx;
    const { quota } = this.policy;
    if (quota.granted === undefined) await quota.request(storage.sql.databaseSize);
    for (;;) {
      if (!isInside) {
        await this.untilUnlocked();
        this.policy.assertHere();
      }
      try {
        const written = storage.transactionSync(() => {
          const result = work();
          const { bytes } = this.counters();
          if (bytes > (quota.granted ?? 0)) throw new NeedsGrant(bytes);
          if (!isInside) quota.record(bytes);
          return result;
        });
        if (!isInside) this.changes.commit();
        return written;
      } catch (error) {
        // The writes that were counted are undone.
        this.forgetCounters();
        if (!isInside) this.changes.undo();
        if (!(error instanceof NeedsGrant)) throw error;
        await quota.request(error.bytes);
      }
    }
  }

  /** Runs one statement. Its result must fit into what is left of the budget. */
  private runOne({ sql, params = [] }: Query, budget: ResultBudget, { asObjects, run, note }: Mode) {
    const prepared = prepare(sql);
    if (prepared.statement === undefined) throw new Error(ONE_STATEMENT);
    const startedAt = performance.now();
    const before = this.counters();
    this.policy.beforeStatement();
    if (!prepared.isRead) this.forgetCounters();
    const isFollowed = this.changes.isWatched && (run !== null || !prepared.isRead);
    const use = isFollowed ? this.changes.find(prepared.statement, params.length) : undefined;
    const values = params.map(toSqlValue);
    const cursor = this.ctx.storage.sql.exec(sqlFor(prepared, prepared.statement, params), ...values);
    const { columnNames } = cursor;
    const rows = readRows(cursor, columnNames, budget);
    const { rowsRead, rowsWritten } = cursor;
    // A pragma that is read like a table may write.
    if (rowsWritten > 0) this.forgetCounters();
    if (use) this.changes.note(use, rowsWritten, run);
    note?.statement(prepared.statement, startedAt, { rowsRead, rowsWritten });
    const after = this.counters();
    return {
      success: true,
      results: asObjects ? toObjects(columnNames, rows) : { columns: columnNames, rows },
      meta: {
        served_by: 'quire',
        duration: performance.now() - startedAt,
        changes: after.changes - before.changes,
        last_row_id: after.lastRowId,
        // Dropping a table writes no rows.
        changed_db: rowsWritten > 0 || after.bytes !== before.bytes,
        size_after: after.bytes,
        rows_read: rowsRead,
        rows_written: rowsWritten,
      },
    };
  }

  private toMode({ headers }: Request, note: RequestNote | null): Mode {
    const run = this.changes.isWatched ? headers.get(DATABASE_HEADERS.run) : null;
    return { asObjects: false, isInside: false, run, note };
  }

  private counters(): Counters {
    if (this.counted) return this.counted;
    const { sql } = this.ctx.storage;
    const [row] = sql.exec('SELECT total_changes(), last_insert_rowid()').raw();
    this.counted = { changes: Number(row?.[0]), lastRowId: Number(row?.[1]), bytes: sql.databaseSize };
    return this.counted;
  }
}
