import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { startRedis as startServer, type TestRedis } from '../../../../test/support/engines/redis.ts';
import { waitUntil } from '../../../../test/support/server.ts';
import { createLog } from '../../http/index.ts';
import { type Redis, startRedis } from '../redis/index.ts';
import { type Broadcast, createBroadcast } from './index.ts';

let server: TestRedis;
const ends: Array<() => unknown> = [];
beforeAll(async () => {
  server = await startServer();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(() => server.stop());

async function node(prefix = 'test:'): Promise<{ redis: Redis; broadcast: Broadcast; heard: unknown[] }> {
  const log = createLog('silent', { write: () => undefined });
  const redis = await startRedis({ url: server.url, prefix, log });
  const broadcast = createBroadcast(redis);
  const heard: unknown[] = [];
  broadcast.subscribe('word', (message) => heard.push(message));
  ends.push(
    () => redis.stop(),
    () => broadcast.stop(),
  );
  return { redis, broadcast, heard };
}

test('a message reaches the other nodes, but neither its sender nor another service', async () => {
  const [a, b, other] = [await node(), await node(), await node('other:')];
  a.broadcast.publish('unknown', 0);
  a.broadcast.publish('word', { id: 1 });
  b.broadcast.publish('word', 2);
  other.broadcast.publish('word', 3);
  await waitUntil(async () => a.heard.length > 0 && b.heard.length > 0);
  expect([a.heard, b.heard, other.heard]).toEqual([[2], [{ id: 1 }], []]);
});

test('drops a message that is not valid', async () => {
  const [a, b] = [await node(), await node()];
  for (const text of ['garbage', '', 'null', '[]', '{"from":"x","topic":"__proto__","message":1}'])
    await a.redis.client.publish('test:broadcast', text);
  a.broadcast.publish('word', 'after it');
  await waitUntil(async () => b.heard.length > 0);
  expect(b.heard).toEqual(['after it']);
});

test('delivers messages that could not be sent when Redis is back, and reports a gap', async () => {
  const [a, b] = [await node(), await node()];
  let gaps = 0;
  b.broadcast.onGap(() => gaps++);
  await server.kill();
  await waitUntil(async () => !a.broadcast.isReceiving && !b.broadcast.isReceiving);
  a.broadcast.publish('word', 'kept');
  // B connects first, so that the queued messages of A cannot arrive too early.
  a.redis.client.disconnect();
  await server.start();
  await waitUntil(async () => b.broadcast.isReceiving);
  expect(gaps).toBe(1);
  await a.redis.client.connect();
  await waitUntil(async () => b.heard.length > 0);
  expect(b.heard).toEqual(['kept']);
});

test('a node with more messages than it can queue reports that some are missing', async () => {
  const [a, b] = [await node(), await node()];
  let gaps = 0;
  b.broadcast.onGap(() => gaps++);
  a.redis.client.disconnect();
  await waitUntil(async () => !a.broadcast.isReceiving);
  for (let n = 0; n <= 10_000; n++) a.broadcast.publish('word', n);
  await a.redis.client.connect();
  await waitUntil(async () => gaps > 0);
  expect(b.heard).toEqual([]);
});
