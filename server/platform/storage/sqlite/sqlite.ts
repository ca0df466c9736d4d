import { Database } from 'bun:sqlite';
import {
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteStatement,
} from 'kysely';
import { announcesCommits } from '../after-commit.ts';
import type { DirectAdapter } from '../statement.ts';
import type { Watch } from '../watch.ts';

/** Kysely's own SQLite dialect over Bun's SQLite. One connection; Kysely queues transactions on it. */
export function sqliteDialect(path: string, watch: Watch, isReplicated = false): Dialect {
  const database = new Database(path, { create: true, strict: true });
  database.run('pragma journal_mode = wal');
  database.run('pragma synchronous = full');
  database.run('pragma foreign_keys = on');
  database.run('pragma busy_timeout = 5000');
  if (isReplicated) keepLog(database);
  const prepareOnce = createPrepare(database, watch);
  const opened = {
    close: () => database.close(),
    prepare(text: string) {
      // A transaction that begins by reading and then writes can be refused when another process wrote in between
      // (https://sqlite.org/isolation.html), so every transaction takes the write lock at its start.
      // A full disk makes SQLite roll back on its own: https://sqlite.org/lang_transaction.html
      if (text === 'rollback' && !database.inTransaction) return NOTHING;
      return prepareOnce(text === 'begin' ? 'begin immediate' : text);
    },
  };
  return new DirectSqliteDialect(opened, new DirectSqliteAdapter(database, prepareOnce));
}

/** The log stays until the replica has it, which also decides when it starts over. */
function keepLog(database: Database): void {
  database.run('pragma wal_autocheckpoint = 0');
  database.run(`pragma journal_size_limit = ${MAX_EMPTY_LOG_BYTES}`);
}

/** A log that starts over becomes a file of this size, even if it had to be larger for a while. */
const MAX_EMPTY_LOG_BYTES = 64 * 1024 ** 2;

/** Bun caches only twenty statements; hot paths use more. Long statements are rarely repeated and costly to keep. */
const MAX_REMEMBERED = 500;
const MAX_REMEMBERED_LETTERS = 4_000;

function createPrepare(database: Database, watch: Watch): (text: string) => SqliteStatement {
  const remembered = new Map<string, SqliteStatement>();
  const watched = <Result>(run: () => Result): Result => {
    try {
      return run();
    } catch (error) {
      watch.noteFailure(error);
      throw error;
    }
  };
  return (text) => {
    const known = remembered.get(text);
    if (known) return known;
    const statement = database.prepare(text);
    const made: SqliteStatement = {
      reader: statement.columnNames.length > 0,
      all: (parameters) => watched(() => statement.all(...(parameters as []))),
      run: (parameters) => watched(() => statement.run(...(parameters as []))),
      iterate: (parameters) => statement.iterate(...(parameters as [])) as IterableIterator<unknown>,
    };
    if (text.length > MAX_REMEMBERED_LETTERS) return made;
    const [oldest] = remembered.keys();
    if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    remembered.set(text, made);
    return made;
  };
}

const NOTHING = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
};

class DirectSqliteDialect extends SqliteDialect {
  constructor(
    database: SqliteDatabase,
    private readonly adapter: DirectSqliteAdapter,
  ) {
    super({ database });
  }

  override createAdapter() {
    return this.adapter;
  }

  override createDriver() {
    return announcesCommits(super.createDriver());
  }
}

class DirectSqliteAdapter extends SqliteAdapter implements DirectAdapter {
  constructor(
    private readonly database: Database,
    private readonly prepare: (text: string) => SqliteStatement,
  ) {
    super();
  }

  /**
   * SQLite rolls back schema changes like any others. Kysely's adapter does not say so, and an interrupted migration
   * would leave half its tables behind.
   */
  override get supportsTransactionalDdl() {
    return true;
  }

  /**
   * A query through Kysely waits in a queue for the only connection, which costs more than most queries. But nobody
   * else uses the connection while this thread runs, so the queue is only needed while a transaction is open: others
   * must not see what it has written.
   */
  runDirectly(
    text: string,
    parameters: unknown[],
    isInTransaction: boolean,
  ): QueryResult<unknown> | undefined {
    if (this.database.inTransaction !== isInTransaction) return undefined;
    const statement = this.prepare(text);
    if (statement.reader) return { rows: statement.all(parameters) };
    const { changes } = statement.run(parameters);
    return { numAffectedRows: BigInt(changes), rows: [] };
  }
}
