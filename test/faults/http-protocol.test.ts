import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startHaproxy } from '../support/cluster/haproxy.ts';
import { type FunctionServer, startFunctionServer } from '../support/functions/server.ts';
import { call } from '../support/http/client.ts';
import { exchange, openConnection } from '../support/http/socket.ts';
import { freePort } from '../support/server.ts';

/** HTTP on the wire: what client libraries hide, or would never send. */

const SCOPES = ['pages:read', 'pages:write', 'functions:read', 'functions:write'];
const WORDS = 'words '.repeat(1_000);
let server: FunctionServer;
let page: { id: number; slug: string };
let functionHost: string;

beforeAll(async () => {
  server = await startFunctionServer();
  const { token } = server.owner;
  const fields = { name: 'Wire', html_content: `<!doctype html><p>${WORDS}`, storage_mode: 'social_app' };
  page = (await call(server, 'POST', '/api/pages', { token, body: fields })).body.page;
  const slug = await server.deploy(`let count = 0; export default { async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === '/count') return new Response(String(++count));
    if (pathname === '/wait') {
      await scheduler.wait(200);
      return new Response('waited');
    }
    if (pathname === '/streamed') {
      return new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(10)); c.close(); } }));
    }
    return new Response('x'.repeat(1234));
  } }`);
  const { workerUrl } = (await call(server, 'GET', `/api/functions/${slug}`)).body;
  functionHost = new URL(workerUrl).host;
});
afterAll(() => server.kill());

const ask = (method: string, path: string, headers: Record<string, string> = {}) => {
  const all = { Host: `localhost:${server.port}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
};
const bearer = () => ({ Authorization: `Bearer ${server.owner.token}` });

describe('HEAD', () => {
  test.each<[string, () => string, () => Record<string, string>]>([
    ['a page', () => `/p/${page.slug}`, () => ({})],
    ['a missing page', () => '/p/nothing-here', () => ({})],
    ['the health', () => '/readyz', () => ({})],
    ['a list', () => '/api/functions', () => ({})],
    ['a detail', () => '/api/functions/unfurl-url', () => ({})],
    ['a page as JSON', () => `/api/pages/${page.id}`, bearer],
    ['a list that needs a token', () => '/api/pages', () => ({})],
    ['records', () => `/api/pages/${page.id}/social-data/notes`, () => ({})],
    ['an agent spec', () => `/api/pages/${page.slug}/agent-spec`, () => ({})],
    ['the OpenAPI document', () => '/api/openapi.json', () => ({})],
    ['a screen', () => '/login', () => ({})],
    ['a document', () => '/docs', () => ({})],
    ['an unknown path', () => '/api/nothing', () => ({})],
    ['the host of a function', () => '/', () => ({ Host: functionHost })],
  ])('has the status and headers of GET, and no body: %s', async (_, path, headers) => {
    const get = await exchange(server.port, ask('GET', path(), headers()));
    const connection = await openConnection(server.port);
    // A body would be read as the start of the next response.
    await connection.send(ask('HEAD', path(), headers()));
    const head = await connection.answer(undefined, 'HEAD');
    await connection.send(ask('GET', '/livez'));
    expect((await connection.answer())?.status).toBe(200);
    connection.close();

    expect(head?.status).toBe(get?.status as number);
    const comparable = ({ date, 'x-request-id': id, ...rest }: Record<string, string> = {}) => rest;
    expect(comparable(head?.headers)).toEqual(comparable(get?.headers));
    expect(Number(head?.headers['content-length'])).toBeGreaterThan(0);
  });

  test('has no Content-Length if GET has none', async () => {
    for (const path of [`/api/pages/${page.id}/events?collections=notes`, '/streamed']) {
      const headers: Record<string, string> = path === '/streamed' ? { Host: functionHost } : {};
      const head = await exchange(server.port, ask('HEAD', path, headers));
      expect(head?.status).toBe(200);
      expect(head?.headers['content-length']).toBeUndefined();
    }
  });
});

describe('JSON of more than 1 KB', () => {
  const get = async (path: string, accepted?: string, extra: Record<string, string> = {}) => {
    const response = await fetch(`http://localhost:${server.port}${path}`, {
      headers: { ...extra, ...(accepted !== undefined && { 'accept-encoding': accepted }) },
      decompress: false,
    } as RequestInit);
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const large = () => `/api/pages/${page.id}`;

  test.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['br', 'br'],
    ['br, gzip;q=0.5', 'br'],
    ['gzip;q=0', null],
    ['identity', null],
    ['', null],
  ])('is compressed for Accept-Encoding %p: %p', async (accepted, encoding) => {
    const plain = await get(large(), 'identity', bearer());
    expect(plain.bytes.length).toBeGreaterThan(5_000);
    const { response, bytes } = await get(large(), accepted, bearer());
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toContain('Accept-Encoding');
    expect(Number(response.headers.get('content-length'))).toBe(bytes.length);
    const text =
      encoding === 'gzip' ? gunzipSync(bytes) : encoding === 'br' ? brotliDecompressSync(bytes) : bytes;
    expect(JSON.parse(text.toString())).toEqual(JSON.parse(plain.bytes.toString()));
    if (encoding) expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
  });

  test('is compressed if it is very large, a list of records, the OpenAPI document, or for HEAD', async () => {
    const { token } = server.owner;
    const fields = { name: 'Large', html_content: WORDS.repeat(100) };
    const made = (await call(server, 'POST', '/api/pages', { token, body: fields })).body.page;
    const whole = await get(`/api/pages/${made.id}`, 'gzip', bearer());
    expect(JSON.parse(gunzipSync(whole.bytes).toString()).page.html_content).toBe(fields.html_content);

    const records = `/api/pages/${page.id}/social-data/packed`;
    for (let made = 0; made < 10; made++) {
      await call(server, 'POST', records, { token, body: { data: { text: WORDS.slice(0, 200) } } });
    }
    const list = await get(records, 'gzip');
    expect(list.response.headers.get('content-encoding')).toBe('gzip');
    expect(JSON.parse(gunzipSync(list.bytes).toString()).total).toBe(10);
    const head = await exchange(server.port, ask('HEAD', records, { 'Accept-Encoding': 'gzip' }));
    expect(Number(head?.headers['content-length'])).toBe(list.bytes.length);

    const described = await get('/api/openapi.json', 'gzip');
    expect(described.response.headers.get('content-encoding')).toBe('gzip');
  });

  test('is not compressed if it is shorter or contains a secret', async () => {
    const short = await get('/api/functions/unfurl-url', 'gzip');
    expect([short.response.headers.get('content-encoding'), short.bytes.length < 1024]).toEqual([null, true]);
    const response = await fetch(`http://localhost:${server.port}/api/auth/tokens`, {
      method: 'POST',
      headers: { ...bearer(), 'accept-encoding': 'gzip', 'content-type': 'application/json' },
      body: JSON.stringify({ name: '語'.repeat(100), scopes: SCOPES }),
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('content-encoding')).toBeNull();
  });
});

describe('two Host headers', () => {
  test.each([
    ['different ones, for a page', () => `/p/${page.slug}`, 'evil.example'],
    ['different ones, for the API', () => '/api/functions', 'evil.example'],
    ['the same one twice', () => '/api/functions', 'localhost'],
  ])('are refused with 400: %s', async (_, path, second) => {
    const request = `GET ${path()} HTTP/1.1\r\nHost: localhost\r\nHost: ${second}\r\n\r\n`;
    expect((await exchange(server.port, request))?.status).toBe(400);
  });
});

describe('a long URL', () => {
  const where = (length: number) => `/api/pages/${page.id}/social-data/notes?where=${'9'.repeat(length)}`;

  test('with a parameter of 20,000 characters reaches the API', async () => {
    expect((await exchange(server.port, ask('GET', where(20_000))))?.status).toBe(400);
    const filter = encodeURIComponent(JSON.stringify({ title: '"'.repeat(9_900) }));
    expect(filter.length).toBeGreaterThan(50_000);
    const path = `/api/pages/${page.id}/social-data/notes?where=${filter}`;
    expect((await exchange(server.port, ask('GET', path)))?.status).toBe(200);
  });

  test('with a parameter of 20,001 characters is refused, and the error names the parameter', async () => {
    const answer = await exchange(server.port, ask('GET', where(20_001)));
    expect(answer?.status).toBe(400);
    expect(JSON.parse(answer?.body ?? '').details[0].path).toBe('where');
  });

  test('of more than 64 KB is refused with 431', async () => {
    expect((await exchange(server.port, ask('GET', where(66_000))))?.status).toBe(431);
  });
});

describe('unusual methods', () => {
  test.each(['PROPFIND', 'TRACE', 'PURGE', 'OPTIONS'])('%s gets a response', async (method) => {
    for (const path of ['/api/pages', `/p/${page.slug}`]) {
      const answer = await exchange(server.port, ask(method, path));
      expect(answer?.status).toBe(method === 'OPTIONS' ? 204 : 405);
      expect(answer?.headers.allow).toContain('GET');
    }
  });
});

describe('pipelined requests', () => {
  test('are answered in order when the responses are ready immediately', async () => {
    const connection = await openConnection(server.port);
    const paths = [`/p/${page.slug}`, '/api/functions/unfurl-url', '/api/nothing', '/livez'];
    await connection.send(paths.map((path) => ask('GET', path)).join(''));
    const statuses = [];
    for (const _ of paths) statuses.push((await connection.answer())?.status);
    expect(statuses).toEqual([200, 200, 404, 200]);
    connection.close();
  });

  test('behind a call of a function close the connection, and the call does not run', async () => {
    const count = (length = '0') =>
      ask('POST', '/count', { Host: functionHost, 'Content-Length': length }) + 'x'.repeat(Number(length));
    const before = Number((await exchange(server.port, count()))?.body);
    for (const length of ['0', '1']) {
      const connection = await openConnection(server.port);
      await connection.send(count(length) + ask('GET', '/livez'));
      await connection.closed;
    }
    expect(Number((await exchange(server.port, count()))?.body)).toBe(before + 1);
  });

  test('are answered in order behind the sample haproxy, also when the first takes longer', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quire-haproxy-'));
    const port = await freePort();
    const haproxy = await startHaproxy({ folder, port, nodes: { one: `127.0.0.1:${server.port}` } });
    try {
      const connection = await openConnection(port);
      const slow = ask('POST', '/wait', { Host: functionHost, 'Content-Length': '0' });
      await connection.send(slow + ask('GET', '/api/functions/unfurl-url') + ask('GET', '/api/nothing'));
      const first = await connection.answer();
      expect([first?.status, first?.body]).toEqual([200, 'waited']);
      expect((await connection.answer())?.status).toBe(200);
      expect((await connection.answer())?.status).toBe(404);
      connection.close();
    } finally {
      await haproxy.stop();
      rmSync(folder, { recursive: true });
    }
  });
});

test.each(['/', '/api/pages/1/files'])('two equal Content-Lengths are one: %s', async (path) => {
  const type = { ...bearer(), 'Content-Type': 'application/zip', 'Content-Length': '2\r\nContent-Length: 2' };
  const head = ask(
    path === '/' ? 'POST' : 'PUT',
    path,
    path === '/' ? { ...type, Host: functionHost } : type,
  );
  expect((await exchange(server.port, `${head}hi`))?.status).toBe(path === '/' ? 200 : 400);
});

describe('a refusal on a connection that will close', () => {
  test.each([
    ['too long', '/api/auth/login', 413],
    ['without a token', '/api/pages', 401],
    ['to nowhere', '/api/nothing', 404],
  ])('reaches a client that is still sending: %s', async (_, path, status) => {
    for (let round = 0; round < 5; round++) {
      const connection = await openConnection(server.port);
      const headers = {
        Connection: 'close',
        'Content-Type': 'application/json',
        'Content-Length': '6000000',
      };
      await connection.send(ask('POST', path, headers));
      for (let sent = 0; sent < 60; sent++) await connection.send(Buffer.alloc(100_000, 'a'));
      expect((await connection.answer())?.status).toBe(status);
      await connection.closed;
    }
  });

  test('reaches a waiting client quickly', async () => {
    const headers = { Connection: 'close', 'Content-Type': 'application/json', 'Content-Length': '6000000' };
    expect((await exchange(server.port, ask('POST', '/api/auth/login', headers), 4_000))?.status).toBe(413);
  });
});
