import { EGRESS_LINE } from '../cells/index.ts';
import type { Log } from '../http/index.ts';
import type { Db } from '../storage/index.ts';
import { addStats, insertLogs, type LogRow, type StatsRow } from './store.ts';

export type LogEntry = Omit<LogRow, 'id'>;

const FLUSH_EVERY_MS = 1_000;
/** A function may write this many entries a second; of the rest only their number is kept. */
const MAX_ENTRIES_PER_FLUSH = 200;
const MAX_KEPT_PER_FUNCTION = 1_000;
const MAX_MESSAGE_CHARACTERS = 8_000;
const HOUR_MS = 3600 * 1000;

/** What functions print and how their calls went: kept for their owners, and shown live to those who follow. */
export interface FunctionLogs {
  /** Takes a line that a cell printed. */
  line(functionId: number, line: string): void;
  /** Notes how a call went. */
  call(functionId: number, outcome: { status: number; startedAt: number; error?: string | undefined }): void;
  /** Notes something the platform did. */
  system(functionId: number, message: string): void;
  follow(functionId: number, listener: (entry: LogEntry) => void): () => void;
  /** Writes what has been gathered so far. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export function startFunctionLogs({ db, log, now }: { db: Db; log: Log; now: () => number }): FunctionLogs {
  let entries = new Map<number, LogEntry[]>();
  let dropped = new Map<number, number>();
  let stats = new Map<string, StatsRow>();
  const listeners = new Map<number, Set<(entry: LogEntry) => void>>();
  let writing: Promise<void> | undefined;

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
    for (const listener of listeners.get(id) ?? []) listener(entry);
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
    for (const [id, count] of dropped) {
      entries
        .get(id)
        ?.push(
          entry(id, 'system', 'warn', `${count} more log entries came in that second and were not kept.`),
        );
    }
    const [batch, counted] = [[...entries.values()].flat(), [...stats.values()]];
    entries = new Map();
    dropped = new Map();
    stats = new Map();
    if (batch.length === 0 && counted.length === 0) return;
    writing = (async () => {
      if (batch.length > 0) await insertLogs(db, batch, MAX_KEPT_PER_FUNCTION);
      if (counted.length > 0) await addStats(db, counted);
    })();
    try {
      await writing;
    } finally {
      writing = undefined;
    }
  }

  const timer = setInterval(() => {
    flush().catch((error: unknown) => log.warn({ err: error }, 'function logs could not be written'));
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
      const hour = now() - (now() % HOUR_MS);
      const key = `${functionId} ${hour}`;
      const row = stats.get(key) ?? {
        function_id: functionId,
        hour,
        calls: 0,
        errors: 0,
        duration_total_ms: 0,
        duration_max_ms: 0,
      };
      row.calls++;
      if (isError) row.errors++;
      row.duration_total_ms += duration;
      row.duration_max_ms = Math.max(row.duration_max_ms, duration);
      stats.set(key, row);
    },
    system(functionId, message) {
      // Never dropped: it says why a function that floods its log was stopped.
      add(entry(functionId, 'system', 'warn', message));
    },
    follow(functionId, listener) {
      const following = listeners.get(functionId) ?? new Set();
      listeners.set(functionId, following.add(listener));
      return () => {
        following.delete(listener);
        if (following.size === 0) listeners.delete(functionId);
      };
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}

const EXCEPTION = 'quire-exception: ';

/** Console output comes as one JSON object a line, and words of the egress behind their mark; what else workerd prints is for nobody's log. */
function isEntry(line: string): boolean {
  return line.startsWith('{"timestamp":') || line.startsWith(EGRESS_LINE);
}

function parseLine(
  line: string,
): { kind: 'console' | 'exception' | 'system'; level: string; message: string } | undefined {
  if (line.startsWith(EGRESS_LINE))
    return { kind: 'system', level: 'warn', message: line.slice(EGRESS_LINE.length) };
  try {
    const { level, message, source } = JSON.parse(line) as {
      level?: unknown;
      message?: unknown;
      source?: unknown;
    };
    if (typeof level !== 'string' || typeof message !== 'string') return undefined;
    if (source !== undefined && level !== 'error') return undefined;
    if (message.startsWith(EXCEPTION))
      return { kind: 'exception', level, message: message.slice(EXCEPTION.length) };
    if (source === undefined) return { kind: 'console', level, message };
    // workerd's own stack is of addresses and paths of this machine, which are nobody's business.
    return { kind: 'exception', level, message: message.replace(/(^|[\s;])stack:.*/s, '') };
  } catch {
    // A line that was cut for its length.
    return { kind: 'console', level: 'log', message: line.slice(0, MAX_MESSAGE_CHARACTERS) };
  }
}

function toStorable(message: string): string {
  return message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed().replaceAll('\0', '\ufffd');
}
