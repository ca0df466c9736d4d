import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import type { AccessKind } from '../../../../contract/access-kinds.ts';
import { limitKey } from '../../../lib/addresses.ts';
import { errorScreen } from '../../../sites/screens/index.ts';
import { createLimits } from '../../coordination/limits/index.ts';
import { createCookieJar } from '../access/cookies.ts';
import { TrialShare } from '../access/trial-share.ts';
import { createLog } from '../log.ts';
import { mount } from '../mount.ts';
import { createRespondToError } from '../response/error-response.ts';
import { EventStreams } from '../response/event-stream.ts';
import { route } from '../route.ts';
import type { OpenSocket } from './open-socket.ts';
import type { ServerSocket, SocketSession } from './session.ts';
import { MESSAGES_AT_ONCE, Shares } from './shares.ts';
import { Sockets } from './sockets.ts';
import { MAX_MESSAGE_BYTES, offeredProtocols, Upgrade } from './upgrade.ts';

/** Sends back what it gets, and notes its end. */
class Echo implements SocketSession {
  socket: ServerSocket | undefined;
  readonly ends: Array<[number, string]> = [];
  readonly end = Promise.withResolvers<[number, string]>();
  wasDrained = false;
  messages = 0;

  open(socket: ServerSocket) {
    this.socket = socket;
    socket.subscribe('all');
  }
  message(data: string | Uint8Array) {
    this.messages++;
    if (data === 'fail') throw new Error('secret');
    this.socket?.send(data);
  }
  drained() {
    this.wasDrained = true;
  }
  closed(code: number, reason: string) {
    this.ends.push([code, reason]);
    this.end.resolve([code, reason]);
  }
}

const MAX_SOCKETS = 40;
const BASE_URL = 'http://quire.test';
const nobody = async () => undefined;
let sockets: Sockets;
let sessions: Echo[];
let server: Bun.Server<OpenSocket>;
/** The address of the next client. */
let address = '192.0.2.1';

beforeEach(() => {
  const log = createLog('silent');
  sockets = new Sockets({ maxSockets: MAX_SOCKETS, log });
  sessions = [];
  const echo = (path: string, kind: AccessKind, maxMessageBytes?: number) =>
    route({
      method: 'GET',
      path,
      access: { kind },
      summary: 'Echo',
      upgrades: true,
      handle({ request }) {
        const session = new Echo();
        sessions.push(session);
        const protocol = offeredProtocols(request).find((name) => name === 'b');
        return new Upgrade(session, { kind: 'live', protocol, ...(maxMessageBytes && { maxMessageBytes }) });
      },
    });
  const handle = mount(
    [echo('/api/open', 'open read'), echo('/api/small', 'open read', 10), echo('/api/own', 'public')],
    {
      baseUrl: BASE_URL,
      cookies: createCookieJar(false),
      identities: { byBearer: nobody, byLogin: nobody, byPageSession: nobody },
      log,
      findPageId: nobody,
      assertNotProtected: async () => undefined,
      isDiskLow: () => false,
      trialShare: new TrialShare(createLimits()),
      respondToError: createRespondToError({
        baseUrl: BASE_URL,
        log,
        translate: () => undefined,
        errorScreen,
      }),
      sockets,
      streams: new EventStreams(),
    },
  );
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, self) => handle(request, { requestId: 'req-1', address, socketServer: self }),
    websocket: sockets.handler,
  });
});
afterEach(() => server.stop(true));

interface Client {
  ws: WebSocket;
  next(): Promise<unknown>;
  end: Promise<{ code: number; reason: string }>;
}

function open(path = '/api/open', init: { headers?: Record<string, string>; protocols?: string[] } = {}) {
  const ws = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, init as never);
  const messages: unknown[] = [];
  let arrived = () => {};
  ws.onmessage = ({ data }) => {
    messages.push(data);
    arrived();
  };
  const end = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.onclose = ({ code, reason }) => resolve({ code, reason });
  });
  const client: Client = {
    ws,
    end,
    async next() {
      while (messages.length === 0) await new Promise<void>((resolve) => (arrived = resolve));
      return messages.shift();
    },
  };
  return new Promise<Client>((resolve, reject) => {
    ws.onopen = () => resolve(client);
    ws.onerror = () => reject(new Error('refused'));
  });
}

const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** A client that sends frames as bytes. */
async function openRaw(): Promise<Socket> {
  const client = connect(server.port ?? 0, '127.0.0.1');
  const lines = Object.entries(HANDSHAKE).map(([name, value]) => `${name}: ${value}`);
  client.write(`GET /api/open HTTP/1.1\r\nHost: quire.test\r\n${lines.join('\r\n')}\r\n\r\n`);
  await new Promise((resolve) => client.once('data', resolve));
  client.on('data', () => undefined).on('error', () => undefined);
  return client;
}

/** Messages of one letter. */
const repeat = (count: number) => Buffer.alloc(7 * count, Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78]));

async function waitFor(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(5);
}

/** The response to a handshake that is refused. */
function refused(headers: Record<string, string> = {}, path = '/api/open'): Promise<Response> {
  return fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { ...HANDSHAKE, ...headers } });
}

test('passes text and bytes both ways, and codes of both sides', async () => {
  const client = await open();
  client.ws.send('Grüße');
  client.ws.send(new Uint8Array([0, 255]));
  expect(await client.next()).toBe('Grüße');
  expect(new Uint8Array((await client.next()) as ArrayBuffer)).toEqual(new Uint8Array([0, 255]));
  client.ws.close(4001, 'done');
  expect(await sessions[0]?.end.promise).toEqual([4001, 'done']);

  const other = await open();
  sessions[1]?.socket?.close(4002, 'é'.repeat(100));
  expect(await other.end).toEqual({ code: 4002, reason: 'é'.repeat(61) });
  await sessions[1]?.end.promise;
  expect(sessions.map(({ ends }) => ends.length)).toEqual([1, 1]);
  expect(sockets.counts.live).toBe(0);
});

test('never sends a code that must not be sent', async () => {
  const client = await open();
  sessions[0]?.socket?.close(1006);
  expect((await client.end).code).toBe(1000);
});

test('accepts only a subprotocol that the session speaks', async () => {
  expect((await open('/api/open', { protocols: ['a', 'b'] })).ws.protocol).toBe('b');
  await expect(open('/api/open', { protocols: ['a'] })).rejects.toThrow('refused');
  expect((await open()).ws.protocol).toBe('');
});

test('publishes to all connections of a topic', async () => {
  const clients = [await open(), await open()];
  sessions[1]?.socket?.unsubscribe('all');
  sockets.publish('all', 'one');
  expect(await clients[0]?.next()).toBe('one');
  clients[1]?.ws.send('two');
  expect(await clients[1]?.next()).toBe('two');
});

test('ends a connection with 1011 when its session throws, without saying why', async () => {
  const client = await open();
  client.ws.send('fail');
  expect(await client.end).toEqual({ code: 1011, reason: 'Something went wrong on our side.' });
  expect((await sessions[0]?.end.promise)?.[0]).toBe(1011);
});

describe('limits', () => {
  test('accepts a message of the largest size, and ends the connection for a larger one', async () => {
    const client = await open('/api/small');
    client.ws.send('é'.repeat(5));
    expect(await client.next()).toBe('é'.repeat(5));
    client.ws.send('é'.repeat(6));
    expect((await client.end).code).toBe(1009);

    const other = await open();
    other.ws.send('x'.repeat(MAX_MESSAGE_BYTES));
    expect(await other.next()).toHaveLength(MAX_MESSAGE_BYTES);
    other.ws.send('x'.repeat(MAX_MESSAGE_BYTES + 1));
    // The server drops the connection before it has read the message.
    expect([1006, 1009]).toContain((await other.end).code);
    await sessions[1]?.end.promise;
  });

  test('refuses one connection more than an address can have, and then than there can be', async () => {
    const perAddress = MAX_SOCKETS / 20;
    const clients: Client[] = [];
    for (let number = 1; number <= 20; number++) {
      address = `192.0.2.${number}`;
      for (let count = 0; count < perAddress; count++) clients.push(await open());
      if (number > 1) continue;
      const response = await refused();
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect(((await response.json()) as { error: string }).error).toContain('Your address has 2');
    }
    address = '192.0.2.21';
    expect(((await (await refused()).json()) as { error: string }).error).toContain('too many');
    expect(sockets.counts.live).toBe(MAX_SOCKETS);
    // Sessions of refused requests are not even made.
    expect(sessions).toHaveLength(MAX_SOCKETS);
    clients[0]?.ws.close();
    await sessions[0]?.end.promise;
    await open();
  });

  test('gives a quarter to an IPv6 network, which has many addresses', () => {
    const shares = new Shares(MAX_SOCKETS);
    const key = (network: string, n: number) => limitKey(`2001:db8:${network}:${n.toString(16)}::1`);
    for (let n = 1; n <= MAX_SOCKETS / 4; n++) {
      expect(shares.refusal(key('a', n))).toBeUndefined();
      shares.of(key('a', n)).sockets(1);
    }
    expect(shares.refusal(key('a', 99))).toBe('network');
    expect(shares.refusal(key('b', 99))).toBeUndefined();
    shares.of(key('a', 1)).sockets(-1);
    expect(shares.refusal(key('a', 99))).toBeUndefined();
  });

  test('slows down an address that sends too many messages, and disconnects one that sends far too many', async () => {
    const [slowed, other] = [await openRaw(), await open()];
    const [session] = sessions as [Echo];
    // One more than at once: all arrive, and the connection goes on.
    slowed.write(repeat(MESSAGES_AT_ONCE + 1));
    await waitFor(() => session.messages === MESSAGES_AT_ONCE + 1);
    other.ws.send('other');
    expect(await other.next()).toBe('other');
    slowed.write(repeat(1));
    await waitFor(() => session.messages === MESSAGES_AT_ONCE + 2);
    slowed.write(repeat(20 * MESSAGES_AT_ONCE));
    expect((await session.end.promise)[0]).toBe(1008);
    expect(session.messages).toBeLessThan(5 * MESSAGES_AT_ONCE);
    slowed.destroy();
  });

  test('lets messages come back as time passes, for each address', () => {
    let now = 0;
    const shares = new Shares(MAX_SOCKETS, () => now);
    const [first, same, other] = [shares.of('a'), shares.of('a'), shares.of('b')];
    expect(first.messages(MESSAGES_AT_ONCE)).toBe(0);
    expect([same.messages(5), other.messages(5)]).toEqual([1, 0]);
    now = 1;
    expect([same.messages(0), same.messages(5)]).toEqual([0, 1]);
    now = 60_000;
    expect(first.messages(MESSAGES_AT_ONCE)).toBe(0);
  });

  test('disconnects a client that does not read', async () => {
    const reader = await openRaw();
    reader.pause();
    const [session] = sessions;
    const message = 'x'.repeat(100_000);
    let sent = 1;
    for (let count = 0; sent !== 0 && count < 1000; count++) sent = session?.socket?.send(message) ?? 0;
    expect(sent).toBe(0);
    expect((await session?.end.promise)?.[0]).toBe(1006);
    expect(sockets.counts.live).toBe(0);
    reader.destroy();
  });

  test('tells a session when its slow client has read everything', async () => {
    const client = await open();
    const [session] = sessions;
    client.ws.pause();
    while (session?.socket?.send('x'.repeat(100_000)) !== -1);
    expect(session.socket.bufferedBytes).toBeGreaterThan(0);
    client.ws.resume();
    while (!session.wasDrained) await client.next();
    expect(session.socket.bufferedBytes).toBe(0);
  });
});

describe('a request that is not a WebSocket', () => {
  test('gets 426, and a handshake that is not valid gets 400', async () => {
    const plain = await fetch(`http://127.0.0.1:${server.port}/api/open`);
    expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket']);
    expect((await refused({ 'sec-websocket-key': 'short' })).status).toBe(400);
    // The session was made and told that it is over.
    expect(sessions.map(({ ends }) => ends)).toEqual([[[1006, '']]]);
    expect(sockets.counts.live).toBe(0);
  });
});

test('refuses origins that could not read the responses of such a route', async () => {
  const from = (origin: string, path: string) => open(path, { headers: { origin } });
  (await from('https://elsewhere.test', '/api/open')).ws.close();
  await sessions[0]?.end.promise;
  await from(BASE_URL, '/api/own');
  expect((await refused({ origin: 'https://elsewhere.test' }, '/api/own')).status).toBe(403);
  expect((await refused({ origin: 'null' }, '/api/own')).status).toBe(403);
});

test('closes all with 1001 when the server stops, and accepts no more', async () => {
  const clients = [await open(), await open()];
  sockets.end();
  for (const { end } of clients) expect((await end).code).toBe(1001);
  expect((await refused()).status).toBe(503);
  expect(sockets.counts.live).toBe(0);
});
