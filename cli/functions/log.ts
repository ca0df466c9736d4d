import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { LogEntry } from '../../contract/functions/functions.ts';
import { MAX_LOG_ENTRIES } from '../../contract/rules/limits.ts';
import { type Api, ApiError, refusal } from '../client/api.ts';
import { readEvents } from '../client/events.ts';
import { type Paint, printable } from '../terminal/colours.ts';
import { CommandError } from '../usage.ts';

/** A newer server may have more kinds. */
const Entry = LogEntry.extend({ kind: z.string() });
export type Entry = z.infer<typeof Entry>;
export const LogList = z.object({ logs: z.array(Entry) });

const TRIES = 6;
const FIRST_WAIT_MS = 250;

export const logPath = (slug: string, query: Record<string, string>) =>
  `/api/functions/${encodeURIComponent(slug)}/logs?${new URLSearchParams(query)}`;

/** One line of a log: time, level and message; for calls also status and duration. */
export function showEntry(entry: Entry, paint: Paint): string {
  const { kind, level, status, durationMs } = entry;
  const when = paint.dim(printable(entry.timestamp.slice(11, 23)));
  const what =
    kind === 'call'
      ? `call ${status} in ${durationMs} ms${entry.message === 'ok' ? '' : `: ${entry.message}`}`
      : entry.message;
  const colour = { error: paint.red, warn: paint.yellow, debug: paint.dim }[level] ?? paint.cyan;
  return `${when} ${colour(printable(level).padEnd(5))} ${printable(what)}`;
}

/**
 * Calls back for every new entry of a function's log until `signal` aborts. The server ends streams from time to time;
 * the next one continues where the last one ended, and ids show which entries are new.
 */
export async function followLog(
  api: Api,
  slug: string,
  from: Record<string, string>,
  signal: AbortSignal,
  onEntry: (entry: Entry) => void,
): Promise<void> {
  let query: Record<string, string> = from;
  let lastId = 0;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const response = await api.send('GET', logPath(slug, { ...query, follow: 'true' }), { signal });
      if (!response.ok || !response.body) throw refusal(response, await response.text(), api.baseUrl);
      for await (const value of readEvents(response.body)) {
        const entry = Entry.parse(value);
        if (entry.id <= lastId) continue;
        lastId = entry.id;
        query = { since: entry.timestamp, limit: String(MAX_LOG_ENTRIES) };
        failures = 0;
        onEntry(entry);
      }
    } catch (error) {
      if (signal.aborted) return;
      // Wait for a server that restarts. An error response is final.
      const isFinal = error instanceof ApiError && error.status < 500;
      if (isFinal || ++failures === TRIES)
        throw isFinal || error instanceof CommandError
          ? error
          : new CommandError(`Lost the log of ${slug}: ${(error as Error).message}`);
    }
    // Also wait after a normal end, so a server that ends every stream is not called in a loop.
    await setTimeout(FIRST_WAIT_MS * 2 ** failures, undefined, { signal }).catch(() => undefined);
  }
}
