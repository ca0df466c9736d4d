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
import { AppError } from '../http/index.ts';

const MAX_WAITING = 200;

/** What goes to the thread and comes back. */
export interface ReadRequest {
  id: number;
  text: string;
  parameters: readonly unknown[];
}
export type ReadReply =
  | { id: number; rows: unknown[] }
  | { id: number; error: { message: string; code: string } };

/**
 * Reads from the SQLite file in a thread of its own. SQLite works in the thread that asks, so a query that has to look
 * at a million rows would stop everybody else's requests. The thread begins with the first such query.
 */
export function sqliteReaderDialect(path: string): Dialect {
  return {
    createDriver: () => new ReaderDriver(path),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

class ReaderDriver implements Driver {
  private worker: Worker | undefined;
  private nextId = 1;
  private readonly waiting = new Map<
    number,
    { resolve(rows: unknown[]): void; reject(error: unknown): void }
  >();

  constructor(private readonly path: string) {}

  async init() {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return {
      executeQuery: async <R>(query: CompiledQuery): Promise<QueryResult<R>> => ({
        rows: (await this.read(query)) as R[],
      }),
      async *streamQuery() {
        yield Promise.reject(new Error('the reading thread gives whole results only'));
      },
    };
  }

  private read(query: CompiledQuery): Promise<unknown[]> {
    if (this.waiting.size >= MAX_WAITING) {
      throw new AppError('UNAVAILABLE', 'Too many large queries at once. Try again in a moment.', {
        headers: { 'retry-after': '2' },
      });
    }
    this.worker ??= this.start();
    const id = this.nextId++;
    const request: ReadRequest = { id, text: query.sql, parameters: query.parameters };
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker?.postMessage(request);
    });
  }

  private start(): Worker {
    const url = new URL('./sqlite-reader.worker.ts', import.meta.url);
    const worker = new Worker(url, { argv: [this.path] });
    worker.onmessage = ({ data }: MessageEvent<ReadReply>) => {
      const asked = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if ('rows' in data) asked?.resolve(data.rows);
      else asked?.reject(Object.assign(new Error(data.error.message), { code: data.error.code }));
    };
    worker.onerror = (event) => {
      this.worker = undefined;
      for (const { reject } of this.waiting.values()) reject(new Error(event.message));
      this.waiting.clear();
    };
    worker.unref();
    return worker;
  }

  async beginTransaction() {
    throw new Error('the reading thread only reads');
  }

  async commitTransaction() {}

  async rollbackTransaction() {}

  async releaseConnection() {}

  async destroy() {
    this.worker?.terminate();
  }
}
