import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestApp, testApp } from '../support/app.ts';
import { startRedis, type TestRedis } from '../support/engines/redis.ts';
import { startS3, type TestS3 } from '../support/engines/s3.ts';
import { readMetrics } from '../support/http/metrics.ts';
import { waitUntil } from '../support/server.ts';

let redis: TestRedis;
let s3: TestS3;
let quire: TestApp;
beforeAll(async () => {
  [redis, s3] = await Promise.all([startRedis(), startS3()]);
  quire = await testApp({ REDIS_URL: redis.url, ...s3.settings });
});
afterAll(async () => {
  await quire?.stop();
  await Promise.all([redis?.stop(), s3?.stop()]);
});

const degraded = async () => {
  const { status, body } = await quire.call('GET', '/readyz');
  expect(status).toBe(200);
  return body.degraded as string[];
};
const isUp = async () => readMetrics((await quire.call('GET', '/metrics')).body).get('quire_redis_up');

test('a node stays ready while Redis hangs, and reports it', async () => {
  await waitUntil(async () => (await degraded()).length === 0);
  expect(await isUp()).toBe(1);
  redis.freeze();
  await waitUntil(async () => (await degraded()).includes('redis'));
  expect(await isUp()).toBe(0);
  redis.thaw();
  await waitUntil(async () => (await degraded()).length === 0);
  expect(await isUp()).toBe(1);
});

test.each([
  ['hangs', () => s3.freeze(), () => s3.thaw()],
  ['is gone', () => s3.kill(), () => s3.start()],
] as const)('a node reports a bucket that %s', async (_, breakIt, mend) => {
  await waitUntil(async () => (await degraded()).length === 0);
  await breakIt();
  await waitUntil(async () => (await degraded()).includes('bucket'));
  await mend();
  await waitUntil(async () => (await degraded()).length === 0);
});
