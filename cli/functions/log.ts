import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { type Api, ApiError, refusal } from '../client/api.ts';
import { readEvents } from '../client/events.ts';
import { type Paint, printable } from '../terminal/colours.ts';
import { CommandError } from '../usage.ts';

const Entry = z.object({
  id: z.int(),
  timestamp: z.string(),
  kind: z.string(),
  level: z.string(),
  message: z.string(),
  status: z.int().nullable(),
  durationMs: z.int().nullable(),
});
export type Entry = z.infer<typeof Entry>;
export const LogList = z.object({ logs: z.array(Entry) });

const TRIES = 6;
const FIRST_WAIT_MS = 250;

export const logPath = (slug: string, query: Record<string, string>) =>
  `/api/functions/${encodeURIComponent(slug)}/logs?${new URLSearchParams(query)}`;

/** A line of a log: when, how bad, what; of calls also how they went. */
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
 * Calls back for every entry of a function's log from now on, until `signal` says so. The service ends a stream now and
 * then; the next one begins where the last one ended, and ids tell what has been seen.
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
        query = { since: entry.timestamp, limit: '1000' };
        failures = 0;
        onEntry(entry);
      }
    } catch (error) {
      if (signal.aborted) return;
      // A server that is starting again is waited for, a refusal is final.
      const isFinal = error instanceof ApiError && error.status < 500;
      if (isFinal || ++failures === TRIES)
        throw isFinal || error instanceof CommandError
          ? error
          : new CommandError(`The log of ${slug} broke off: ${(error as Error).message}`);
    }
    // Also after a stream that ended as it should: one that always does must not be asked for all the time.
    await setTimeout(FIRST_WAIT_MS * 2 ** failures, undefined, { signal }).catch(() => undefined);
  }
}
