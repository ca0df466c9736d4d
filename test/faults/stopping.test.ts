import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, publish, register } from '../support/fault-client.ts';
import { descendants, isRunning } from '../support/fault-process.ts';
import { openConnection, type RawConnection } from '../support/fault-socket.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

let dataFolder: string;
let server: TestServer;
let token: string;
let connections: RawConnection[];

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-stopping-'));
  server = await startServer({ dataFolder });
  ({ token } = await register(server, 'ada'));
  connections = [];
});
afterEach(async () => {
  for (const connection of connections) connection.close();
  await server.kill();
  rmSync(dataFolder, { recursive: true, force: true });
});

describe('a server that is asked to stop', () => {
  test('finishes an upload that is under way, takes no new connection, and exits 0', async () => {
    const body = JSON.stringify({ name: 'Slow', html_content: `<p>${'x'.repeat(2_000)}` });
    const upload = await startUpload(body.length);
    await upload.send(body.slice(0, 1_000));
    await call(server, 'GET', '/healthz');
    const children = descendants(server.pid);

    const exited = server.stop();
    await waitUntil(isRefused, 5_000);
    await upload.send(body.slice(1_000, 1_500));
    expect(await isRefused()).toBeTrue();
    await upload.send(body.slice(1_500));

    expect((await upload.answer())?.status).toBe(201);
    expect(await exited).toBe(0);
    expect(children.filter(isRunning)).toEqual([]);
    server = await startServer({ dataFolder });
    expect((await call(server, 'GET', '/p/slow')).body).toContain('x'.repeat(2_000));
  });

  test('sends answers that are under way to their end', async () => {
    const html = `<!doctype html><p>${randomBytes(2 * 1024 * 1024 - 16).toString('hex')}`;
    const { slug } = await publish(server, token, { html_content: html });
    const readers = await Promise.all(Array.from({ length: 8 }, connect));
    for (const reader of readers) {
      reader.socket.pause();
      await reader.send(`GET /p/${slug} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    }
    await waitUntil(async () => readers.every(({ socket }) => socket.readableLength > 0));

    const exited = server.stop();
    await waitUntil(isRefused, 5_000);
    // Time enough for a server that does not wait to cut the readers off.
    await Bun.sleep(200);
    for (const reader of readers) reader.socket.resume();

    for (const answer of await Promise.all(readers.map((reader) => reader.answer()))) {
      expect(answer?.status).toBe(200);
      expect(answer?.body.endsWith(html.slice(-1_000))).toBeTrue();
    }
    expect(await exited).toBe(0);
  });

  test('does not wait for connections on which nothing is asked', async () => {
    const used = await connect();
    await used.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect((await used.answer())?.status).toBe(200);
    await connect();
    const half = await connect();
    await half.send('GET /healthz HTTP/1.1\r\nHost: loc');

    expect(await within(10_000, server.stop())).toBe(0);
  });

  test('lets those who follow a log go at once', async () => {
    const code = 'export default { fetch() { console.log("printed"); return new Response("ok"); } };';
    await call(server, 'POST', '/api/functions', { token, body: { slug: 'printer', code } });
    await call(server, 'POST', '/api/functions/printer');
    const follower = await fetch(`http://127.0.0.1:${server.port}/api/functions/printer/logs?follow=true`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const reader = follower.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('printed')) text += (await reader?.read())?.value;

    const exited = within(10_000, server.stop());
    while (!(await reader?.read())?.done);
    expect(await exited).toBe(0);
  });

  test('gives up on a request that never ends, and exits 0 all the same', async () => {
    const upload = await startUpload(1_000);
    await upload.send('{"name":');
    await call(server, 'GET', '/healthz');

    expect(await within(40_000, server.stop())).toBe(0);
    await upload.closed;
  }, 60_000);

  test('stops once, however often it is asked', async () => {
    const body = JSON.stringify({ name: 'Slow', html_content: '<p>slow' });
    const upload = await startUpload(body.length);
    await upload.send(body.slice(0, 5));
    await call(server, 'GET', '/healthz');

    const exited = server.stop();
    await waitUntil(async () => server.output().includes('stopping'));
    process.kill(server.pid, 'SIGTERM');
    process.kill(server.pid, 'SIGINT');
    // Time enough for the second signal to do harm.
    await Bun.sleep(100);
    await upload.send(body.slice(5));

    expect((await upload.answer())?.status).toBe(201);
    expect(await exited).toBe(0);
    expect(server.output().match(/"stopped"/g)).toHaveLength(1);
  });
});

async function connect(): Promise<RawConnection> {
  const connection = await openConnection(server.port);
  connections.push(connection);
  return connection;
}

/** Begins to create a page; the body is still to come. */
async function startUpload(length: number): Promise<RawConnection> {
  const connection = await connect();
  await connection.send(
    `POST /api/pages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
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

function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const late = Bun.sleep(milliseconds).then(() => Promise.reject(new Error(`took over ${milliseconds} ms`)));
  return Promise.race([promise, late]);
}
