import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { isRunning } from '../support/faults/process.ts';
import { type HostileServer, startHostileServer } from '../support/hostile/server.ts';
import { openConnection, type RawConnection } from '../support/http/socket.ts';

/** Bodies in chunks of one byte, which cost the sender little and the parser much. */

/** CPU time without a pause. On an idle machine this is how long a neighbour waits. */
const MAX_STALL_MS = 250;
const TRIES = 4;
const CONNECTIONS = 4;
const CHUNKS = Buffer.from('1\r\na\r\n'.repeat(50_000));
const END = '0\r\n\r\n';

let hostile: HostileServer;
let authorization: string;

beforeAll(async () => {
  hostile = await startHostileServer();
  ({ authorization = '' } = await hostile.headersFor('token'));
});
afterAll(() => hostile.stop());

const JSON_TYPE = 'Content-Type: application/json\r\n';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded\r\n';
const MULTIPART_TYPE = 'Content-Type: multipart/form-data; boundary=b\r\n';
const ZIP_TYPE = 'Content-Type: application/zip\r\n';
const CLOSE = 'Connection: close\r\n';

const BODIES = [
  ['that nobody reads', 'POST', '/nowhere', ''],
  ['that nobody reads, on the last request', 'POST', '/nowhere', CLOSE],
  ['of a GET', 'GET', '/livez', ''],
  ['of a page', 'GET', '/p/neighbour', CLOSE],
  ['of a route without a body', 'POST', '/api/auth/logout', CLOSE],
  ['of JSON', 'POST', '/api/auth/login', JSON_TYPE],
  ['of JSON, on the last request', 'POST', '/api/auth/login', JSON_TYPE + CLOSE],
  ['of much JSON', 'POST', '/api/pages', JSON_TYPE],
  ['of a form of ours', 'POST', '/login', FORM_TYPE + CLOSE],
  ["of a page's form", 'POST', '/api/pages/1/forms/contact', FORM_TYPE],
  ["of a page's form with files", 'POST', '/api/pages/1/forms/contact', MULTIPART_TYPE],
  ['of an upload', 'POST', '/api/pages/1/files', MULTIPART_TYPE],
  ['of an archive', 'PUT', '/api/pages/1/files', ZIP_TYPE],
  ['of many files', 'PUT', '/api/pages/1/files', MULTIPART_TYPE + CLOSE],
  ['of a file', 'PUT', '/api/pages/1/files/a.txt', 'Content-Type: text/plain\r\n'],
  ['of a function call', 'POST', '/api/functions/echo', JSON_TYPE],
  ['of an MCP message', 'POST', '/mcp', `${JSON_TYPE}Accept: application/json, text/event-stream\r\n`],
  ['of a SQL import', 'POST', '/api/functions/echo/database/import', 'Content-Type: application/sql\r\n'],
  ['of a WebSocket', 'GET', '/api/functions/echo', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
] as const;

function head(method: string, path: string, headers: string): string {
  const all = `Host: localhost:${hostile.server.port}\r\nAuthorization: ${authorization}\r\n${headers}`;
  return `${method} ${path} HTTP/1.1\r\n${all}Transfer-Encoding: chunked\r\n\r\n`;
}

/**
 * The server's longest work without a pause while several clients do this. In a virtual machine the time that others
 * take counts as ours, so a long one is measured again: work that is really too much is too much every time.
 */
async function leastStall(
  clients: number,
  act: (connection: RawConnection) => Promise<void>,
): Promise<number> {
  const tries: number[] = [];
  while (tries.length < TRIES && (tries.at(-1) ?? MAX_STALL_MS) >= MAX_STALL_MS) {
    hostile.reset();
    await Promise.all(
      Array.from({ length: clients }, async () => {
        const connection = await openConnection(hostile.server.port);
        await act(connection).finally(connection.close);
      }),
    );
    tries.push((await hostile.longest()).stallMs);
  }
  return Math.min(...tries);
}

describe('one-byte chunks do not delay other requests: a body', () => {
  test.each(BODIES)('%s', async (_, method, path, headers) => {
    const stallMs = await leastStall(CONNECTIONS, async (connection) => {
      await connection.send(head(method, path, headers));
      for (let piece = 0; piece < 4; piece++) await connection.send(CHUNKS);
      await connection.send(END);
      const answer = await connection.answer(30_000, method);
      expect(answer?.status ?? 0).toBeLessThan(500);
    });
    expect(stallMs).toBeLessThan(MAX_STALL_MS);
  });

  // Uploads are written to disk as they arrive, and end at their own limit.
  const inMemory = BODIES.filter(([name]) => !['of an archive', 'of many files'].includes(name));
  test.each(inMemory)('%s, without an end, loses its connection', async (_, method, path, headers) => {
    const connection = await openConnection(hostile.server.port);
    await connection.send(head(method, path, headers));
    while (await connection.send(CHUNKS));
    await connection.closed;
  });

  test.each(BODIES)('%s, without an end, eight at a time', async (_, method, path, headers) => {
    const stallMs = await leastStall(8, async (connection) => {
      await connection.send(head(method, path, headers));
      for (let piece = 0; piece < 20 && (await connection.send(CHUNKS)); piece++);
    });
    expect(stallMs).toBeLessThan(MAX_STALL_MS);
  });
});

describe('a body in small chunks is accepted', () => {
  const page = JSON.stringify({ name: 'Chunks', html_content: '<p>0123456789'.repeat(20_000) });
  const split = (text: string, size: number) => text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
  const mixed = split(page, 60_000).flatMap((part, at) => (at % 2 ? [part] : split(part, 3)));
  test.each([
    ['of one byte', split(page, 1), 100_000],
    ['of ten bytes', split(page, 10), 100_000],
    ['between large ones', mixed, 100_000],
    ['that come one by one', [...split(page.slice(0, 7_000), 7), page.slice(7_000)], 1],
  ])('%s', async (_, chunks, atOnce) => {
    const connection = await openConnection(hostile.server.port);
    await connection.send(head('POST', '/api/pages', JSON_TYPE));
    const wire = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    for (let at = 0; at < wire.length; at += atOnce)
      await connection.send(wire.slice(at, at + atOnce).join(''));
    await connection.send(END);
    const answer = await connection.answer();
    expect([answer?.status, answer?.headers.connection]).toEqual([201, undefined]);
    await connection.send(`GET /livez HTTP/1.1\r\nHost: localhost:${hostile.server.port}\r\n\r\n`);
    expect((await connection.answer())?.status).toBe(200);
    connection.close();
  });
});

test('the server keeps running', () => {
  expect(isRunning(hostile.server.pid)).toBeTrue();
  expect(hostile.failures()).toBe(0);
});
