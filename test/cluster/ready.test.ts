import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestApp, testApp } from '../support/app.ts';
import { readMetrics } from '../support/metrics.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { waitUntil } from '../support/server.ts';

let redis: TestRedis;
let quire: TestApp;
beforeAll(async () => {
  redis = await startRedis();
  quire = await testApp({ REDIS_URL: redis.url });
});
afterAll(async () => {
  await quire?.stop();
  await redis?.stop();
});

const degraded = async () => {
  const { status, body } = await quire.call('GET', '/readyz');
  expect(status).toBe(200);
  return body.degraded as string[];
};
const isUp = async () => readMetrics((await quire.call('GET', '/metrics')).body).get('quire_redis_up');

test('a node goes on being ready while Redis hangs, and tells of it', async () => {
  await waitUntil(async () => (await degraded()).length === 0);
  expect(await isUp()).toBe(1);
  redis.freeze();
  await waitUntil(async () => (await degraded()).includes('redis'));
  expect(await isUp()).toBe(0);
  redis.thaw();
  await waitUntil(async () => (await degraded()).length === 0);
  expect(await isUp()).toBe(1);
});
