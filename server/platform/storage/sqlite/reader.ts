import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { AppError } from '../../../lib/errors.ts';
import { helperCommand } from '../../../lib/modules.ts';

const MAX_READERS = 2;
const MAX_WAITING = 200;
const MAX_READ_MS = 5_000;
const IDLE_MS = 60_000;

/** A query for a reader process. */
export interface ReadRequest {
  text: string;
  parameters: readonly unknown[];
}
export type ReadReply = { rows: unknown[] } | { error: { message: string; code: string } };

/**
 * Reads from the SQLite file in separate processes. SQLite runs on the calling thread and cannot be interrupted, so a
 * query that scans every record would block all requests. A process can be killed when its time is up. Readers start
 * with the first such query, and stop after a while without any.
 */
export function sqliteReaderDialect(path: string): Dialect {
  return {
    createDriver: () => new ReaderDriver(path),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

interface Job {
  request: ReadRequest;
  resolve(rows: unknown[]): void;
  reject(error: unknown): void;
}

interface Reader {
  process: Bun.Subprocess;
  job: Job | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
}

class ReaderDriver implements Driver {
  private readonly readers = new Set<Reader>();
  private readonly waiting: Job[] = [];
  private isStopping = false;

  constructor(private readonly path: string) {}

  async init() {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return {
      executeQuery: async <R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> => ({
        rows: (await this.read({ text, parameters })) as R[],
      }),
      async *streamQuery() {
        yield Promise.reject(new Error('a reader gives whole results only'));
      },
    };
  }

  private read(request: ReadRequest): Promise<unknown[]> {
    if (this.waiting.length >= MAX_WAITING) throw busy();
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      this.dispatch();
    });
  }

  private dispatch(): void {
    while (this.waiting.length > 0 && !this.isStopping) {
      const free = [...this.readers].find(({ job }) => job === undefined);
      if (!free && this.readers.size >= MAX_READERS) return;
      const reader = free ?? this.start();
      const job = this.waiting.shift();
      if (!job) return;
      reader.job = job;
      clearTimeout(reader.timer);
      reader.timer = setTimeout(() => this.end(reader, tooSlow()), MAX_READ_MS);
      reader.process.send(job.request);
    }
  }

  private start(): Reader {
    const command = helperCommand(new URL('./reader.process.ts', import.meta.url));
    const reader: Reader = {
      process: Bun.spawn([...endWithParent(), ...command, this.path], {
        stdio: ['ignore', 'ignore', 'inherit'],
        serialization: 'advanced',
        ipc: (reply: ReadReply) => this.take(reader, reply),
        onExit: () => this.end(reader, new Error('a reader of the database has ended')),
      }),
      job: undefined,
      timer: undefined,
    };
    reader.process.unref();
    this.readers.add(reader);
    return reader;
  }

  private take(reader: Reader, reply: ReadReply): void {
    const { job } = reader;
    reader.job = undefined;
    clearTimeout(reader.timer);
    reader.timer = setTimeout(() => this.end(reader), IDLE_MS);
    reader.timer.unref();
    if ('rows' in reply) job?.resolve(reply.rows);
    else job?.reject(Object.assign(new Error(reply.error.message), { code: reply.error.code }));
    this.dispatch();
  }

  private end(reader: Reader, why?: Error): void {
    if (!this.readers.delete(reader)) return;
    clearTimeout(reader.timer);
    reader.process.kill('SIGKILL');
    reader.job?.reject(why);
    this.dispatch();
  }

  async beginTransaction() {
    throw new Error('readers only read');
  }

  async commitTransaction() {}

  async rollbackTransaction() {}

  async releaseConnection() {}

  async destroy() {
    this.isStopping = true;
    for (const job of this.waiting.splice(0)) job.reject(busy());
    const ending = [...this.readers];
    for (const reader of ending) this.end(reader, busy());
    await Promise.all(ending.map(({ process }) => process.exited));
  }
}

function busy(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'Too many large queries at once. Try again in a moment.',
    {},
    {
      headers: { 'retry-after': '2' },
    },
  );
}

/** An error with the code that SQLite has for a query that was interrupted. */
function tooSlow(): Error {
  return Object.assign(new Error(`a query took longer than ${MAX_READ_MS} ms`), { code: 'SQLITE_INTERRUPT' });
}

/** Kills a reader if this process is killed. */
function endWithParent(): string[] {
  return Bun.which('setpriv') ? ['setpriv', '--pdeathsig=KILL', '--'] : [];
}
