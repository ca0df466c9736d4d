import { afterAll, beforeAll, describe, expect, jest, test } from 'bun:test';
import {
  limitBody,
  MAX_ANSWER_BYTES,
  MAX_ANSWER_MS,
} from '../../server/product/functions/calls/response-body.ts';
import { residentMegabytes } from '../support/faults/process.ts';
import {
  type FunctionServer,
  HELLO,
  handler,
  helpers,
  startFunctionServer,
} from '../support/functions/server.ts';
import { openConnection, type RawConnection } from '../support/http/socket.ts';
import { waitUntil } from '../support/server.ts';

let quire: FunctionServer;
beforeAll(async () => {
  quire = await startFunctionServer();
});
afterAll(() => quire.stop());

const cellNames = () => helpers(quire).flatMap(({ kind, name }) => (kind === 'cell' ? [name] : []));

/** Deploys a function and returns the name of its cell. */
async function deploy(code: string): Promise<{ slug: string; cell: string }> {
  const before = cellNames();
  const slug = await quire.deploy(code);
  const [cell = ''] = cellNames().filter((name) => !before.includes(name));
  return { slug, cell };
}

const post = (slug: string) =>
  fetch(`http://127.0.0.1:${quire.port}/api/functions/${slug}`, { method: 'POST', keepalive: false });

/** Reads a body as far as possible. */
async function read(response: Response): Promise<{ bytes: number; isWhole: boolean }> {
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) bytes += chunk.length;
    return { bytes, isWhole: true };
  } catch {
    return { bytes, isWhole: false };
  }
}

async function sendRaw(slug: string, length: number, body = ''): Promise<RawConnection> {
  const connection = await openConnection(quire.port);
  await connection.send(
    `POST /api/functions/${slug} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${body}`,
  );
  return connection;
}

/**
 * Deploys a new version and waits until the old cell ends: immediately if no call is counted, else after 30
 * s.
 */
async function expectNothingInFlight({ slug, cell }: { slug: string; cell: string }): Promise<void> {
  expect(cellNames()).toContain(cell);
  expect((await quire.redeploy(slug, HELLO)).status).toBe(200);
  await waitUntil(async () => !cellNames().includes(cell), 25_000);
  expect((await quire.call(slug)).body).toBe('hello');
}

/** Waits until a call has reached its cell. */
const untilStarted = (slug: string) =>
  waitUntil(async () => (await quire.logs(slug)).some(({ message }) => message === 'started'));

const ENDLESS = handler(`const chunk = new Uint8Array(64 * 1024);
  return new Response(new ReadableStream({ pull(controller) { controller.enqueue(chunk); } }))`);
const DRIPPING = handler(`return new Response(new ReadableStream({
  async pull(controller) { await scheduler.wait(20); controller.enqueue(new Uint8Array(1000)); } }))`);
/** Announces a hundred bytes and sends ten. */
const STALLING = handler(`console.log('started');
  const { readable, writable } = new FixedLengthStream(100);
  ctx.waitUntil((async () => {
    await writable.getWriter().write(new Uint8Array(10));
    await scheduler.wait(1e9);
  })());
  return new Response(readable);`);

describe('an endless response', () => {
  test('is cut off near 100 MB in a way that clients notice', async () => {
    const { slug } = await deploy(ENDLESS);
    const { bytes, isWhole } = await read(await post(slug));
    expect(isWhole).toBeFalse();
    expect(bytes).toBeWithin(90 * 1024 * 1024, MAX_ANSWER_BYTES + 1);
    const connection = await sendRaw(slug, 0);
    let tail = '';
    connection.socket.on('data', (chunk: Buffer) => {
      tail = (tail + chunk.toString('latin1')).slice(-5);
    });
    await connection.closed;
    expect(tail).not.toBe('0\r\n\r\n');
    await waitUntil(async () => (await quire.logs(slug)).length === 2);
    expect((await quire.logs(slug)).map(({ message }) => message)).toEqual(
      Array(2).fill('streamed more than 100 MB'),
    );
  }, 120_000);

  test('is not buffered for callers who do not read it', async () => {
    const { slug, cell } = await deploy(ENDLESS);
    const before = residentMegabytes(quire.pid);
    const connections = await Promise.all(Array.from({ length: 10 }, () => sendRaw(slug, 0)));
    for (const { socket } of connections) socket.pause();
    await Bun.sleep(2_000);
    expect(residentMegabytes(quire.pid) - before).toBeLessThan(100);
    for (const connection of connections) connection.close();
    await expectNothingInFlight({ slug, cell });
  }, 120_000);

  test('is cut off after five minutes', async () => {
    jest.useFakeTimers();
    try {
      const ends: unknown[] = [];
      let isCancelled = false;
      const silent = new ReadableStream<Uint8Array>({
        pull: () => new Promise(() => undefined),
        cancel: () => {
          isCancelled = true;
        },
      });
      const reading = limitBody(silent, (error) => ends.push(error))
        .getReader()
        .read();
      const failure = reading.then(
        () => 'read',
        () => 'broken off',
      );
      jest.advanceTimersByTime(MAX_ANSWER_MS - 1);
      expect(ends).toEqual([]);
      jest.advanceTimersByTime(1);
      expect(await failure).toBe('broken off');
      expect(ends).toEqual(['streamed for more than 5 minutes']);
      expect(isCancelled).toBeTrue();
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('a caller who disconnects', () => {
  test('before the response, during it, or during the request, occupies nothing', async () => {
    const waiting = await deploy(handler(`console.log('started'); await scheduler.wait(1e9)`));
    const dripping = await deploy(DRIPPING);
    const stalling = await deploy(STALLING);
    const uploading = await deploy(handler('return new Response(await request.text())'));
    const unsent = await Promise.all([
      sendRaw(waiting.slug, 0),
      sendRaw(stalling.slug, 0),
      sendRaw(uploading.slug, 1_000_000, 'x'.repeat(500_000)),
      sendRaw(uploading.slug, 100, 'x'.repeat(50)),
    ]);
    const answering = await sendRaw(dripping.slug, 0);
    await new Promise((resolve) => answering.socket.once('data', resolve));
    await Promise.all([waiting, stalling].map(({ slug }) => untilStarted(slug)));
    for (const connection of [...unsent, answering]) connection.close();
    await Promise.all([waiting, dripping, stalling, uploading].map(expectNothingInFlight));
    const left = async (slug: string) =>
      (await quire.logs(slug)).filter(({ message }) => /the caller left/i.test(message)).length;
    await waitUntil(async () => (await left(waiting.slug)) === 1 && (await left(dripping.slug)) === 1);
  }, 120_000);
});

describe('a cell that is killed during a response', () => {
  test('cuts it off in a way that clients notice, and the next calls get another cell', async () => {
    const { slug, cell } = await deploy(DRIPPING);
    const response = await post(slug);
    const reader = response.body?.getReader();
    await reader?.read();
    for (const { pid, kind, name } of helpers(quire))
      if (kind === 'cell' && name === cell) process.kill(pid, 9);
    const reading = (async () => {
      while (!(await reader?.read())?.done);
    })();
    expect(
      await reading.then(
        () => 'an end',
        () => 'a break',
      ),
    ).toBe('a break');
    // A call can still reach the dying cell, but not for long.
    await waitUntil(async () => {
      const next = await post(slug);
      await next.body?.cancel();
      return next.status === 200;
    });
  }, 120_000);

  test('causes 502 when the response is incomplete, also with a Content-Length', async () => {
    const { slug, cell } = await deploy(STALLING);
    const answer = quire.call(slug);
    await untilStarted(slug);
    for (const { pid, kind, name } of helpers(quire))
      if (kind === 'cell' && name === cell) process.kill(pid, 9);
    expect((await answer).status).toBe(502);
  }, 120_000);
});

describe('an unusual response', () => {
  const cases: Array<[name: string, body: string, status: number[]]> = [
    ['ten thousand headers', 'for (let i = 0; i < 10_000; i++) headers.append("x-" + i, "v");', [502]],
    ['a header of a megabyte', 'headers.set("x-long", "v".repeat(1e6));', [200, 502]],
    ['a line break in a header', 'headers.set("x-a", "a\\r\\nset-cookie: a=b");', [500]],
    ['a zero byte in a header', 'headers.set("x-a", "a\\0b");', [500]],
    ['control characters in a header', 'headers.set("x-a", "a\\u0001b\\u007f");', [502]],
    ['a Content-Length that is wrong', 'headers.set("content-length", "100");', [200]],
    ['a negative Content-Length', 'headers.set("content-length", "-1");', [200]],
    ['a Transfer-Encoding', 'headers.set("transfer-encoding", "gzip");', [200]],
    ['hop-by-hop headers', 'headers.set("connection", "upgrade"); headers.set("upgrade", "h2c");', [200]],
  ];
  test.each(cases)('with %s does not harm the server', async (_, body, statuses) => {
    const slug = await quire.deploy(
      handler(`const headers = new Headers(); ${body} return new Response('x', { headers })`),
    );
    const answer = await quire.call(slug);
    expect(statuses).toContain(answer.status);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('upgrade')).toBeNull();
    if (answer.status === 200) expect(answer.body).toBe('x');
    else expect(answer.body).toEqual({ success: false, error: expect.any(String) });
    expect((await quire.call(slug)).status).toBe(answer.status);
  });

  const endings: Array<[name: string, body: string]> = [
    [
      'a WebSocket',
      'const [ours, theirs] = Object.values(new WebSocketPair()); theirs.accept(); return new Response(null, { status: 101, webSocket: ours });',
    ],
    ['a body that was already read', 'const used = new Response("x"); await used.text(); return used;'],
    ['an exit of the process', 'process.exit(1);'],
    ['an abort', 'process.abort();'],
  ];
  test.each(endings)('that is %s becomes an exception of the function', async (_, body) => {
    const slug = await quire.deploy(
      handler(`if ((await request.json()) === 'now') { ${body} } return new Response('ok')`),
    );
    const answer = await quire.call(slug, { body: 'now' });
    expect([answer.status, answer.body]).toEqual([
      500,
      { success: false, error: 'The function threw an exception' },
    ]);
    expect((await quire.call(slug, { body: 'later' })).body).toBe('ok');
  });

  test('with status 500 and a body of its own is passed on', async () => {
    const slug = await quire.deploy(handler('return new Response("Internal Server Error", { status: 500 })'));
    const answer = await quire.call(slug);
    expect([answer.status, answer.body]).toEqual([500, 'Internal Server Error']);
  });
});

describe('a function with hundreds of waiting callers', () => {
  test('refuses callers above its limit, and does not block other functions', async () => {
    const { slug, cell } = await deploy(handler('await scheduler.wait(1e9)'));
    const neighbour = await quire.deploy(HELLO);
    const connections = await Promise.all(Array.from({ length: 600 }, () => sendRaw(slug, 0)));
    for (let i = 0; i < 20; i++) expect((await quire.call(neighbour)).body).toBe('hello');
    for (const connection of connections) {
      // How many calls it accepts depends on the number of processors. The others get a response.
      if (connection.socket.bytesRead === 0) continue;
      const answer = await connection.answer();
      expect([answer?.status, answer?.headers['retry-after']]).toEqual([503, '1']);
    }
    for (const connection of connections) connection.close();
    await expectNothingInFlight({ slug, cell });
  }, 120_000);
});

describe('a compressed response', () => {
  test('is passed on unchanged', async () => {
    const text = 'compress me '.repeat(1_000);
    const packed = Bun.gzipSync(text);
    const slug = await quire.deploy(
      handler(`return new Response(Uint8Array.from(atob('${packed.toBase64()}'), (c) => c.charCodeAt(0)), {
        encodeBody: 'manual', headers: { 'content-encoding': 'gzip', 'content-type': 'text/plain' } })`),
    );
    const raw = await fetch(`http://127.0.0.1:${quire.port}/api/functions/${slug}`, {
      method: 'POST',
      decompress: false,
    } as RequestInit);
    expect(raw.headers.get('content-encoding')).toBe('gzip');
    expect(Buffer.compare(Buffer.from(await raw.arrayBuffer()), packed)).toBe(0);
    expect((await quire.call(slug)).body).toBe(text);
  });
});
