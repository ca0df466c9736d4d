import { type Answer, answerOf } from './call.ts';
import { type Reading, readEvents } from './data.ts';
import { call, publish, type ServerAddress } from './fault-client.ts';

/** Files and live events, which no call with JSON in it and out of it can carry. */

/** A page whose owner keeps files. */
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
  timeoutMs = 15_000,
): Promise<Answer> {
  const form = new FormData();
  form.append('file', new File([text], 'notes.txt'));
  const response = await fetch(`http://${host}:${port}/api/pages/${pageId}/team-files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
    keepalive: false,
    signal: AbortSignal.timeout(timeoutMs),
  });
  return answerOf(response);
}

export function download(
  server: ServerAddress,
  token: string,
  pageId: number,
  fileId: string,
  timeoutMs = 15_000,
): Promise<Answer> {
  return call(server, 'GET', `/api/pages/${pageId}/team-files/${fileId}`, { token, timeoutMs });
}

/** Follows a page's collection at one node, as a tab does. */
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
