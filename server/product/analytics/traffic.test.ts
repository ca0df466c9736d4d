import { afterEach, expect, test } from 'bun:test';
import { CoarseClock } from './coarse-clock.ts';
import { HOUR_MS, MAX_LOADS_LOOKED_AT } from './limits.ts';
import { Traffic } from './traffic.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const traffics: Traffic[] = [];
afterEach(async () => {
  for (const traffic of traffics.splice(0)) await traffic.stop().catch(() => undefined);
});

/** Counts loads whose numbers are never written. */
async function startTraffic(): Promise<Traffic> {
  const traffic = new Traffic({
    // Nothing here writes.
    db: {} as never,
    log: {} as never,
    now: () => 5 * HOUR_MS,
    salt: { read: async () => 'salt' },
    isOwnHost: () => false,
    existing: async () => new Set<number>(),
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
  // It fails here, but its numbers were taken.
  await traffic.stop().catch(() => undefined);
  expect(addressesRead(traffic, FIREFOX)).toBe(1);
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
