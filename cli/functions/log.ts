import { setTimeout } from 'node:timers/promises';
import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import { LogEntry } from '../../contract/functions/functions.ts';
import { MAX_LOG_ENTRIES } from '../../contract/rules/limits.ts';
import { type Api, ApiError, accept, notFromQuire, refusal } from '../client/api.ts';
import { readEvents } from '../client/events.ts';
import { type Paint, printable } from '../terminal/colours.ts';
import { CommandError } from '../usage.ts';

const TRIES = 6;
const FIRST_WAIT_MS = 250;

/** From where a log is read. */
export interface LogStart {
  since?: string | undefined;
  limit?: string | number | undefined;
}

/** One line of a log: time, level and message; for calls also status and duration. */
export function showEntry(entry: LogEntry, paint: Paint): string {
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
  from: LogStart,
  signal: AbortSignal,
  onEntry: (entry: LogEntry) => void,
): Promise<void> {
  let query = from;
  let lastId = 0;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const response = await api.send(
        functionEndpoints.listFunctionLogs,
        { params: { slug }, query: { ...query, follow: 'true' } },
        { signal },
      );
      if (!response.ok || !response.body) throw refusal(response, await response.text(), api.baseUrl);
      for await (const value of readEvents(response.body)) {
        const entry = accept(LogEntry, value);
        if (!entry) throw notFromQuire(`GET ${new URL(response.url).pathname}`, api.baseUrl);
        if (entry.id <= lastId) continue;
        lastId = entry.id;
        query = { since: entry.timestamp, limit: MAX_LOG_ENTRIES };
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
