import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startRedis as startServer, type TestRedis } from '../../../../test/support/engines/redis.ts';
import { waitUntil } from '../../../../test/support/server.ts';
import { AppError } from '../../../lib/errors.ts';
import { createLog } from '../../http/index.ts';
import { type Redis, startRedis } from '../redis/index.ts';
import { createLimits, type Limit } from './index.ts';

let server: TestRedis;
const links: Redis[] = [];
async function link(): Promise<Redis> {
  const log = createLog('silent', { write: () => undefined });
  const redis = await startRedis({ url: server.url, prefix: 'test:', log });
  links.push(redis);
  return redis;
}
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  for (const each of links) await each.stop();
  await server.stop();
});

const outcomes = async (takes: Array<Promise<void>>) => {
  const settled = await Promise.allSettled(takes);
  const refused = settled.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  return {
    taken: settled.length - refused.length,
    refusals: refused.map(({ reason }) => reason as AppError),
  };
};
const take = (limit: Limit, key: string) =>
  limit.take(key).then(
    () => true,
    () => false,
  );

describe.each([
  ['in memory', async () => undefined],
  ['on Redis', link],
])('limits %s', (place, connect) => {
  const rate = { points: 5, seconds: 60 };

  test('allow as many as configured and refuse the next, with the time to wait', async () => {
    const limit = createLimits(await connect()).limit(`exact-${place}`, rate, 'Enough. Try again {wait}.');
    const { taken, refusals } = await outcomes(Array.from({ length: 6 }, () => limit.take('ada')));
    expect([taken, refusals.length]).toEqual([5, 1]);
    const [refusal] = refusals;
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal?.message).toBe('Enough. Try again in 60 seconds.');
    expect(refusal?.headers).toEqual({
      'retry-after': '60',
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
    });
    expect(await take(limit, 'bob')).toBe(true);
  });

  test('return what did not count', async () => {
    const limit = createLimits(await connect()).limit(
      `back-${place}`,
      { points: 1, seconds: 60 },
      'Enough. Try again {wait}.',
    );
    await limit.take('ada');
    await limit.giveBack('ada');
    expect([await take(limit, 'ada'), await take(limit, 'ada')]).toEqual([true, false]);
  });

  test('tell long keys apart, and store none of them', async () => {
    const redis = await connect();
    const name = `long-${place.replaceAll(' ', '-')}`;
    const limit = createLimits(redis).limit(name, { points: 1, seconds: 60 }, 'Enough. Try again {wait}.');
    const key = 'x'.repeat(1_000_000);
    expect([await take(limit, `${key}a`), await take(limit, `${key}b`)]).toEqual([true, true]);
    expect([await take(limit, `${key}a`), await take(limit, `${key}b`)]).toEqual([false, false]);
    await limit.giveBack(`${key}a`);
    await limit.giveBack(`${key}a`);
    expect([await take(limit, `${key}a`), await take(limit, `${key}b`)]).toEqual([true, false]);
    const stored = (await redis?.client.keys(`test:limit:${name}*`)) ?? [];
    expect(stored.filter((each) => each.length > 200)).toEqual([]);
    expect(stored).toHaveLength(redis ? 2 : 0);
  });

  test('of 0 points do not limit', async () => {
    const limit = createLimits(await connect()).limit(
      'none',
      { points: 0, seconds: 60 },
      'Enough. Try again {wait}.',
    );
    const { taken } = await outcomes(Array.from({ length: 50 }, () => limit.take('ada')));
    await limit.giveBack('ada');
    expect(taken).toBe(50);
  });

  test('let one caller claim a thing until the claim expires', async () => {
    const limits = createLimits(await connect());
    const claims = await Promise.all(Array.from({ length: 20 }, () => limits.claim(`it ${place}`, 1)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await limits.claim(`other ${place}`, 1)).toBe(true);
    await waitUntil(() => limits.claim(`it ${place}`, 1));
  });
});

test('200 parallel takes on two nodes get exactly the allowance, and one of 200 claims wins', async () => {
  const nodes = [createLimits(await link()), createLimits(await link())];
  const rate = { points: 73, seconds: 60 };
  const [a, b] = nodes.map((limits) => limits.limit('many', rate, 'Enough. Try again {wait}.')) as [
    Limit,
    Limit,
  ];
  const { taken } = await outcomes(Array.from({ length: 200 }, (_, i) => (i % 2 ? a : b).take('ada')));
  expect(taken).toBe(73);
  const claims = await Promise.all(Array.from({ length: 200 }, (_, i) => nodes[i % 2]?.claim('ticket', 60)));
  expect(claims.filter(Boolean)).toHaveLength(1);
});

test('while Redis hangs each node counts alone, and then together again', async () => {
  const [one, other] = [await link(), await link()];
  const rate = { points: 2, seconds: 600 };
  const [a, b] = [one, other].map((redis) =>
    createLimits(redis).limit('hung', rate, 'Enough. Try again {wait}.'),
  ) as [Limit, Limit];
  await a.take('ada');
  server.freeze();
  expect([await take(a, 'ada'), await take(a, 'ada'), await take(a, 'ada')]).toEqual([true, true, false]);
  expect([await take(b, 'ada'), await take(b, 'ada'), await take(b, 'ada')]).toEqual([true, true, false]);
  expect([one.isUp, other.isUp]).toEqual([false, false]);
  server.thaw();
  await waitUntil(async () => one.isUp && other.isUp);
  expect([await take(a, 'bob'), await take(b, 'bob'), await take(a, 'bob')]).toEqual([true, true, false]);
});

test('a claim known to Redis is not given again by the same node when Redis dies', async () => {
  const limits = createLimits(await link());
  expect(await limits.claim('once', 60)).toBe(true);
  server.freeze();
  expect(await limits.claim('once', 60)).toBe(false);
  server.thaw();
});
