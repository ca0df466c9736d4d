import { afterEach, expect, test } from 'bun:test';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { takePorts } from '../../../test/support/ports.ts';
import { waitUntil } from '../../../test/support/server.ts';
import { Incoming } from './incoming.ts';
import { findHosts } from './loopback.ts';
import { readNodeKey } from './node-key.ts';
import { Outgoing } from './outgoing.ts';

/** The way from one node to the hosts of another, with everything that can go wrong on it. */

const ends: Array<() => unknown> = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function newKey() {
  const folder = mkdtempSync(join(tmpdir(), 'quire-node-key-'));
  ends.push(() => rmSync(folder, { recursive: true }));
  return readNodeKey(folder);
}

/** Hosts of a node: each responds with its shard, and then with what it gets. */
async function startHosts(shards: number) {
  const port = takePorts(shards);
  const open = new Set<Socket>();
  for (let shard = 0; shard < shards; shard++) {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket)).on('error', () => undefined);
      socket.write(`shard ${shard}:`);
      socket.pipe(socket);
    });
    server.listen(port + shard, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => server.close());
  }
  return { host: '127.0.0.1', port, open };
}

let numbers = 1000;

async function twoNodes(options: { registered?: string; shown?: ReturnType<typeof newKey> } = {}) {
  const [here, there] = [newKey(), newKey()];
  const registered = new Set([options.registered ?? here.fingerprint]);
  const hosts = await startHosts(2);
  const port = takePorts(1);
  const address = `127.0.0.1:${port}`;
  const said: string[] = [];
  const log = { info: () => undefined, warn: (text: string) => said.push(text) } as never;
  const incoming = await Incoming.listen({
    ...{ key: options.shown ?? there, address, countShards: () => 2, hosts, log },
    knows: (fingerprint) => registered.has(fingerprint),
    refresh: async () => undefined,
  });
  ends.push(() => incoming.stop());
  const number = numbers++;
  const peer = { name: 'there', address, number, fingerprint: there.fingerprint, network: '' };
  const outgoing = new Outgoing({ peer, key: here, countShards: () => 2, warn: (text) => said.push(text) });
  await outgoing.listen();
  ends.push(() => outgoing.stop());
  const way = findHosts(number, address);
  return { hosts, incoming, outgoing, registered, said, port, here, there, way };
}

/** Everything that arrives until the connection ends. */
async function exchange(to: { host: string; port: number }, sent: string | Buffer): Promise<string> {
  const socket = connect({ ...to, allowHalfOpen: true });
  ends.push(() => socket.destroy());
  const chunks: Buffer[] = [];
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.end(sent);
  await once(socket, 'close').catch(() => undefined);
  return Buffer.concat(chunks).toString('latin1');
}

test('a connection reaches the host of its shard, and both directions end after their last byte', async () => {
  const { way, hosts, said } = await twoNodes();
  expect(await exchange(way, 'hello')).toBe('shard 0:hello');
  expect(await exchange({ ...way, port: way.port + 1 }, 'hello')).toBe('shard 1:hello');
  const large = Buffer.alloc(5_000_000, 'large ');
  expect((await exchange(way, large)).length).toBe(large.length + 'shard 0:'.length);
  await waitUntil(async () => hosts.open.size === 0);
  expect(said).toEqual([]);
});

test('nothing is sent to a node that shows another key than the registered one', async () => {
  const { way, hosts, said } = await twoNodes({ shown: newKey() });
  expect(await exchange(way, 'a secret')).toBe('');
  expect(hosts.open.size).toBe(0);
  expect(said.join()).toContain('shows a key that is not registered, so nothing is sent to it');
});

test('a node whose key is not registered reaches no host', async () => {
  const { way, hosts, said } = await twoNodes({ registered: 'another' });
  expect(await exchange(way, 'hello')).toBe('');
  expect(hosts.open.size).toBe(0);
  await waitUntil(async () => said.length > 0);
  expect(said).toEqual(['refused a connection from 127.0.0.1: its key is not that of a node']);
});

test('a node that is removed loses the connections that it has', async () => {
  const { way, hosts, incoming, registered } = await twoNodes();
  const socket = connect(way);
  await once(socket, 'data');
  expect(hosts.open.size).toBe(1);
  registered.clear();
  incoming.endUnknown();
  await once(socket, 'close');
  await waitUntil(async () => hosts.open.size === 0);
});

test.each([
  ['without a certificate', {}],
  ['with TLS 1.2', { maxVersion: 'TLSv1.2', isNode: true }],
  ['that asks for a shard that does not exist', { isNode: true }],
] as const)('a client %s reaches no host', async (_, { isNode, ...options }: { isNode?: boolean }) => {
  const { port, hosts, here } = await twoNodes();
  const { key, cert } = here;
  const socket = connectTls({ port, rejectUnauthorized: false, ...(isNode && { key, cert }), ...options });
  socket.on('error', () => undefined).on('data', () => expect.unreachable());
  socket.write(Buffer.of(2));
  await new Promise((resolve) => socket.once('close', resolve));
  expect(hosts.open.size).toBe(0);
});

test('garbage ends a connection at once, and a client that says nothing after five seconds', async () => {
  const { port, way } = await twoNodes();
  const to = { host: '127.0.0.1', port };
  expect(await exchange(to, 'GET / HTTP/1.1\r\n\r\n')).not.toContain('shard');
  const begun = performance.now();
  const silent = connect(to);
  // A handshake that begins and does not go on.
  const half = connect(to);
  half.write(Buffer.from('1603010200010001fc0303', 'hex'));
  expect(await exchange(way, 'hello')).toBe('shard 0:hello');
  await Promise.all([silent, half].map((socket) => once(socket.resume(), 'close')));
  expect(performance.now() - begun).toBeGreaterThan(4_000);
}, 60_000);

test('very many clients that say nothing do not keep nodes out', async () => {
  const { port, way } = await twoNodes();
  const silent = Array.from({ length: 400 }, () =>
    connect({ host: '127.0.0.1', port })
      .on('error', () => undefined)
      .resume(),
  );
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  expect(await exchange(way, 'hello')).toBe('shard 0:hello');
  // The oldest have given way.
  await waitUntil(async () => silent.filter((socket) => !socket.closed).length <= 256);
  for (const socket of silent) socket.destroy();
}, 60_000);

test('the key of a node stays, only its owner can read it, and a damaged one is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-node-key-'));
  const path = join(folder, 'node-key.pem');
  const made = readNodeKey(folder);
  expect(readNodeKey(folder)).toEqual(made);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writeFileSync(path, made.cert);
  expect(() => readNodeKey(folder)).toThrow('is damaged');
  rmSync(path);
  expect(readNodeKey(folder).fingerprint).not.toBe(made.fingerprint);
  rmSync(folder, { recursive: true });
});
