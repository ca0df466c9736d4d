import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { startServer, type TestServer } from '../../support/server.ts';

/**
 * Bodies that never arrive completely use memory. A client that sends many of them uses up its own share
 * only.
 */

const PAGE_BODY_BYTES = 25_231_360;
/** As many bodies of this size as one client can send at a time. */
const SHARE = 11;

let server: TestServer;
const stalled: Socket[] = [];
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => {
  for (const socket of stalled) socket.destroy();
  return server.stop();
});

async function register(username: string): Promise<string> {
  const response = await fetch(`${server.baseUrl}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, email: `${username}@example.com`, password: 'right horse 9' }),
  });
  return ((await response.json()) as { accessToken: string }).accessToken;
}

/** Announces a large body and sends its beginning. Resolves when the server has received that. */
async function stall(token: string) {
  const socket = connect({ port: server.port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    socket.write(
      `POST /api/pages HTTP/1.1\r\nHost: localhost:${server.port}\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${PAGE_BODY_BYTES}\r\n\r\n{`,
      () => resolve(),
    );
  });
  return socket;
}

const sendWhole = (token: string) =>
  fetch(`${server.baseUrl}/api/pages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ name: 'x', html_content: 'x' }).padEnd(PAGE_BODY_BYTES),
  }).then((response) => response.status);

test('a client with slow bodies waits for memory, and nobody else does', async () => {
  const [mallory, bob] = await Promise.all([register('mallory'), register('bob')]);
  for (let i = 0; i < SHARE; i++) stalled.push(await stall(mallory));
  // Requests are handled in the order they arrive: when this one has its response, the others have been seen.
  await fetch(`${server.baseUrl}/api/auth/me`, { headers: { authorization: `Bearer ${mallory}` } });

  const order: string[] = [];
  const note = (name: string) => (status: number) => {
    order.push(name);
    return status;
  };
  const own = sendWhole(mallory).then(note('mallory'));
  expect(await sendWhole(bob).then(note('bob'))).toBe(201);
  expect(await sendWhole(bob).then(note('bob'))).toBe(201);
  order.push('a slow one gives up');
  stalled.pop()?.destroy();
  expect(await own).toBe(201);
  expect(order).toEqual(['bob', 'bob', 'a slow one gives up', 'mallory']);
});
