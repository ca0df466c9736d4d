import { type Reading, readEvents } from '../data/data.ts';
import { readResponse, type TestResponse } from '../http/call.ts';
import { call, publish, type ServerAddress } from '../http/client.ts';

/** Files and live events, which are not JSON calls. */

/** A page with team files. */
export async function publishTeam(
  server: ServerAddress,
  token: string,
): Promise<{ id: number; slug: string }> {
  return publish(server, token, { name: 'Team', storage_mode: 'team_app' });
}

export async function upload(
  { host = '127.0.0.1', port }: ServerAddress,
  token: string,
  pageId: number,
  text: string,
  timeoutMs = 60_000,
): Promise<TestResponse> {
  const form = new FormData();
  form.append('file', new File([text], 'notes.txt'));
  const response = await fetch(`http://${host}:${port}/api/pages/${pageId}/team-files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
    keepalive: false,
    signal: AbortSignal.timeout(timeoutMs),
  });
  return readResponse(response);
}

export function download(
  server: ServerAddress,
  token: string,
  pageId: number,
  fileId: string,
  timeoutMs = 60_000,
): Promise<TestResponse> {
  return call(server, 'GET', `/api/pages/${pageId}/team-files/${fileId}`, { token, timeoutMs });
}

/** Follows a collection of a page at one node, like a tab. */
export async function follow(
  { host = '127.0.0.1', port }: ServerAddress,
  pageId: number,
  collection: string,
  lastEventId?: string,
): Promise<Reading> {
  const response = await fetch(
    `http://${host}:${port}/api/pages/${pageId}/events?collections=${collection}`,
    {
      headers: lastEventId ? { 'last-event-id': lastEventId } : {},
    },
  );
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const reading = readEvents(response);
  await reading.until(1, 'open');
  return reading;
}

/** A tab that stays open: when its stream ends, it opens the next one. */
export interface Tab {
  /** The records it got events for, with repetitions. */
  received(): string[];
  /** How many resets it got. */
  resets(): number;
  /** How many streams it has had. */
  streams(): number;
  close(): Promise<void>;
}

/** A browser retries many times. A tab that never connects is a failure. */
const RETRY_MS = 100;
const MAX_REFUSED = 1_000;

export async function openTab(server: ServerAddress, pageId: number, collection: string): Promise<Tab> {
  const readings = [await follow(server, pageId, collection)];
  const events = (name: string) =>
    readings.flatMap((reading) => reading.events.filter((event) => event.name === name));
  let isClosed = false;
  let refused = 0;
  let failure: unknown;

  const following = (async () => {
    for (;;) {
      await readings.at(-1)?.ended.catch(() => undefined);
      if (isClosed) return;
      const lastId = readings.flatMap((reading) => reading.events).findLast(({ id }) => id !== '')?.id;
      const next = await follow(server, pageId, collection, lastId).catch((error: unknown) => error as Error);
      if (!(next instanceof Error)) readings.push(next);
      else if (++refused > MAX_REFUSED) throw next;
      else await Bun.sleep(RETRY_MS);
    }
  })().catch((error: unknown) => {
    failure = error;
  });
  return {
    received: () => events('message').map(({ data }) => (data as { record: { id: string } }).record.id),
    resets: () => events('reset').length,
    streams: () => readings.length,
    async close() {
      isClosed = true;
      readings.at(-1)?.close();
      await following;
      if (failure) throw failure;
    },
  };
}
