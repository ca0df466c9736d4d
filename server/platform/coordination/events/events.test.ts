import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { Redis as Client } from 'ioredis';
import { startRedis as startServer, type TestRedis } from '../../../../test/support/engines/redis.ts';
import { waitUntil } from '../../../../test/support/server.ts';
import { createLog } from '../../http/index.ts';
import { type Redis, startRedis } from '../redis/index.ts';
import { createBroadcast, createEvents, type Events } from './index.ts';

let server: TestRedis;
const ends: Array<() => unknown> = [];
beforeAll(async () => {
  server = await startServer();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(() => server.stop());

interface Note {
  n: number;
  padding?: string;
}

let channels = 0;
const freshChannel = () => `channel ${++channels}`;

async function node(): Promise<{ events: Events<Note>; redis: Redis }> {
  const log = createLog('silent', { write: () => undefined });
  const redis = await startRedis({ url: server.url, prefix: 'test:', log });
  const broadcast = createBroadcast(redis);
  const events = createEvents<Note>(broadcast, redis);
  ends.push(
    () => redis.stop(),
    () => broadcast.stop(),
    () => events.stop(),
  );
  return { events, redis };
}

/** Reads from the Redis server directly, and with a longer timeout. */
function look(): Client {
  const client = new Client(server.url);
  ends.push(() => client.quit());
  return client;
}

/** Follows, and records what it gets. */
async function follow(events: Events<Note>, channel: string, after?: string) {
  const heard: number[] = [];
  const ids: string[] = [];
  let resets = 0;
  let isBegun = false;
  const stop = events.follow(channel, after, {
    onStart({ missed, lastId }) {
      isBegun = true;
      if (!missed) resets++;
      for (const { id, message } of missed ?? []) {
        heard.push(message.n);
        ids.push(id);
      }
      ids.push(lastId);
    },
    onEvent({ id, message }) {
      heard.push(message.n);
      ids.push(id);
    },
    onReset(lastId) {
      resets++;
      ids.push(lastId);
    },
  });
  ends.push(stop);
  await waitUntil(async () => isBegun);
  return {
    heard,
    stop,
    lastId: () => ids.at(-1) ?? '',
    ids,
    resets: () => resets,
    until: (count: number) => waitUntil(async () => heard.length >= count),
    untilReset: (count = 1) => waitUntil(async () => resets >= count),
  };
}
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, i) => i + from);
const publishAll = (events: Events<Note>, channel: string, numbers: number[], padding?: string) => {
  for (const n of numbers) events.publish(channel, { n, ...(padding && { padding }) }, 100);
};

describe.each([
  ['in memory', async () => createEvents<Note>(createBroadcast())],
  ['on Redis', async () => (await node()).events],
])('events %s', (_, make) => {
  test('reach all followers of the channel in order, and nobody else', async () => {
    const events = await make();
    const channel = freshChannel();
    const [one, two] = [await follow(events, channel), await follow(events, channel)];
    const other = await follow(events, freshChannel());
    publishAll(events, channel, upTo(200));
    await one.until(200);
    await two.until(200);
    expect([one.heard, two.heard, other.heard]).toEqual([upTo(200), upTo(200), []]);
    expect(one.resets()).toBe(0);
    expect(new Set(one.ids).size).toBe(201);
  });

  test('that were missed are delivered once, starting after the id', async () => {
    const events = await make();
    const channel = freshChannel();
    const first = await follow(events, channel);
    publishAll(events, channel, upTo(3));
    await first.until(3);
    first.stop();
    publishAll(events, channel, upTo(3, 4));
    const again = await follow(events, channel, first.lastId());
    publishAll(events, channel, upTo(3, 7));
    await again.until(6);
    expect([again.heard, again.resets()]).toEqual([upTo(6, 4), 0]);
  });

  test('can be resumed from before the first one', async () => {
    const events = await make();
    const channel = freshChannel();
    const first = await follow(events, channel);
    first.stop();
    publishAll(events, channel, [1]);
    const again = await follow(events, channel, first.lastId());
    await again.until(1);
    expect([again.heard, again.resets()]).toEqual([[1], 0]);
  });

  test.each(['0-0', 'nonsense', '99999999999999-0', '1-1', 'run-5', '-', '+', ''])(
    'cannot be resumed from %p and send a reset',
    async (id) => {
      const events = await make();
      const channel = freshChannel();
      await follow(events, channel);
      expect((await follow(events, channel, id)).resets()).toBe(1);
    },
  );

  test('are kept up to a thousand: after that there is a reset', async () => {
    const events = await make();
    const channel = freshChannel();
    const keeper = await follow(events, channel);
    publishAll(events, channel, [0]);
    await keeper.until(1);
    const from = keeper.lastId();
    publishAll(events, channel, upTo(999));
    await keeper.until(1000);
    expect((await follow(events, channel, from)).heard).toEqual(upTo(999));
    publishAll(events, channel, [1000, 1001]);
    await keeper.until(1002);
    const late = await follow(events, channel, from);
    expect([late.heard, late.resets()]).toEqual([[], 1]);
  });
});

test('events reach other nodes in one order, and can be resumed there', async () => {
  const [a, b] = [(await node()).events, (await node()).events];
  const channel = freshChannel();
  const [atA, atB] = [await follow(a, channel), await follow(b, channel)];
  for (const n of upTo(100)) (n % 2 ? a : b).publish(channel, { n }, 100);
  await atA.until(100);
  await atB.until(100);
  expect(atA.heard).toEqual(atB.heard);
  expect(atA.heard.toSorted((x, y) => x - y)).toEqual(upTo(100));
  expect(atA.ids.slice(1)).toEqual(atB.ids.slice(1));

  atB.stop();
  publishAll(a, channel, upTo(3, 101));
  await atA.until(103);
  publishAll(b, channel, upTo(3, 104));
  const moved = await follow(a, channel, atB.lastId());
  await moved.until(6);
  expect([moved.heard, moved.resets()]).toEqual([upTo(6, 101), 0]);
});

test('resuming under load loses and repeats nothing', async () => {
  const [a, b] = [(await node()).events, (await node()).events];
  const channel = freshChannel();
  let after = (await follow(a, channel)).lastId();
  const heard: number[] = [];
  let sent = 0;
  while (sent < 900) {
    const reader = await follow(sent % 2 ? a : b, channel, after);
    publishAll(a, channel, upTo(45, sent + 1));
    await reader.until(20);
    reader.stop();
    sent += 45;
    heard.push(...reader.heard);
    expect(reader.resets()).toBe(0);
    after = reader.lastId();
  }
  const last = await follow(b, channel, after);
  await waitUntil(async () => heard.length + last.heard.length >= 900);
  expect([...heard, ...last.heard]).toEqual(upTo(900));
});

test('fewer large events are kept, and resuming from a dropped one is a reset', async () => {
  const { events } = await node();
  const server = look();
  const channel = freshChannel();
  const keeper = await follow(events, channel);
  const start = keeper.lastId();
  // One at a time: a node waits only so long for Redis before everyone gets a reset.
  for (const n of upTo(10)) {
    publishAll(events, channel, [n], 'x'.repeat(256 * 1024));
    await keeper.until(n);
  }
  expect(await server.xlen(`test:events:${channel}`)).toBe(7);
  const early = await follow(events, channel, start);
  const late = await follow(events, channel, keeper.ids.at(-4));
  await late.until(3);
  expect([keeper.resets(), early.resets(), late.resets()]).toEqual([0, 1, 0]);
  expect(late.heard).toEqual([8, 9, 10]);
});

test('events without followers are not stored, and followed ones expire', async () => {
  const { events } = await node();
  const [unheard, heard] = [freshChannel(), freshChannel()];
  events.publish(unheard, { n: 1 }, 100);
  await follow(events, heard);
  const client = look();
  const exists = (channel: string) => client.exists(`test:events:${channel}`);
  expect([await exists(unheard), await exists(heard)]).toEqual([0, 1]);
  const keptMs = await client.pttl(`test:events:${heard}`);
  expect(keptMs).toBeGreaterThan(0);
  expect(keptMs).toBeLessThanOrEqual(600_000);
});

test('while Redis hangs, followers of the same node get everything once, and all get a reset afterwards', async () => {
  const [a, b] = [await node(), await node()];
  const channel = freshChannel();
  const [atA, atB] = [await follow(a.events, channel), await follow(b.events, channel)];
  const before = atB.lastId();
  publishAll(a.events, channel, [1]);
  await Promise.all([atA.until(1), atB.until(1)]);
  server.freeze();
  publishAll(a.events, channel, upTo(5, 2));
  await atA.until(6);
  publishAll(a.events, channel, [7]);
  await atA.until(7);
  expect(atA.heard).toEqual(upTo(7));
  const newcomer = await follow(a.events, channel);
  const returning = await follow(a.events, channel, before);
  expect([newcomer.resets(), returning.resets()]).toEqual([0, 1]);
  server.thaw();
  await Promise.all([atA.untilReset(), atB.untilReset(), newcomer.untilReset(), returning.untilReset(2)]);
  expect(atA.heard).toEqual(upTo(7));
  await waitUntil(async () => a.redis.isReceiving && b.redis.isReceiving);
  publishAll(b.events, channel, [8]);
  await Promise.all([atA.until(8), newcomer.until(1)]);
  expect([atA.heard.at(-1), newcomer.heard]).toEqual([8, [8]]);
  // A follower that was disconnected meanwhile and resumes at another node gets a reset too.
  expect((await follow(b.events, channel, before)).resets()).toBe(1);
});

test('when Redis restarts empty, followers get a reset, and then new events', async () => {
  const [a, b] = [await node(), await node()];
  const channel = freshChannel();
  const [atA, atB] = [await follow(a.events, channel), await follow(b.events, channel)];
  publishAll(a.events, channel, [1]);
  await Promise.all([atA.until(1), atB.until(1)]);
  const before = atB.lastId();
  await server.kill();
  await waitUntil(async () => !a.redis.isReceiving);
  publishAll(a.events, channel, [2]);
  await atA.until(2);
  await server.start();
  await Promise.all([atA.untilReset(), atB.untilReset()]);
  // One reset or two: the message that A has lost something can arrive at the same time.
  expect((await follow(b.events, channel, before)).resets()).toBeGreaterThan(0);
  publishAll(a.events, channel, [3]);
  await Promise.all([atA.until(3), atB.until(2)]);
  expect([atA.heard, atB.heard]).toEqual([
    [1, 2, 3],
    [1, 3],
  ]);
});

test('a node that could not reach Redis causes a reset at the other nodes', async () => {
  const [a, b] = [await node(), await node()];
  const channel = freshChannel();
  const atB = await follow(b.events, channel);
  const before = atB.lastId();
  a.redis.client.disconnect();
  publishAll(a.events, channel, [1]);
  await waitUntil(async () => !a.redis.isReceiving);
  await a.redis.client.connect();
  await atB.untilReset();
  expect([atB.heard, b.redis.isReceiving]).toEqual([[], true]);
  expect((await follow(b.events, channel, before)).resets()).toBe(1);
});

test('a node that crashes causes a reset for all followers, and for those who resume', async () => {
  const [a, b] = [await node(), await node()];
  const [heard, unheard] = [freshChannel(), freshChannel()];
  const atB = await follow(b.events, heard);
  const gone = await follow(b.events, unheard);
  gone.stop();
  // The connections of A end without a message.
  await a.redis.stop();
  await atB.untilReset();
  expect((await follow(b.events, unheard, gone.lastId())).resets()).toBe(1);
  const again = await follow(b.events, heard, atB.lastId());
  expect(again.resets()).toBe(0);
});
