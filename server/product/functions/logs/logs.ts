import { MAX_LOG_ENTRIES } from '../../../../contract/rules/limits.ts';
import type { Broadcast } from '../../../platform/coordination/events/index.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { type Follower, LogFollowers } from './followers.ts';
import { isEntry, parseLine, toStorable } from './lines.ts';
import type { Printed, Stacks } from './stacks.ts';
import { CallStatistics } from './statistics.ts';
import { addStats } from './stats-store.ts';
import { insertLogs, type LogRow } from './store.ts';
import { Traces } from './traces.ts';

type LogEntry = Omit<LogRow, 'id'>;

const FLUSH_EVERY_MS = 1_000;
/** How often entries are written if there is a follower. */
const FOLLOWED_FLUSH_MS = 100;
/** Entries that a function can write per second. The rest is only counted. */
const MAX_ENTRIES_PER_FLUSH = 200;

interface LogsOptions {
  db: Db;
  log: Log;
  now: () => number;
  broadcast: Broadcast;
  /** Maps places in the code to the source. Without it, they stay as they were printed. */
  stacks?: Stacks;
}

/** The output of functions and the results of their calls: stored for owners, and sent live to followers. */
export class FunctionLogs {
  readonly #options: LogsOptions;
  readonly #followers: LogFollowers;
  readonly #statistics = new CallStatistics();
  readonly traces = new Traces();
  readonly #timer: ReturnType<typeof setInterval>;
  #entries = new Map<number, LogEntry[]>();
  #dropped = new Map<number, number>();
  /** Entries with places in the code, which are not yet those of the source. */
  #unmapped: Printed[] = [];
  #writing: Promise<void> | undefined;
  #soon: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LogsOptions) {
    this.#options = options;
    this.#followers = new LogFollowers({ ...options, most: MAX_LOG_ENTRIES });
    this.#timer = setInterval(() => {
      this.#flushQuietly();
      if (!options.broadcast.isReceiving) this.#followers.catchUp(FLUSH_EVERY_MS);
    }, FLUSH_EVERY_MS);
  }

  /** Accepts a line that a cell printed, and the version that it runs. */
  line(functionId: number, line: string, version?: number): void {
    // Count first, because a flood of lines must not be parsed.
    if (!isEntry(line) || this.#isOver(functionId)) return;
    const found = parseLine(line, (id) => this.traces.knows(functionId, id));
    if (!found) return;
    const entry = this.#entry(functionId, found.kind, found.level, found.message);
    if (version !== undefined && this.#options.stacks?.hasFrames(entry.message))
      this.#unmapped.push({ functionId, version, entry });
    this.traces.add(functionId, found, entry);
    if (!found.isEnd) this.#add(entry);
  }

  /** Records the result of a call. */
  call(functionId: number, outcome: { status: number; startedAt: number; error?: string | undefined }): void {
    const { status, startedAt, error } = outcome;
    const at = this.#options.now();
    const durationMs = Math.round(at - startedAt);
    const isError = status >= 500;
    if (!this.#isOver(functionId)) {
      const entry = this.#entry(functionId, 'call', isError ? 'error' : 'info', error ?? 'ok');
      entry.status = status;
      entry.duration_ms = durationMs;
      this.#add(entry);
    }
    this.#statistics.count(functionId, { at, durationMs, isError });
  }

  /**
   * Records an action of the platform. It is never dropped: it says why a function that floods its log was
   * stopped.
   */
  system(functionId: number, message: string): void {
    const entry = this.#entry(functionId, 'system', 'warn', message);
    this.traces.add(functionId, {}, entry);
    this.#add(entry);
  }

  follow(functionId: number, follower: Follower): () => void {
    return this.#followers.add(functionId, follower);
  }

  /** Writes the entries collected so far. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing.catch(() => undefined);
    clearTimeout(this.#soon);
    this.#soon = undefined;
    for (const [id, count] of this.#dropped) {
      const message = `${count} more log entries came in that second and were not kept.`;
      this.#entries.get(id)?.push(this.#entry(id, 'system', 'warn', message));
    }
    this.#dropped = new Map();
    this.#writing = this.#write();
    try {
      await this.#writing;
    } finally {
      this.#writing = undefined;
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  /** Writes the entries. If that fails, they are put back before newer ones. */
  async #write(): Promise<void> {
    const { db } = this.#options;
    const batch = this.#entries;
    let counted = this.#statistics.take();
    this.#entries = new Map();
    const unmapped = this.#unmapped;
    this.#unmapped = [];
    try {
      await this.#options.stacks?.map(unmapped);
      for (const { entry } of unmapped) entry.message = toStorable(entry.message);
      const written = batch.size > 0 ? await insertLogs(db, [...batch.values()].flat(), MAX_LOG_ENTRIES) : [];
      batch.clear();
      this.#followers.publish(written);
      if (counted.length > 0) await addStats(db, counted);
      counted = [];
    } finally {
      for (const [id, old] of batch)
        this.#entries.set(id, [...old, ...(this.#entries.get(id) ?? [])].slice(-MAX_LOG_ENTRIES));
      for (const row of counted) this.#statistics.add(row);
    }
  }

  /** Whether the function has used up its entries for this second. If so, one more is counted as dropped. */
  #isOver(id: number): boolean {
    if ((this.#entries.get(id)?.length ?? 0) < MAX_ENTRIES_PER_FLUSH) return false;
    this.#dropped.set(id, (this.#dropped.get(id) ?? 0) + 1);
    return true;
  }

  #add(entry: LogEntry): void {
    const id = entry.function_id;
    const gathered = this.#entries.get(id);
    if (gathered) gathered.push(entry);
    else this.#entries.set(id, [entry]);
    if (this.#followers.has(id)) this.#soon ??= setTimeout(() => this.#flushQuietly(), FOLLOWED_FLUSH_MS);
  }

  #entry(functionId: number, kind: LogEntry['kind'], level: string, message: string): LogEntry {
    return {
      function_id: functionId,
      at: this.#options.now(),
      kind,
      level,
      message: toStorable(message),
      status: null,
      duration_ms: null,
    };
  }

  #flushQuietly(): void {
    this.flush().catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'function logs could not be written'),
    );
  }
}
