import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descendants, watchSurvivors } from '../support/faults/process.ts';
import { rounds } from '../support/faults/rounds.ts';
import { call, publish, register } from '../support/http/client.ts';
import { openConnection, type RawConnection } from '../support/http/socket.ts';
import { startServer, type TestServer, untilPrinted, waitUntil } from '../support/server.ts';

const VIEWS = rounds(200, 1_000);
const AT_ONCE = 20;

let dataFolder: string;
let server: TestServer;
/** Another server, for a request that never ends. */
let stuck: TestServer;
let token: string;
const connections: RawConnection[] = [];

beforeAll(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-stopping-'));
  [server, stuck] = await Promise.all([startServer({ dataFolder }), startServer({ finishMs: 1_000 })]);
  ({ token } = await register(server, 'ada'));
}, 120_000);
afterAll(async () => {
  for (const connection of connections) connection.close();
  await Promise.all([server?.kill(), stuck?.kill()]);
  rmSync(dataFolder, { recursive: true, force: true });
});

describe('a stopping server', () => {
  test('finishes open requests, accepts no new connection, and exits with 0, however many signals it gets', async () => {
    const viewed = await publish(server, token, { name: 'Viewed' });
    await view(viewed.slug);
    const body = JSON.stringify({ name: 'Slow', html_content: `<p>${'x'.repeat(2_000)}` });
    const upload = await startUpload(server, token, body.length);
    await upload.send(body.slice(0, 1_000));
    const html = `<!doctype html><p>${randomBytes(2 * 1024 * 1024 - 16).toString('hex')}`;
    const readers = await startReaders((await publish(server, token, { html_content: html })).slug);
    const survivors = watchSurvivors(descendants(server.pid));

    const exited = server.stop();
    await waitUntil(isRefused);
    await upload.send(body.slice(1_000, 1_500));
    expect(await isRefused()).toBeTrue();
    process.kill(server.pid, 'SIGTERM');
    process.kill(server.pid, 'SIGINT');
    // Long enough for a server that does not wait to disconnect the readers.
    await Bun.sleep(200);
    for (const reader of readers) reader.socket.resume();
    for (const answer of await Promise.all(readers.map((reader) => reader.answer()))) {
      expect(answer?.status).toBe(200);
      expect(answer?.body.endsWith(html.slice(-1_000))).toBeTrue();
    }
    await upload.send(body.slice(1_500));
    expect((await upload.answer())?.status).toBe(201);
    expect(await exited).toBe(0);
    await untilPrinted(server, '"stopped"');
    expect(server.output().match(/"stopped"/g)).toHaveLength(1);
    // The one that cleans up after a crash ends when it sees that the server has ended.
    await waitUntil(async () => survivors().length === 0);

    // The next test would time out if this one waited for what it must not wait for.
    server = await startServer({ dataFolder, finishMs: 600_000 });
    expect((await call(server, 'GET', '/p/slow')).body).toContain('x'.repeat(2_000));
    const { page } = (await call(server, 'GET', `/api/pages/${viewed.id}`, { token })).body;
    expect(page.views).toBe(VIEWS);
  }, 120_000);

  test('waits a limited time for a request that never ends, and not for idle connections and log followers', async () => {
    const account = await register(stuck, 'ada');
    const endless = await startUpload(stuck, account.token, 1_000);
    await endless.send('{"name":');
    await call(stuck, 'GET', '/healthz');
    const used = await connect(server);
    await used.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect((await used.answer())?.status).toBe(200);
    await connect(server);
    const half = await connect(server);
    await half.send('GET /healthz HTTP/1.1\r\nHost: loc');
    const follower = await followLog();

    const stuckExited = stuck.stop();
    await untilPrinted(stuck, '"stopping');
    const exited = server.stop();
    while (!(await follower.read()).done);
    expect(await exited).toBe(0);
    expect(await stuckExited).toBe(0);
    await endless.closed;
  }, 120_000);
});

/** Views a page, and requests it in two ways that do not count as views. */
async function view(slug: string): Promise<void> {
  const etag = (await call(server, 'HEAD', `/p/${slug}`)).headers.get('etag') ?? '';
  const look = async () => expect((await call(server, 'GET', `/p/${slug}`)).status).toBe(200);
  for (let seen = 0; seen < VIEWS; seen += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, look));
    const known = await call(server, 'GET', `/p/${slug}`, { headers: { 'if-none-match': etag } });
    expect(known.status).toBe(304);
    expect((await call(server, 'HEAD', `/p/${slug}`)).status).toBe(200);
  }
}

/** Clients that have requested a page and have not read it yet. */
async function startReaders(slug: string): Promise<RawConnection[]> {
  const readers = await Promise.all(Array.from({ length: 8 }, () => connect(server)));
  for (const reader of readers) {
    reader.socket.pause();
    await reader.send(`GET /p/${slug} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  }
  await waitUntil(async () => readers.every(({ socket }) => socket.readableLength > 0));
  return readers;
}

async function followLog() {
  const code = 'export default { fetch() { console.log("printed"); return new Response("ok"); } };';
  await call(server, 'POST', '/api/functions', { token, body: { slug: 'printer', code } });
  await call(server, 'POST', '/api/functions/printer');
  const follower = await fetch(`http://127.0.0.1:${server.port}/api/functions/printer/logs?follow=true`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!follower.body) throw new Error('the log has no body');
  const reader = follower.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('printed')) text += (await reader.read()).value;
  return reader;
}

async function connect({ port }: TestServer): Promise<RawConnection> {
  const connection = await openConnection(port);
  connections.push(connection);
  return connection;
}

/** Starts to create a page. The body is not sent yet. */
async function startUpload(to: TestServer, as: string, length: number): Promise<RawConnection> {
  const connection = await connect(to);
  await connection.send(
    `POST /api/pages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${as}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
  );
  return connection;
}

function isRefused(): Promise<boolean> {
  return openConnection(server.port).then(
    (connection) => {
      connection.close();
      return false;
    },
    (error: { code?: string }) => error.code === 'ECONNREFUSED',
  );
}
