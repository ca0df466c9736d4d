import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PRIVATE_HOSTS } from '../support/functions/addresses.ts';
import { type Listener, listenEverywhere } from '../support/functions/listener.ts';
import { type FunctionServer, handler, startFunctionServer } from '../support/functions/server.ts';
import { waitUntil } from '../support/server.ts';

/** A function that connects to the address it is given, in the way it is given. */
const TRAVELLER = `import { connect } from 'cloudflare:sockets';
import net from 'node:net';

const ways = {
  async fetch(host) {
    const response = await fetch('http://' + host + '/', { signal: AbortSignal.timeout(5_000) });
    return await response.text();
  },
  async connect(host) {
    const socket = connect(host);
    await socket.opened;
    const { value } = await socket.readable.getReader().read();
    return new TextDecoder().decode(value);
  },
  node(host) {
    const at = host.lastIndexOf(':');
    return new Promise((resolve, reject) => {
      const socket = net.connect(Number(host.slice(at + 1)), host.slice(0, at).replace(/[\\[\\]]/g, ''));
      socket.on('error', reject);
      socket.on('data', (data) => resolve(String(data)));
    });
  },
};

export default { async fetch(request) {
  const { way, host } = await request.json();
  try {
    return new Response(await ways[way](host));
  } catch (error) {
    return new Response('refused: ' + error);
  }
} };`;

describe('a function', () => {
  let quire: FunctionServer;
  let listener: Listener;
  let slug: string;
  beforeAll(async () => {
    listener = await listenEverywhere();
    quire = await startFunctionServer({ settings: { QUIRE_EGRESS_ALLOW: '' } });
    slug = await quire.deploy(TRAVELLER);
  });
  afterAll(async () => {
    listener.close();
    await quire.stop();
  });

  test.concurrent.each([...new Set(PRIVATE_HOSTS)])('cannot connect to %s in any way', async (name) => {
    const host = `${name}:${listener.port}`;
    for (const way of ['fetch', 'connect', 'node']) {
      const { body } = await quire.call(slug, { body: { way, host } });
      expect([way, body]).toEqual([way, expect.stringMatching(/^(Quire could not connect to |refused: )/)]);
    }
    expect(listener.takeCount()).toBe(0);
  });

  test('shows the refused address to its owner only', async () => {
    const other = await quire.deploy(handler('return new Response("hello")'));
    await quire.call(other);
    await quire.call(slug, { body: { way: 'fetch', host: '10.1.2.3:81' } });
    await quire.call(slug, { body: { way: 'fetch', host: 'nobody.invalid' } });
    const refusals = async (of: string) =>
      (await quire.logs(of)).filter(({ kind }) => kind === 'system').map(({ message }) => message);
    const refusal = 'fetch to http://10.1.2.3:81 was refused: 10.1.2.3:81 is not a public address.';
    await waitUntil(async () => (await refusals(slug)).some((text) => text.includes('nobody.invalid')));
    expect(await refusals(slug)).toContain(refusal);
    expect(await refusals(slug)).toContainEqual(
      expect.stringMatching(/^fetch to http:\/\/nobody\.invalid failed: /),
    );
    expect(await refusals(other)).toEqual([]);
  });

  test.each(['unix:/egress/http', 'unix:/sockets/http', '/database/http', 'file:///etc/passwd'])(
    'cannot connect to %s',
    async (host) => {
      for (const way of ['fetch', 'connect'])
        expect((await quire.call(slug, { body: { way, host } })).body).not.toMatch(/reach|root:/);
    },
  );
});

describe('a function with one allowed address', () => {
  let quire: FunctionServer;
  let listener: Listener;
  beforeAll(async () => {
    listener = await listenEverywhere();
    // A single address works like a block of one.
    quire = await startFunctionServer({ settings: { QUIRE_EGRESS_ALLOW: '127.0.0.1' } });
  });
  afterAll(async () => {
    listener.close();
    await quire.stop();
  });

  test('can connect there in every way, and not to the next address', async () => {
    const slug = await quire.deploy(TRAVELLER);
    for (const way of ['fetch', 'connect', 'node']) {
      const go = (name: string) => quire.call(slug, { body: { way, host: `${name}:${listener.port}` } });
      expect((await go('127.0.0.1')).body).toContain('reach');
      expect(listener.takeCount()).toBe(1);
      for (const name of ['127.0.0.2', '[::1]', '0.0.0.0'])
        expect((await go(name)).body).not.toContain('reach');
      expect(listener.takeCount()).toBe(0);
    }
  });

  test('sends and gets exactly what it would without a proxy', async () => {
    const echo = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request, server) {
        if (request.headers.has('upgrade') && server.upgrade(request)) return undefined;
        return Response.json({ headers: [...request.headers.keys()], body: await request.text() });
      },
      websocket: { message: (socket, message) => void socket.send(`heard ${message}`) },
    });
    const slug = await quire.deploy(
      handler(`const at = 'http://127.0.0.1:${echo.port}/';
        const answer = await fetch(at, { method: 'POST', body: 'x'.repeat(300_000), headers: { 'x-quire-cell': 'spoof' } });
        const { headers, body } = await answer.json();
        const { webSocket } = await fetch(at, { headers: { upgrade: 'websocket' } });
        webSocket.accept();
        const heard = new Promise((resolve) => webSocket.addEventListener('message', (event) => resolve(event.data)));
        webSocket.send('hello');
        return Response.json({ size: body.length, heard: await heard, ours: headers.filter((name) => name.includes('quire')) });`),
    );
    expect((await quire.call(slug)).body).toEqual({ size: 300_000, heard: 'heard hello', ours: [] });
    await echo.stop(true);
  });

  test('cannot be redirected to another private address', async () => {
    const guide = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => Response.redirect(`http://127.0.0.2:${listener.port}/`),
    });
    const slug = await quire.deploy(TRAVELLER);
    const { body } = await quire.call(slug, { body: { way: 'fetch', host: `127.0.0.1:${guide.port}` } });
    expect(body).toStartWith(
      `Quire could not connect to http://127.0.0.2:${listener.port}: it is not a public address`,
    );
    expect(listener.takeCount()).toBe(0);
    await guide.stop(true);
  });
});

describe('a function that calls itself', () => {
  test('stops at the call limit', async () => {
    const quire = await startFunctionServer({ settings: { QUIRE_FUNCTION_CALLS_PER_MINUTE: '60' } });
    const slug = await quire.deploy(
      handler(`const depth = await request.json();
        const response = await fetch('http://127.0.0.1:${quire.port}/api/functions/owner-1',
          { method: 'POST', body: JSON.stringify(depth + 1) });
        return response.status === 429 ? Response.json({ depth }) : response;`),
    );
    const answer = await quire.call(slug, { body: 1 });
    expect([answer.status, answer.body]).toEqual([200, { depth: 60 }]);
    expect((await quire.call(slug, { body: 1 })).status).toBe(429);
    await quire.stop();
  }, 120_000);
});
