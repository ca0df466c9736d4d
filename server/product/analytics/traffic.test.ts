import { afterEach, expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { CoarseClock } from './coarse-clock.ts';
import { HOUR_MS, MAX_LOADS_LOOKED_AT } from './limits.ts';
import { Traffic } from './traffic.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
/** The id of a page whose numbers cannot be written. */
const BROKEN = -1;
const traffics: Traffic[] = [];
afterEach(async () => {
  for (const traffic of traffics.splice(0)) await traffic.stop().catch(() => undefined);
});

/** Counts loads whose numbers are never written. */
async function startTraffic(written: number[][] = []): Promise<Traffic> {
  const traffic = new Traffic({
    // The transaction writes nothing, because no page exists.
    db: { transaction: () => ({ execute: (write: (tx: object) => unknown) => write({}) }) } as never,
    log: {} as never,
    now: () => 5 * HOUR_MS,
    salt: { read: async () => 'salt' },
    isOwnHost: () => false,
    async existing(_, pageIds) {
      written.push(pageIds);
      if (pageIds.includes(BROKEN)) throw new Error('cannot be written');
      return new Set<number>();
    },
  });
  traffics.push(traffic);
  // The first visitor of a day waits for its salt.
  traffic.loaded(1, request(FIREFOX), { address: '10.0.0.1', startedAt: 0 });
  await Promise.resolve();
  return traffic;
}

const request = (userAgent?: string) =>
  new Request('http://page/', { headers: userAgent === undefined ? {} : { 'user-agent': userAgent } });

/** How often the address is read for a load. */
function addressesRead(traffic: Traffic, userAgent?: string, pageId = 1): number {
  let count = 0;
  traffic.loaded(pageId, request(userAgent), {
    startedAt: 0,
    get address() {
      count++;
      return '10.0.0.1';
    },
  });
  return count;
}

test('the address of a visitor is read once, and that of a program never', async () => {
  const traffic = await startTraffic();
  const agents = [FIREFOX, 'curl/8.5.0', 'Googlebot/2.1', `${FIREFOX}${'x'.repeat(600)}`, '', undefined];
  expect(agents.map((agent) => addressesRead(traffic, agent))).toEqual([1, 0, 0, 0, 0, 0]);
});

test('of a page with very many loads, addresses are no longer read until the next write', async () => {
  const traffic = await startTraffic();
  let count = 1;
  for (let load = 0; load < 2 * MAX_LOADS_LOOKED_AT; load++) count += addressesRead(traffic, FIREFOX);
  expect(count).toBe(MAX_LOADS_LOOKED_AT);
  expect(addressesRead(traffic, FIREFOX, 2)).toBe(1);
  await traffic.stop();
  expect(addressesRead(traffic, FIREFOX)).toBe(1);
});

test('pages are written in the order of their ids, and others get their turn in between', async () => {
  const written: number[][] = [];
  const traffic = await startTraffic(written);
  for (let pageId = 95; pageId > 1; pageId--) addressesRead(traffic, undefined, pageId);
  let isDone = false;
  const writing = traffic.flushIfPossible().finally(() => {
    isDone = true;
  });
  const seen = new Set<number>();
  while (!isDone) {
    seen.add(written.flat().length);
    await setImmediate();
  }
  await writing;
  expect([...seen]).toEqual(expect.arrayContaining([20, 40, 60, 80]));
  expect(written.flat()).toEqual(Array.from({ length: 95 }, (_, index) => index + 1));
});

test('what cannot be written stays, and what was written before it does not', async () => {
  const written: number[][] = [];
  const traffic = await startTraffic(written);
  await traffic.flushIfPossible();
  for (const pageId of [5, BROKEN, 6]) addressesRead(traffic, undefined, pageId);
  await expect(traffic.flushIfPossible()).rejects.toThrow('cannot be written');
  await expect(traffic.flushIfPossible()).rejects.toThrow('cannot be written');
  expect(written).toEqual([[1], [BROKEN, 5, 6], [BROKEN, 5, 6]]);
});

test('a clock is read once in a second, again when the hour ends, and after it was forgotten', () => {
  let now = 7 * HOUR_MS - 1_500;
  let count = 0;
  const clock = new CoarseClock(() => {
    count++;
    return now;
  });
  for (const moment of [0, 1, 999]) clock.turnTo(moment);
  expect([count, clock.hour, clock.day]).toEqual([1, 6 * HOUR_MS, 0]);
  now += 1_000;
  clock.turnTo(1_000);
  expect([count, clock.hour]).toEqual([2, 6 * HOUR_MS]);
  now += 499;
  clock.turnTo(1_499);
  expect([count, clock.hour]).toEqual([2, 6 * HOUR_MS]);
  now += 1;
  clock.turnTo(1_500);
  expect([count, clock.hour]).toEqual([3, 7 * HOUR_MS]);
  now += 20 * HOUR_MS;
  clock.forget();
  clock.turnTo(1_501);
  expect([count, clock.hour, clock.day]).toEqual([4, 27 * HOUR_MS, 24 * HOUR_MS]);
});
