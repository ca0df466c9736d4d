import type { Migration } from '../../protocol.ts';
import { toFailure } from '../failures.ts';
import type { Counters, HostPolicy } from '../host-policy.ts';
import type { WriteLock } from '../lock.ts';
import { applyMigrations } from './migrations.ts';
import {
  checkReferences,
  dropAll,
  exportScript,
  importPieces,
  importScript,
  type ScriptStatement,
  type ScriptTotal,
  splitScript,
} from './script.ts';
import { toLine } from './statement-lines.ts';

interface Scripted {
  storage: DurableObjectStorage;
  policy: HostPolicy;
  lock: WriteLock;
  counters(): Counters;
  /** Must be called after anything has written to the database. */
  forgetCounters(): void;
  /** Runs what may write as one transaction. */
  write<T>(work: () => T): Promise<T>;
}

/** Runs scripts of many statements on one database: all of a script, or nothing. */
export class ScriptRunner {
  /** While a script runs in pieces, no other request may see its partial result. */
  isRunning = false;

  constructor(private readonly database: Scripted) {}

  /** The whole database, one statement a line. The lock is kept while it is read. */
  *exportLines(): Generator<string> {
    const extendLock = this.database.lock.extender();
    for (const statement of exportScript(this.database.storage.sql)) {
      extendLock();
      yield toLine(statement);
    }
  }

  /** Runs statements as they arrive. */
  async importLines(lines: AsyncIterable<string[]>): Promise<Response> {
    const { sql } = this.database.storage;
    try {
      // References are not checked: the database that this comes from had the broken ones too.
      await this.runPieces(lines, () => undefined);
      return Response.json({ success: true, bytes: sql.databaseSize });
    } catch (error) {
      return toFailure(error);
    }
  }

  /** Removes everything, and runs statements as they arrive, if `mayBegin` when it is their turn. */
  replaceLines(lines: AsyncIterable<string[]>, mayBegin: () => boolean = () => true): Promise<Response> {
    const { sql } = this.database.storage;
    async function* replacing() {
      if (!mayBegin()) throw new Error('something else has replaced the database');
      dropAll(sql);
      yield* lines;
      // Forgets the references that were broken when tables were removed.
      sql.exec('PRAGMA defer_foreign_keys = false');
    }
    return this.importLines(replacing());
  }

  async import(script: string) {
    const { database } = this;
    await database.lock.untilUnlocked();
    const before = database.counters();
    const startedAt = performance.now();
    const { rowsRead, rowsWritten } = database.policy.runsScriptsInPieces
      ? await this.runPieces(splitScript(script), checkReferences)
      : await database.write(() => {
          database.forgetCounters();
          return importScript(database.storage.sql, script);
        });
    const after = database.counters();
    return {
      success: true,
      results: { columns: [], rows: [] },
      meta: {
        duration: performance.now() - startedAt,
        changes: after.changes - before.changes,
        last_row_id: after.lastRowId,
        rows_read: rowsRead,
        rows_written: rowsWritten,
      },
    };
  }

  /** Applies the migrations that the database does not have yet: all of them, or none. */
  async migrate(migrations: Migration[]): Promise<{ success: true; applied: string[] }> {
    const { database } = this;
    const { policy, storage } = database;
    await database.lock.untilUnlocked();
    const start = () => applyMigrations(storage.sql, migrations);
    if (!policy.runsScriptsInPieces) {
      const applied = await database.write(() => {
        database.forgetCounters();
        return finish(start());
      });
      return { success: true, applied };
    }
    const applied = await this.runAlone(async () => {
      for (const pieces = start(); ; ) {
        policy.beforeStatement();
        const { done, value } = pieces.next();
        await this.chargePiece();
        if (done) return value;
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    });
    return { success: true, applied };
  }

  private runPieces(
    pieces: AsyncIterable<Iterable<ScriptStatement>>,
    end: (sql: SqlStorage) => void,
  ): Promise<ScriptTotal> {
    const { storage, policy } = this.database;
    return this.runAlone(() =>
      importPieces(storage.sql, pieces, {
        beforePiece: () => policy.beforeStatement(),
        afterPiece: () => this.chargePiece(),
        end,
      }),
    );
  }

  /** Does something in one long transaction. No other request reads or writes meanwhile. */
  private async runAlone<T>(work: () => Promise<T>): Promise<T> {
    const { storage, policy, lock, forgetCounters } = this.database;
    const token = await lock.lock(Number.POSITIVE_INFINITY);
    this.isRunning = true;
    try {
      policy.assertHere();
      return await storage.transaction(work);
    } finally {
      forgetCounters();
      this.isRunning = false;
      lock.unlock(token);
    }
  }

  /** Charges what a script has added so far. */
  private async chargePiece(): Promise<void> {
    const { policy, storage } = this.database;
    const bytes = storage.sql.databaseSize;
    if (bytes > (policy.quota.granted ?? 0)) await policy.quota.request(bytes);
    policy.quota.record(bytes);
  }
}

/** Runs all pieces at once. */
function finish<T>(pieces: Generator<void, T>): T {
  for (;;) {
    const { done, value } = pieces.next();
    if (done) return value;
  }
}
