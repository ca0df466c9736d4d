import { afterEach, expect, test } from 'bun:test';
import { startRedis as startServer, type TestRedis } from '../../../../test/support/engines/redis.ts';
import { startWire } from '../../../../test/support/faults/proxy.ts';
import { waitUntil } from '../../../../test/support/server.ts';
import { createLog } from '../../http/index.ts';
import { checkRedis, type Redis, startRedis } from './index.ts';

let server: TestRedis;
let redis: Redis;
let lines: string[];
afterEach(async () => {
  await redis?.stop();
  await server?.stop();
});

async function start(): Promise<void> {
  server = await startServer();
  lines = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  redis = await startRedis({ url: server.url, prefix: 'test:', log });
}
const said = (word: string) => lines.filter((line) => line.includes(word)).length;
const hearing = (wanted: boolean) => waitUntil(async () => redis.isReceiving === wanted);

test('a published message reaches only its channel', async () => {
  await start();
  expect([redis.isUp, redis.isReceiving]).toEqual([true, true]);
  const heard: string[] = [];
  await redis.subscribe('news', (text) => heard.push(text));
  await redis.run((client) => client.publish('test:other', 'no'));
  await redis.run((client) => client.publish('test:news', 'yes'));
  await waitUntil(async () => heard.length > 0);
  expect(heard).toEqual(['yes']);
  expect(lines).toEqual([]);
  expect(await checkRedis(server.url)).toContain('Redis 7');
});

test('a server that hangs fails the first command, refuses the next, and is used again afterwards', async () => {
  await start();
  server.freeze();
  await redis.run((client) => client.get('a')).catch(() => undefined);
  // An answer from before the freeze can be read after the command has failed.
  await waitUntil(async () => !redis.isUp);
  let isAsked = false;
  const refused = redis.run(async () => {
    isAsked = true;
  });
  expect(refused).rejects.toThrow('Redis is unavailable');
  await refused.catch(() => undefined);
  expect(isAsked).toBe(false);
  server.thaw();
  await hearing(true);
  expect(await redis.run((client) => client.get('a'))).toBeNull();
  expect([said('is unavailable'), said('is available again')]).toEqual([1, 1]);
});

test('reconnects to a server that hung through several attempts', async () => {
  await start();
  const heard: string[] = [];
  await redis.subscribe('news', (text) => heard.push(text));
  let closed = 0;
  redis.client.on('close', () => closed++);
  server.freeze();
  await waitUntil(async () => closed === 2, 20_000);
  server.thaw();
  await hearing(true);
  await redis.run((client) => client.publish('test:news', 'again'));
  await waitUntil(async () => heard.length > 0);
  expect(heard).toEqual(['again']);
});

test('after a restart of the server, subscriptions work on the same channels', async () => {
  await start();
  const heard: string[] = [];
  const changes: boolean[] = [];
  await redis.subscribe('news', (text) => heard.push(text));
  redis.onReceiving((isReceiving) => changes.push(isReceiving));
  await server.kill();
  await hearing(false);
  await server.start();
  await hearing(true);
  await redis.run((client) => client.publish('test:news', 'again'));
  await waitUntil(async () => heard.length > 0);
  expect(heard).toEqual(['again']);
  expect(changes).toEqual([false, true]);
  expect([said('is unavailable'), said('is available again')]).toEqual([1, 1]);
});

test('a subscription that the server ends is noticed and made again', async () => {
  await start();
  const changes: boolean[] = [];
  redis.onReceiving((isReceiving) => changes.push(isReceiving));
  await redis.run((client) => client.client('KILL', 'TYPE', 'pubsub'));
  await waitUntil(async () => changes.length === 2);
  expect(changes).toEqual([false, true]);
});

test('a server that refuses writes is not used, and what it refused is not logged', async () => {
  await start();
  await redis.run((client) => client.config('SET', 'maxmemory', '1'));
  await redis.run((client) => client.set('192.0.2.1', 'a secret')).catch(() => undefined);
  expect(redis.isUp).toBe(false);
  expect(said('OOM')).toBe(1);
  expect([said('192.0.2.1'), said('a secret')]).toEqual([0, 0]);
  await redis.client.config('SET', 'maxmemory', '0');
  await hearing(true);
});

test('a silent connection is noticed, and connections that stay silent are made again', async () => {
  server = await startServer();
  const wire = await startWire({ port: server.port });
  const log = createLog('silent', { write: () => undefined });
  redis = await startRedis({ url: `redis://127.0.0.1:${wire.port}`, prefix: 'test:', log });
  try {
    const heard: string[] = [];
    await redis.subscribe('news', (text) => heard.push(text));
    wire.silence();
    await hearing(false);
    await wire.cut();
    await wire.mend();
    await hearing(true);
    await redis.run((client) => client.publish('test:news', 'again'));
    await waitUntil(async () => heard.length > 0);
    expect(heard).toEqual(['again']);
  } finally {
    await wire.stop();
  }
});

test('the service starts without a server, and connects when there is one', async () => {
  server = await startServer();
  await server.kill();
  lines = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  redis = await startRedis({ url: server.url, prefix: 'test:', log });
  expect([redis.isUp, redis.isReceiving, said('is unavailable')]).toEqual([false, false, 1]);
  await server.start();
  await hearing(true);
  expect(said('is available again')).toBe(1);
});
