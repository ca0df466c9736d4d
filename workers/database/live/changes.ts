import { ALL_TABLES as ALL, formatRun, hasId, type LiveChanges, parseRun } from '../../protocol.ts';
import { TablePlans, type TableUse } from './plans.ts';

/** Runs of live calls whose tables are remembered until the server asks, and tables of each. */
const MAX_RUNS = 2_000;
const MAX_TABLES = 100;
/** A reader who gets nothing for longer takes the connection for dead. */
const KEEP_ALIVE_MS = 5_000;

/** Tells servers that have live calls which tables are written, and which tables a run has read. */
export class TableChanges {
  readonly #plans: TablePlans;
  readonly #watchers = new Set<Watcher>();
  readonly #reads = new Map<string, Set<string>>();
  /** What was written and is not committed. */
  readonly #pending = new Map<string, string | null>();

  constructor(sql: SqlStorage) {
    this.#plans = new TablePlans(sql);
  }

  /** Without a watcher, nothing has to be found out. */
  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** Sends what changes from now on, as lines, until the reader leaves. */
  watch(): Response {
    // While nobody watched, the schema may have changed.
    if (!this.isWatched) this.#plans.forget();
    const { readable, writable } = new IdentityTransformStream();
    const watcher = new Watcher(writable, () => {
      this.#watchers.delete(watcher);
      if (!this.isWatched) this.#reads.clear();
    });
    this.#watchers.add(watcher);
    return new Response(readable);
  }

  /** The tables that a run has read, which are then forgotten. */
  takeReads(run: string): string[] {
    const reads = this.#reads.get(run);
    this.#reads.delete(run);
    return [...(reads ?? [])];
  }

  /** Finds the tables of a statement. Call it before the statement runs: afterwards a table may not exist. */
  find(statement: string, parameters: number): TableUse {
    return this.#plans.find(statement, parameters);
  }

  /** Notes what a statement has done. */
  note({ reads, writes }: TableUse, rowsWritten: number, run: string | null): void {
    if (run !== null && hasId(run)) this.#noteReads(run, reads);
    const isSchema = writes.has(ALL);
    if (isSchema) this.#plans.forget();
    if (rowsWritten === 0 && !isSchema) return;
    for (const table of writes) add(this.#pending, table, run);
  }

  /** Tells the watchers what was written since the last commit. */
  commit(): void {
    if (this.#pending.size === 0) return;
    for (const watcher of this.#watchers) watcher.send(this.#pending);
    this.#pending.clear();
  }

  undo(): void {
    // Plans may be those of a schema that no longer is.
    if (this.#pending.has(ALL)) this.#plans.forget();
    this.#pending.clear();
  }

  /** Something else than a statement may have changed everything. */
  everythingChanged(): void {
    this.#plans.forget();
    for (const watcher of this.#watchers) watcher.send(new Map([[ALL, null]]));
  }

  /** Ends what the watchers read: the database is elsewhere. */
  end(): void {
    for (const watcher of this.#watchers) watcher.end();
  }

  #noteReads(run: string, tables: ReadonlySet<string>): void {
    const known = this.#reads.get(run) ?? new Set();
    if (!this.#reads.has(run)) {
      for (const oldest of this.#reads.keys()) {
        if (this.#reads.size < MAX_RUNS) break;
        this.#reads.delete(oldest);
      }
      this.#reads.set(run, known);
    }
    for (const table of tables) known.add(known.size < MAX_TABLES ? table : ALL);
  }
}

/** Adds that a run, or something else, has written a table. */
function add(changes: Map<string, string | null>, name: string, run: string | null): void {
  const table = changes.size < MAX_TABLES ? name : ALL;
  const before = changes.get(table);
  if (before === undefined || before === run) changes.set(table, run);
  else if (before === null || run === null) changes.set(table, null);
  // Several runs: the one after the fewest rounds counts, without its name.
  else changes.set(table, formatRun(Math.min(parseRun(before), parseRun(run))));
}

/** One connection to a server. What it cannot take at once becomes one line. */
class Watcher {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #waiting = new Map<string, string | null>();
  readonly #timer: ReturnType<typeof setInterval>;
  #isWriting = false;

  constructor(
    writable: WritableStream<Uint8Array>,
    private readonly onEnd: () => void,
  ) {
    this.#writer = writable.getWriter();
    this.#timer = setInterval(() => void this.#write(), KEEP_ALIVE_MS);
    void this.#write();
  }

  send(changes: ReadonlyMap<string, string | null>): void {
    for (const [table, run] of changes) add(this.#waiting, table, run);
    void this.#write();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#writer.close().catch(() => undefined);
    this.onEnd();
  }

  async #write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      do {
        const changes: LiveChanges = Object.fromEntries(this.#waiting);
        this.#waiting.clear();
        await this.#writer.write(this.#encoder.encode(`${JSON.stringify(changes)}\n`));
      } while (this.#waiting.size > 0);
      this.#isWriting = false;
    } catch {
      // The reader has left.
      clearInterval(this.#timer);
      this.onEnd();
    }
  }
}
