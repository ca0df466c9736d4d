import { afterEach, beforeEach, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { createRelay } from '../../platform/coordination/events/index.ts';
import { createLog, type ServerSocket, Sockets, Upgrade } from '../../platform/http/index.ts';
import type { Connection } from './connection.ts';
import { GROUP_SIZE } from './delivery.ts';
import { LiveHub } from './hub.ts';
import { MAX_UNREAD_BYTES } from './limits.ts';
import type { Visitor } from './visitor.ts';

/** A hub behind a real server, with clients that read and clients that do not. */

const PAGE = { id: 1, owner_id: 1 };
/** A line as large as one frame. */
const LINE = `{"type":"message","x":"${'x'.repeat(60_000)}"}`;

let sockets: Sockets;
let hub: LiveHub;
let server: Bun.Server<never>;
let connections: Array<{ connection: Connection; socket: ServerSocket }>;
let clients: Socket[];

beforeEach(() => {
  sockets = new Sockets({ maxSockets: 10_000, log: createLog('silent') });
  hub = new LiveHub({
    relay: createRelay(),
    publish: (topic, frame) => sockets.publish(topic, frame),
    now: Date.now,
  });
  connections = [];
  clients = [];
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, self) {
      const address = `192.0.2.${1 + (connections.length >> 6)}`;
      const connection = hub.connect(visitor(connections.length), PAGE, address);
      const open = connection.open.bind(connection);
      connection.open = (socket) => {
        connections.push({ connection, socket });
        open(socket);
      };
      const visit = { address, requestId: 'req-1', socketServer: self as never };
      return sockets.accept(request, visit, new Upgrade(connection, { kind: 'live' }));
    },
    websocket: sockets.handler as never,
  });
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  hub.stop();
  await server.stop(true);
});

function visitor(n: number): Visitor {
  return {
    person: { id: `guest-${n}`, username: null },
    isCheck: false,
    endsAt: null,
    readPage: async () => undefined,
    refusal: async () => undefined,
  };
}

/** Connects and joins the channel. Returns what the client has read, as it grows. */
async function enter(): Promise<{ client: Socket; text: () => string }> {
  const client = connect(server.port ?? 0, '127.0.0.1');
  clients.push(client);
  let text = '';
  client.on('data', (chunk) => (text += chunk.toString('latin1')));
  client.on('error', () => undefined);
  const headers = [
    'GET / HTTP/1.1',
    'host: x',
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
  ];
  client.write(`${headers.join('\r\n')}\r\n\r\n`);
  const opened = connections.length;
  while (!text.includes('"type":"welcome"')) await new Promise((resolve) => client.once('data', resolve));
  connections[opened]?.connection.message('{"type":"join","ref":1,"channel":"room"}');
  while (!text.includes('"type":"joined"')) await new Promise((resolve) => client.once('data', resolve));
  return { client, text: () => text };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a tab that does not read is disconnected, and the others get everything', async () => {
  const [reader, slow] = [await enter(), await enter()];
  slow.client.pause();
  const { socket } = connections[1] as (typeof connections)[0];
  let most = 0;
  let published = 0;
  while (sockets.counts.live === 2 && published < 2_000) {
    hub.publish(PAGE, 'room', LINE);
    published++;
    const wanted = published * LINE.length;
    while (reader.text().length < wanted) await turn();
    most = Math.max(most, socket.bufferedBytes);
  }
  expect(sockets.counts.live).toBe(1);
  // The slow client was behind by no more than the limit and the last line.
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(MAX_UNREAD_BYTES + LINE.length + 100);
  expect(reader.text().split('"type":"message"')).toHaveLength(published + 1);
  expect(hub.status().tabs).toBe(1);
});

test('the unread bytes of all tabs of an address are limited together', async () => {
  const count = 40;
  for (let n = 0; n < count; n++) (await enter()).client.pause();
  let mostOfOne = 0;
  for (let published = 0; sockets.counts.live === count && published < 2_000; published++) {
    hub.publish(PAGE, 'room', LINE);
    const before = hub.status().delivered;
    while (hub.status().delivered === before) await turn();
    await turn();
    for (const { socket } of connections) mostOfOne = Math.max(mostOfOne, socket.bufferedBytes);
  }
  expect(sockets.counts.live).toBeLessThan(count);
  // None of them was too far behind on its own.
  expect(mostOfOne).toBeLessThan(MAX_UNREAD_BYTES);
});

test('a channel of more than one group reaches all, and those who left get nothing', async () => {
  const tabs: Array<Awaited<ReturnType<typeof enter>>> = [];
  for (let n = 0; n < GROUP_SIZE + 1; n++) tabs.push(await enter());
  const reached = () => tabs.filter(({ text }) => text().includes('to all'));
  connections[1]?.connection.message('{"type":"leave","ref":2,"channel":"room"}');
  hub.publish(PAGE, 'room', '{"type":"message","message":"to all"}');
  while (reached().length < GROUP_SIZE) await turn();
  expect(hub.status().delivered).toBeGreaterThanOrEqual(GROUP_SIZE);
  // The client that left responds after the line, so it would have got the line.
  connections[1]?.connection.message('{"type":"join","ref":3,"channel":"other"}');
  while (!tabs[1]?.text().includes('"ref":3')) await turn();
  expect(reached()).toHaveLength(GROUP_SIZE);
  expect(tabs[1]?.text()).not.toContain('to all');
});
