import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type FunctionServer, HELLO, helpers, startFunctionServer } from '../support/functions/server.ts';
import { call } from '../support/http/client.ts';
import { HANDSHAKE, openSocket, type SocketClient, type SocketOptions } from '../support/http/websocket.ts';
import { waitUntil } from '../support/server.ts';

/** WebSockets to functions, on a real server. */

/** Does what its client says. */
const TALKER = `export default {
  fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === '/refuse') return new Response('not you', { status: 401, headers: { 'x-why': 'test' } });
    if (pathname === '/throw') throw new Error('secret');
    const [client, server] = Object.values(new WebSocketPair());
    server.binaryType = 'arraybuffer';
    server.accept();
    let bytes = 0;
    server.addEventListener('message', async ({ data }) => {
      if (typeof data !== 'string') return server.send(data);
      const [command, argument] = data.split(':');
      if (command === 'headers') server.send(JSON.stringify(Object.fromEntries(request.headers)));
      else if (command === 'path') server.send(request.url);
      else if (command === 'close') server.close(Number(argument), 'done');
      else if (command === 'send') server.send('x'.repeat(Number(argument)));
      else if (command === 'flood')
        for (let count = 0; count < Number(argument); count++) server.send(count + ':' + 'x'.repeat(100_000));
      else if (command === 'count') bytes += data.length;
      else if (command === 'total') server.send(String(bytes));
      else if (command === 'hang') for (;;) {}
      else if (command === 'fill') {
        for (const kept = []; ; await new Promise((resolve) => setTimeout(resolve, 1)))
          kept.push(new Uint8Array(16e6).fill(1));
      }
      else server.send(data);
    });
    server.addEventListener('close', ({ code, reason }) => {
      console.log('closed:' + code + ':' + reason);
      try { server.close(code === 1005 || code === 1006 ? 1000 : code, reason); } catch {}
    });
    const offered = request.headers.get('sec-websocket-protocol');
    const headers = offered?.includes('chat') ? { 'sec-websocket-protocol': 'chat' } : {};
    return new Response(null, { status: 101, webSocket: client, headers });
  },
};`;

let quire: FunctionServer;
let slug: string;
let id: number;
beforeAll(async () => {
  quire = await startFunctionServer({
    settings: {
      QUIRE_TRUSTED_PROXIES: '127.0.0.1/32',
      QUIRE_CELL_CPU_SECONDS: '1',
      QUIRE_CELLS_PER_OWNER: '8',
    },
  });
  slug = await quire.deploy(TALKER);
  id = await findId(slug);
}, 120_000);
afterAll(() => quire?.stop());

async function findId(named: string, server = quire): Promise<number> {
  const { body } = await call(server, 'GET', `/api/functions/${named}`);
  return Number(/\/\/f(\d+)\./.exec(body.workerUrl)?.[1]);
}
const toHost = (functionId: number, { port } = quire) => `f${functionId}.functions.localhost:${port}`;

/** Opens a WebSocket at the function's own host. */
function open(path = '/', { headers, ...options }: SocketOptions = {}, functionId = id, server = quire) {
  return openSocket(`ws://127.0.0.1:${server.port}${path}`, {
    ...options,
    headers: { host: toHost(functionId, server), ...headers },
  });
}
const refused = (path = '/', headers: Record<string, string> = {}, functionId = id) =>
  fetch(`http://127.0.0.1:${quire.port}${path}`, {
    headers: { ...HANDSHAKE, host: toHost(functionId), ...headers },
  });
async function ask(client: SocketClient, command: string) {
  client.send(command);
  return client.next();
}
/** How many WebSockets of functions the server has. */
async function openSockets(): Promise<number> {
  const { body } = await call(quire, 'GET', '/metrics', { headers: { 'x-forwarded-for': '127.0.0.1' } });
  return Number(/quire_sockets\{kind="function"\} (\d+)/.exec(String(body))?.[1]);
}

describe('a WebSocket to a function', () => {
  test('passes text, bytes, empty messages and the path, at its own host and through the API', async () => {
    const client = await open('/room?x=1');
    expect(await ask(client, 'Grüße 👋')).toBe('Grüße 👋');
    expect(await ask(client, '')).toBe('');
    client.send(new Uint8Array([0, 1, 255]));
    expect(new Uint8Array((await client.next()) as Uint8Array)).toEqual(new Uint8Array([0, 1, 255]));
    expect(await ask(client, 'path')).toBe('http://function/room?x=1');
    client.ws.close();
    const api = await openSocket(`ws://127.0.0.1:${quire.port}/api/functions/${slug}?y=2`);
    expect(await ask(api, 'path')).toBe('http://function/?y=2');
    api.ws.close();
  });

  test('tells the function its subprotocols and address, and nothing that a client made up', async () => {
    const headers = {
      'x-quire-user-id': '1',
      cookie: 'a=b',
      authorization: 'Bearer x',
      origin: 'https://elsewhere.test',
      'x-forwarded-for': '203.0.113.7',
    };
    const client = await open('/?quire_ticket=forged', { headers, protocols: ['chat', 'other'] });
    expect(client.ws.protocol).toBe('chat');
    const seen = JSON.parse(String(await ask(client, 'headers')));
    expect(seen).toMatchObject({ 'sec-websocket-protocol': 'chat, other', 'x-forwarded-for': '203.0.113.7' });
    for (const name of ['x-quire-user-id', 'cookie', 'authorization', 'origin'])
      expect(seen).not.toHaveProperty(name);
    expect(await ask(client, 'path')).toBe('http://function/');
    client.ws.close();
  });

  test('passes the codes of both sides', async () => {
    const client = await open();
    client.send('close:4001');
    expect(await client.end).toEqual({ code: 4001, reason: 'done' });
    const logged = async (message: string) =>
      (await quire.logs(slug)).some((line) => line.message === message);
    for (const [code, reason] of [
      [4002, 'bye'],
      [1000, ''],
    ] as const) {
      const other = await open();
      other.ws.close(code, reason);
      await waitUntil(() => logged(`closed:${code}:${reason}`));
      expect((await other.end).code).toBe(code);
    }
    const silent = await open();
    silent.ws.close();
    await waitUntil(() => logged('closed:1005:'));
    const lost = await open();
    lost.ws.terminate();
    await waitUntil(async () =>
      (await quire.logs(slug)).some(({ message }) => message.startsWith('closed:1006')),
    );
  });

  test('is refused with the function’s own response, which does not tell what it threw', async () => {
    const response = await refused('/refuse');
    expect([response.status, response.headers.get('x-why'), await response.text()]).toEqual([
      401,
      'test',
      'not you',
    ]);
    const thrown = await refused('/throw');
    expect([thrown.status, await thrown.text()]).toEqual([
      500,
      JSON.stringify({ success: false, error: 'The function threw an exception' }),
    ]);
    expect((await refused('/', {}, 999_999)).status).toBe(404);
    expect((await refused('/', { 'sec-websocket-key': 'short' })).status).toBe(400);
    await waitUntil(async () => (await openSockets()) === 0);
  });

  test('is nothing that a function can send to a caller who did not ask for it', async () => {
    const answer = await quire.call(slug);
    expect([answer.status, answer.body.success]).toEqual([500, false]);
  });
});

/** Like a client that tries again: while another process starts for a function, it can refuse for a moment. */
async function openInTime(headers: Record<string, string>): Promise<SocketClient> {
  let client: SocketClient | undefined;
  await waitUntil(async () => {
    client = await open('/', { headers }).catch(() => undefined);
    return client !== undefined;
  });
  return client as SocketClient;
}

describe('limits of a WebSocket to a function', () => {
  const MEGABYTE = 1024 * 1024;

  test('a message can have 1 MB in each direction, and not one byte more', async () => {
    const client = await open();
    const large = new Uint8Array(MEGABYTE).fill(7);
    client.send(large);
    expect(Buffer.compare((await client.next()) as Uint8Array, large)).toBe(0);
    client.send(`send:${MEGABYTE}`);
    expect(await client.next()).toHaveLength(MEGABYTE);
    client.send(`send:${MEGABYTE + 1}`);
    expect((await client.end).code).toBe(1009);
    const other = await open();
    other.send(new Uint8Array(MEGABYTE + 1));
    expect([1006, 1009]).toContain((await other.end).code);
    await waitUntil(async () => (await openSockets()) === 0);
  });

  test('a slow client gets every message in order', async () => {
    const client = await open();
    client.send('flood:1');
    await client.next();
    client.ws.pause();
    client.send('flood:200');
    // More than the server would keep for a client.
    const other = await open();
    expect(await ask(other, 'other')).toBe('other');
    other.ws.close();
    client.ws.resume();
    for (let count = 0; count < 200; count++) expect(await client.next()).toStartWith(`${count}:`);
    client.ws.close();
  });

  test('a slow function gets every message', async () => {
    const client = await open();
    const message = `count:${'x'.repeat(99_994)}`;
    for (let count = 0; count < 200; count++) client.send(message);
    expect(await ask(client, 'total')).toBe(String(200 * 100_000));
    client.ws.close();
  });

  test('one address can have 250, all together 1,000, and then one more when one is closed', async () => {
    await waitUntil(async () => (await openSockets()) === 0);
    const clients: SocketClient[] = [];
    for (let number = 1; number <= 4; number++) {
      const headers = { 'x-forwarded-for': `198.51.100.${number}` };
      for (let round = 0; round < 5; round++)
        clients.push(...(await Promise.all(Array.from({ length: 50 }, () => openInTime(headers)))));
      const past = await refused('/', headers);
      expect([past.status, past.headers.get('retry-after')]).toEqual([503, '5']);
      const { error } = (await past.json()) as { error: string };
      expect(error).toContain(number < 4 ? '250 open WebSockets from your address' : '1000 open WebSockets');
    }
    expect(await openSockets()).toBe(1000);
    const stranger = { 'x-forwarded-for': '198.51.100.9' };
    expect((await refused('/', stranger)).status).toBe(503);
    // All of them work, and calls still do.
    const [first, last] = [clients[0] as SocketClient, clients.at(-1) as SocketClient];
    expect([await ask(first, 'one'), await ask(last, 'two')]).toEqual(['one', 'two']);
    expect((await call(quire, 'GET', `/api/functions/${slug}`)).status).toBe(200);
    first.ws.close();
    await first.end;
    const next = await openInTime(stranger);
    expect(await ask(next, 'three')).toBe('three');
    for (const { ws } of [...clients, next]) ws.close();
    await waitUntil(async () => (await openSockets()) === 0);
  }, 120_000);
});

describe('the end of a function', () => {
  test('by a new version or a changed secret closes its WebSockets with 1012', async () => {
    const other = await quire.deploy(TALKER);
    const otherId = await findId(other);
    const client = await open('/', {}, otherId);
    await quire.redeploy(other, `${TALKER}\n// Again.`);
    expect(await client.end).toEqual({ code: 1012, reason: 'The function has changed.' });
    const next = await open('/', {}, otherId);
    expect(await ask(next, 'hello')).toBe('hello');
    const secret = { token: quire.owner.token, body: { value: 'x' } };
    await call(quire, 'PUT', `/api/functions/${other}/secrets/NAME`, secret);
    expect((await next.end).code).toBe(1012);
  });

  test('by kill -9, or its limits, closes them with 1011 and the reason', async () => {
    const cells = () => new Set(helpers(quire).flatMap(({ kind, pid }) => (kind === 'cell' ? [pid] : [])));
    const before = cells();
    const other = await quire.deploy(`${TALKER}\n// Another.`);
    const otherId = await findId(other);
    const killed = await open('/', {}, otherId);
    const [pid] = [...cells()].filter((each) => !before.has(each));
    process.kill(Number(pid), 'SIGKILL');
    expect(await killed.end).toEqual({ code: 1011, reason: 'The function crashed and was stopped.' });
    const hanging = await open('/', {}, otherId);
    hanging.send('hang');
    expect((await hanging.end).reason).toContain('used the processor for too long');
    const filling = await quire.deploy(`${TALKER}\n// A third.`);
    const filled = await open('/', {}, await findId(filling));
    filled.send('fill');
    expect(await filled.end).toEqual({ code: 1011, reason: expect.stringContaining('ran out of memory') });
  }, 120_000);
});

describe('with one process for functions', () => {
  let small: FunctionServer;
  beforeAll(async () => {
    small = await startFunctionServer({ settings: { QUIRE_CELLS: '1' } });
  }, 120_000);
  afterAll(() => small?.kill());

  test('a function with WebSockets gives way to one that is called, and a stopping server closes with 1001', async () => {
    const talking = await small.deploy(TALKER);
    const talkingId = await findId(talking, small);
    const client = await open('/', {}, talkingId, small);
    const called = await small.deploy(HELLO);
    expect((await client.end).code).toBe(1013);
    expect((await small.call(called)).body).toBe('hello');
    const again = await open('/', {}, talkingId, small);
    const stopping = small.stop();
    expect((await again.end).code).toBe(1001);
    expect(await stopping).toBe(0);
  });
});
