/** The little of workerd's own types that our workers use. */
declare module 'cloudflare:workers' {
  export class DurableObject<Environment = unknown> {
    protected ctx: DurableObjectState;
    protected env: Environment;
    fetch(request: Request): Response | Promise<Response>;
  }
}

type SqlStorageValue = ArrayBuffer | string | number | null;

interface SqlStorageCursor {
  columnNames: string[];
  rowsRead: number;
  rowsWritten: number;
  raw(): IterableIterator<SqlStorageValue[]>;
}

interface DurableObjectState {
  id: { toString(): string };
  storage: {
    sql: { databaseSize: number; exec(sql: string, ...params: SqlStorageValue[]): SqlStorageCursor };
    transactionSync<T>(work: () => T): T;
    transaction<T>(work: () => Promise<T>): Promise<T>;
    /** Resolves when everything written so far is durable. */
    sync(): Promise<void>;
    deleteAll(): Promise<void>;
    get<T>(key: string): Promise<T | undefined>;
    put(key: string, value: unknown): Promise<void>;
  };
}

interface DurableObjectNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}
