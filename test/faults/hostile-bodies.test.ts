import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { isRunning, residentMegabytes } from '../support/faults/process.ts';
import { rounds } from '../support/faults/rounds.ts';
import { call, register } from '../support/http/client.ts';
import { exchange, openConnection, type RawAnswer } from '../support/http/socket.ts';
import { startServer, type TestServer } from '../support/server.ts';

const MAX_HTML_BYTES = 4_194_304;
const CHUNK = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 'a'), Buffer.from('\r\n')]);

let server: TestServer;
let token: string;
let printedBefore: number;

beforeAll(async () => {
  server = await startServer();
  ({ token } = await register(server, 'ada'));
});
beforeEach(() => {
  printedBefore = server.output().length;
});
/** Whatever was sent, the same process keeps running, without an internal error. */
afterEach(async () => {
  expect((await call(server, 'GET', '/healthz')).status).toBe(200);
  expect(isRunning(server.pid)).toBeTrue();
  const printed = server.output().slice(printedBefore).split('\n');
  expect(printed.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
afterAll(() => server.kill());

describe('a body that is too long', () => {
  test.each([
    ['a page', '/api/pages', 25_231_361],
    ['a login', '/api/auth/login', 1_048_577],
    ['a page, by far', '/api/pages', 100_000_000],
    ['a login, by far', '/api/auth/login', 10_000_000_000],
  ])('is refused because of its Content-Length before it is sent: %s', async (_, path, length) => {
    expectTooLarge(await exchange(server.port, head({ path, headers: `Content-Length: ${length}\r\n` })));
  });

  test.each([
    ['/api/pages', 'Transfer-Encoding: chunked', CHUNK],
    ['/api/auth/login', 'Transfer-Encoding: chunked', CHUNK],
    ['/api/pages', 'Content-Length: 60000000', Buffer.alloc(0x10000, 'a')],
    ['/api/auth/login', 'Content-Length: 60000000', Buffer.alloc(0x10000, 'a')],
  ])('is refused while it is sent, and the client can read why: %s, %s', async (path, header, piece) => {
    for (let round = 0; round < rounds(1, 5); round++) expectTooLarge(await sendForever(path, header, piece));
  });

  test('that never ends uses no memory', async () => {
    await sendForever('/api/pages', 'Transfer-Encoding: chunked', CHUNK);
    const before = residentMegabytes(server.pid);
    for (let round = 0; round < rounds(12, 40); round++) {
      await sendForever('/api/pages', 'Transfer-Encoding: chunked', CHUNK);
    }
    // Twelve bodies up to the limit are 288 MB. If they were kept, it would show.
    expect(residentMegabytes(server.pid) - before).toBeLessThan(200);
  });

  test('that no route reads uses no memory', async () => {
    const before = residentMegabytes(server.pid);
    const answer = await sendForever('/api/nothing', 'Transfer-Encoding: chunked', CHUNK);
    expect(answer?.status).toBe(404);
    // Nobody waits for the end of this one: its sender may not see the response.
    await sendForever('/api/nothing', 'Transfer-Encoding: chunked', CHUNK, 'GET');
    expect(residentMegabytes(server.pid) - before).toBeLessThan(100);
  });
});

describe('html_content', () => {
  test.each([
    ['of exactly 4 MiB is accepted', MAX_HTML_BYTES, 201],
    ['of one byte more is refused', MAX_HTML_BYTES + 1, 413],
    ['of 5 MB is refused', 5_000_000, 413],
  ])('%s', async (_, size, status) => {
    const body = { name: 'Large', html_content: 'a'.repeat(size) };
    const answer = await call(server, 'POST', '/api/pages', { token, body });
    expect(answer.status).toBe(status);
    if (status === 413) expect(answer.body.code).toBe('PAYLOAD_TOO_LARGE');
    else expect((await call(server, 'GET', `/p/${answer.body.page.slug}`)).body.length).toBeGreaterThan(size);
  });

  test('is measured in bytes, not in characters', async () => {
    const html = 'é'.repeat(MAX_HTML_BYTES / 2);
    const fits = { name: 'Accents', html_content: html };
    expect((await call(server, 'POST', '/api/pages', { token, body: fits })).status).toBe(201);
    const over = { name: 'Accents', html_content: `${html}e` };
    expect((await call(server, 'POST', '/api/pages', { token, body: over })).status).toBe(413);
  });

  test('of exactly 4 MiB is accepted even if JSON escapes every byte with six', async () => {
    const spelled = '\\u0061'.repeat(MAX_HTML_BYTES);
    const body = `{"name":"Spelled","html_content":"${spelled}"}`;
    const answer = await exchange(
      server.port,
      `${head({ headers: `Content-Length: ${body.length}\r\n` })}${body}`,
    );
    expect(answer?.status).toBe(201);
  });
});

describe('JSON nested a million levels deep', () => {
  const arrays = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
  test.each([
    ['arrays', arrays],
    ['arrays in a field', `{"name":"x","html_content":${arrays}}`],
    ['objects', `${'{"a":'.repeat(1_000_000)}1${'}'.repeat(1_000_000)}`],
    ['arrays that never end', '['.repeat(1_000_000)],
    ['objects that never end', '{"a":'.repeat(1_000_000)],
  ])('is refused with 400: %s', async (_, body) => {
    const answer = await exchange(
      server.port,
      `${head({ headers: `Content-Length: ${body.length}\r\n` })}${body}`,
    );
    expect(answer?.status).toBe(400);
    expect(JSON.parse(answer?.body ?? '').code).toBe('BAD_REQUEST');
  });
});

describe('a malformed request', () => {
  const page = JSON.stringify({ name: 'x', html_content: '<p>x' });
  const get = (path: string, headers = 'Host: localhost\r\n') => `GET ${path} HTTP/1.1\r\n${headers}\r\n`;
  const post = (headers: string, body: string) => head({ headers }) + body;
  const chunked = 'Transfer-Encoding: chunked\r\n';

  test.each<[string, () => string, number]>([
    ['a Content-Length shorter than the body', () => post('Content-Length: 10\r\n', page), 400],
    ['a negative Content-Length', () => post('Content-Length: -1\r\n', page), 400],
    ['a Content-Length that is not a number', () => post('Content-Length: 1e3\r\n', page), 400],
    ['a Content-Length of thirty digits', () => post(`Content-Length: ${'9'.repeat(30)}\r\n`, page), 400],
    ['two different Content-Lengths', () => post('Content-Length: 5\r\nContent-Length: 36\r\n', page), 400],
    [
      'Content-Length and chunks',
      () => post(`Content-Length: 5\r\n${chunked}`, `24\r\n${page}\r\n0\r\n\r\n`),
      400,
    ],
    ['an unknown Transfer-Encoding', () => post('Transfer-Encoding: gzip\r\n', page), 400],
    ['two Transfer-Encodings', () => post(`${chunked}Transfer-Encoding: identity\r\n`, page), 400],
    ['a chunk size that is not a number', () => post(chunked, `zz\r\n${page}\r\n0\r\n\r\n`), 400],
    ['a negative chunk size', () => post(chunked, `-24\r\n${page}\r\n0\r\n\r\n`), 400],
    ['a chunk size of twenty digits', () => post(chunked, `${'f'.repeat(20)}\r\n${page}`), 400],
    ['a chunk longer than its size', () => post(chunked, `5\r\n${page}\r\n0\r\n\r\n`), 400],
    ['a header of 64 KB', () => get('/healthz', `Host: localhost\r\nX-Long: ${'a'.repeat(65_536)}\r\n`), 431],
    ['a thousand headers', () => get('/healthz', `Host: localhost\r\n${'X-Many: 1\r\n'.repeat(1_000)}`), 431],
    ['an address of 64 KB', () => get(`/${'a'.repeat(65_536)}`), 431],
    ['no Host', () => get('/healthz', ''), 400],
    ['an empty Host', () => get('/healthz', 'Host:\r\n'), 400],
    ['a Host with spaces and slashes', () => get('/healthz', 'Host: a b/c?d\r\n'), 400],
    ['a Host with half an IP address', () => get('/api/pages', 'Host: [::\r\n'), 421],
    ['a Host with a port out of range', () => get('/login', 'Host: localhost:99999\r\n'), 400],
    ['a Host with a slash, for a page', () => get('/p/x', 'Host: a/b\r\n'), 400],
    ['something that is not HTTP', () => '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n', 400],
    ['broken escapes in an address', () => get('/api/pages/%zz%'), 404],
    ['broken escapes in a slug', () => get('/p/%ff%00%zz'), 404],
  ])('is refused: %s', async (_, request, status) => {
    expect((await exchange(server.port, request()))?.status).toBe(status);
  });

  test('cannot smuggle a second request', async () => {
    const connection = await openConnection(server.port);
    const hidden = get('/healthz');
    await connection.send(post(`Content-Length: ${hidden.length}\r\n${chunked}`, `0\r\n\r\n${hidden}`));
    expect((await connection.answer())?.status).toBe(400);
    expect(await connection.answer()).toBeUndefined();
    connection.close();
  });

  test('with bytes after its end gets a response, and so does the request in those bytes', async () => {
    const connection = await openConnection(server.port);
    const first = post(`Content-Length: ${page.length}\r\n`, page);
    await connection.send(first + get('/healthz') + get('/healthz'));
    const statuses = [];
    for (let turn = 0; turn < 3; turn++) statuses.push((await connection.answer())?.status);
    expect(statuses).toEqual([201, 200, 200]);
    connection.close();
  });

  test('a GET with a body is handled like one without', async () => {
    const request = head({ method: 'GET', headers: `Content-Length: ${page.length}\r\n` }) + page;
    expect((await exchange(server.port, request))?.status).toBe(200);
  });

  test('Expect: 100-continue is confirmed, then the request gets its response', async () => {
    const connection = await openConnection(server.port);
    await connection.send(head({ headers: `Content-Length: ${page.length}\r\nExpect: 100-continue\r\n` }));
    expect((await connection.answer())?.status).toBe(100);
    await connection.send(page);
    expect((await connection.answer())?.status).toBe(201);
    connection.close();
  });

  test('a body that is cut off creates nothing', async () => {
    const pages = async () => (await call(server, 'GET', '/api/pages', { token })).body.total;
    const before = await pages();
    const chunkedPage = `24\r\n${page}\r\n`;
    for (const request of [post('Content-Length: 1000\r\n', page), post(chunked, chunkedPage)]) {
      const ended = await openConnection(server.port);
      await ended.send(request);
      ended.socket.end();
      await ended.closed;
      const reset = await openConnection(server.port);
      await reset.send(request);
      reset.socket.resetAndDestroy();
    }
    expect(await pages()).toBe(before);
  });

  test('a body that arrives slowly does not delay other requests', async () => {
    const slow = await Promise.all(Array.from({ length: 50 }, () => openConnection(server.port)));
    for (const connection of slow) await connection.send(post('Content-Length: 100000\r\n', '{"name":"'));
    for (let turn = 0; turn < 10; turn++) {
      for (const connection of slow) expect(await connection.send('x')).toBeTrue();
      const created = await call(server, 'POST', '/api/pages', {
        token,
        body: { name: 'Quick', html_content: '<p>quick' },
        timeoutMs: 30_000,
      });
      expect(created.status).toBe(201);
    }
    for (const connection of slow) connection.close();
  });
});

function head(options: { method?: string; path?: string; headers: string }): string {
  return (
    `${options.method ?? 'POST'} ${options.path ?? '/api/pages'} HTTP/1.1\r\nHost: localhost\r\n` +
    `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n${options.headers}\r\n`
  );
}

/** Sends pieces as fast as possible until a response begins, and a little more after it. */
async function sendForever(
  path: string,
  header: string,
  piece: Uint8Array,
  method = 'POST',
): Promise<RawAnswer | undefined> {
  const connection = await openConnection(server.port);
  let isAnswered = false;
  connection.socket.once('data', () => {
    isAnswered = true;
  });
  const answer = connection.answer();
  try {
    await connection.send(head({ method, path, headers: `${header}\r\n` }));
    // Never more than Content-Length: more would be another request, and an invalid one.
    const length = Number(/Content-Length: (\d+)/.exec(header)?.[1] ?? Number.POSITIVE_INFINITY);
    let left = Math.floor(length / piece.length);
    while (!isAnswered && left-- > 0 && (await connection.send(piece)));
    for (let more = 0; more < 16 && left-- > 0 && (await connection.send(piece)); more++);
    return await answer;
  } finally {
    connection.close();
  }
}

function expectTooLarge(answer: RawAnswer | undefined): void {
  expect(answer?.status).toBe(413);
  expect(JSON.parse(answer?.body ?? '').code).toBe('PAYLOAD_TOO_LARGE');
  expect(answer?.headers['x-request-id']).toBeString();
}
