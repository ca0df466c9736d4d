import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestUser } from '../../support/app.ts';
import { type LiveApp, liveApp } from '../../support/data/live.ts';
import { openSocket } from '../../support/http/websocket.ts';

/** Who can have a WebSocket to a function. Their limits are in test/faults. */

const ECHO = `export default { fetch() {
  const [client, server] = Object.values(new WebSocketPair());
  server.accept();
  server.addEventListener('message', ({ data }) => server.send(data));
  return new Response(null, { status: 101, webSocket: client });
} }`;

let app: LiveApp;
let owner: TestUser;
beforeAll(async () => {
  app = await liveApp();
  owner = await app.user('owner');
});
afterAll(() => app.stop());

test('a WebSocket to a private function needs its owner’s token, and ends when the function becomes private', async () => {
  const slug = 'echo';
  expect((await owner.call('POST', '/api/functions', { body: { slug, code: ECHO } })).status).toBe(201);
  const url = `${app.baseUrl.replace('http', 'ws')}/api/functions/${slug}`;
  const client = await openSocket(url);
  client.send('hello');
  expect(await client.next()).toBe('hello');
  const body = { isPublic: false };
  expect((await owner.call('PATCH', `/api/functions/${slug}`, { body })).status).toBe(200);
  expect((await client.end).code).toBe(1008);
  await expect(openSocket(url)).rejects.toThrow('refused');
  const own = await openSocket(url, { headers: { authorization: `Bearer ${owner.token}` } });
  expect((await owner.call('DELETE', `/api/functions/${slug}`)).status).toBe(204);
  expect((await own.end).code).toBe(1001);
});
