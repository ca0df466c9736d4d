import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { startServer, type TestServer } from '../support/server.ts';

/** Bodies that never arrive whole take up memory; whoever sends many of them uses up their own share of it. */

const PAGE_BODY_BYTES = 25_231_360;
/** As many as one sender can have at once, of this size. */
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

/** Says that a large body comes, and sends the beginning of it. Resolves when the server has that. */
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

test('a sender of slow bodies waits for room, and nobody else does', async () => {
  const [mallory, bob] = await Promise.all([register('mallory'), register('bob')]);
  for (let i = 0; i < SHARE; i++) stalled.push(await stall(mallory));
  // Requests are taken in the order in which they come: when this is answered, the others have been looked at.
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
