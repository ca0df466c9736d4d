import { z } from 'zod';
import type { Broadcast } from '../../../platform/coordination/events/index.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { addStats, insertLogs, type LogRow, listLogs, listLogsByIds, type StatsRow } from '../store.ts';
import { isEntry, parseLine, toStorable } from './lines.ts';

type LogEntry = Omit<LogRow, 'id'>;

const FLUSH_EVERY_MS = 1_000;
/** Where somebody follows, they need not wait for that. */
const FOLLOWED_FLUSH_MS = 100;
/** A function may write this many entries a second; of the rest only their number is kept. */
const MAX_ENTRIES_PER_FLUSH = 200;
const MAX_KEPT_PER_FUNCTION = 1_000;
const HOUR_MS = 3600 * 1000;
/** Entries of other nodes bear the time of their own clocks, and are written a little later. */
const LEEWAY_MS = 10_000;

/** What nodes tell each other: the ids of entries they have written, by function. */
const Written = z.array(z.tuple([z.number(), z.array(z.number())]));

/**
 * Somebody who reads a function's log as it is written: entries as they are stored, those of one node in order. After a
 * while in which other nodes could not be heard, some may come again.
 */
type Follower = (rows: LogRow[]) => void;

/** What functions print and how their calls went: kept for their owners, and shown live to those who follow. */
export interface FunctionLogs {
  /** Takes a line that a cell printed. */
  line(functionId: number, line: string): void;
  /** Notes how a call went. */
  call(functionId: number, outcome: { status: number; startedAt: number; error?: string | undefined }): void;
  /** Notes something the platform did. */
  system(functionId: number, message: string): void;
  follow(functionId: number, follower: Follower): () => void;
  /** Writes what has been gathered so far. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export function startFunctionLogs(options: {
  db: Db;
  log: Log;
  now: () => number;
  /** To and from the other nodes, whose entries followers here hear of too, within about a second. */
  broadcast: Broadcast;
}): FunctionLogs {
  const { db, log, now, broadcast } = options;
  let entries = new Map<number, LogEntry[]>();
  let dropped = new Map<number, number>();
  let stats = new Map<string, StatsRow>();
  const followers = new Map<number, Set<Follower>>();
  let writing: Promise<void> | undefined;
  let soon: ReturnType<typeof setTimeout> | undefined;

  /** Whether the function has had its entries for this second; if so, one more is counted as dropped. */
  function isOver(id: number): boolean {
    if ((entries.get(id)?.length ?? 0) < MAX_ENTRIES_PER_FLUSH) return false;
    dropped.set(id, (dropped.get(id) ?? 0) + 1);
    return true;
  }

  function add(entry: LogEntry): void {
    const id = entry.function_id;
    const gathered = entries.get(id);
    if (gathered) gathered.push(entry);
    else entries.set(id, [entry]);
    if (followers.has(id)) soon ??= setTimeout(flushQuietly, FOLLOWED_FLUSH_MS);
  }

  const entry = (functionId: number, kind: LogEntry['kind'], level: string, message: string): LogEntry => ({
    function_id: functionId,
    at: now(),
    kind,
    level,
    message: toStorable(message),
    status: null,
    duration_ms: null,
  });

  async function flush(): Promise<void> {
    while (writing) await writing.catch(() => undefined);
    clearTimeout(soon);
    soon = undefined;
    for (const [id, count] of dropped) {
      entries
        .get(id)
        ?.push(
          entry(id, 'system', 'warn', `${count} more log entries came in that second and were not kept.`),
        );
    }
    dropped = new Map();
    writing = write();
    try {
      await writing;
    } finally {
      writing = undefined;
    }
  }

  /** Writes what there is. What cannot be written is put back, before what has come since. */
  async function write(): Promise<void> {
    const [batch, counted] = [entries, stats];
    entries = new Map();
    stats = new Map();
    try {
      const written =
        batch.size > 0 ? await insertLogs(db, [...batch.values()].flat(), MAX_KEPT_PER_FUNCTION) : [];
      batch.clear();
      tell(written);
      tellOthers(written);
      if (counted.size > 0) await addStats(db, [...counted.values()]);
      counted.clear();
    } finally {
      for (const [id, old] of batch)
        entries.set(id, [...old, ...(entries.get(id) ?? [])].slice(-MAX_KEPT_PER_FUNCTION));
      for (const row of counted.values()) count(row);
    }
  }

  function tell(rows: LogRow[]): void {
    for (const [id, following] of followers) {
      const own = rows.filter((row) => row.function_id === id);
      if (own.length > 0) for (const follower of [...following]) follower(own);
    }
  }

  function tellOthers(rows: LogRow[]): void {
    if (broadcast.isSingleNode || rows.length === 0) return;
    const written = Map.groupBy(rows, (row) => row.function_id);
    const ids: z.input<typeof Written> = [...written].map(([id, own]) => [id, own.map((row) => row.id)]);
    broadcast.publish('logs', ids);
  }

  async function hearOthers(message: unknown): Promise<void> {
    const ids = Written.parse(message).flatMap(([id, own]) => (followers.has(id) ? own : []));
    if (ids.length > 0) tell(await listLogsByIds(db, ids));
  }

  /** Looks for what other nodes have written unheard. */
  async function catchUp(gapMs: number): Promise<void> {
    const since = now() - gapMs - LEEWAY_MS;
    for (const id of [...followers.keys()])
      tell((await listLogs(db, id, { limit: MAX_KEPT_PER_FUNCTION, since })).reverse());
  }

  function quietly(work: Promise<void>): void {
    work.catch((error: unknown) =>
      log.warn({ err: error }, 'function logs of other nodes could not be read'),
    );
  }
  broadcast.subscribe('logs', (message) => quietly(hearOthers(message)));
  broadcast.onGap((gapMs) => quietly(catchUp(gapMs)));

  function count(added: StatsRow): void {
    const key = `${added.function_id} ${added.hour}`;
    const row = stats.get(key);
    if (!row) {
      stats.set(key, { ...added });
      return;
    }
    row.calls += added.calls;
    row.errors += added.errors;
    row.duration_total_ms += added.duration_total_ms;
    row.duration_max_ms = Math.max(row.duration_max_ms, added.duration_max_ms);
  }

  function flushQuietly(): void {
    flush().catch((error: unknown) => log.warn({ err: error }, 'function logs could not be written'));
  }
  const timer = setInterval(() => {
    flushQuietly();
    if (!broadcast.isReceiving) quietly(catchUp(FLUSH_EVERY_MS));
  }, FLUSH_EVERY_MS);

  return {
    line(functionId, line) {
      // Looked at first: a flood of lines must not cost us their parsing.
      if (!isEntry(line) || isOver(functionId)) return;
      const found = parseLine(line);
      if (found) add(entry(functionId, found.kind, found.level, found.message));
    },
    call(functionId, { status, startedAt, error }) {
      const duration = Math.round(now() - startedAt);
      const isError = status >= 500;
      const level = isError ? 'error' : 'info';
      if (!isOver(functionId))
        add({ ...entry(functionId, 'call', level, error ?? 'ok'), status, duration_ms: duration });
      count({
        function_id: functionId,
        hour: now() - (now() % HOUR_MS),
        calls: 1,
        errors: isError ? 1 : 0,
        duration_total_ms: duration,
        duration_max_ms: duration,
      });
    },
    system(functionId, message) {
      // Never dropped: it says why a function that floods its log was stopped.
      add(entry(functionId, 'system', 'warn', message));
    },
    follow(functionId, follower) {
      const following = followers.get(functionId) ?? new Set();
      followers.set(functionId, following.add(follower));
      return () => {
        following.delete(follower);
        if (following.size === 0 && followers.get(functionId) === following) followers.delete(functionId);
      };
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
