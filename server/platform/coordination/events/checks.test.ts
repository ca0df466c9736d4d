import { expect, test } from 'bun:test';
import { waitUntil } from '../../../../test/support/server.ts';
import type { Broadcast } from './broadcast.ts';
import { createBroadcast, createChecks } from './index.ts';

/** A broadcast that delivers what the test sends. */
function hearing(isReceiving: boolean): {
  broadcast: Broadcast;
  state: { isReceiving: boolean };
  gap(): void;
} {
  const state = { isReceiving };
  const listeners: Array<(gapMs: number) => void> = [];
  return {
    state,
    gap() {
      for (const listener of listeners) listener(0);
    },
    broadcast: {
      ...createBroadcast(),
      isSingleNode: false,
      get isReceiving() {
        return state.isReceiving;
      },
      onGap: (listener) => void listeners.push(listener),
    },
  };
}
const aged = (milliseconds: number) => ({ checkedAt: performance.now() - milliseconds });
const same = async () => true;

test('a single node has nothing to check', () => {
  expect(createChecks(createBroadcast()).checkAge(aged(24 * 3600 * 1000))).toBe('fresh');
});

test('a cached value is trusted for 30 seconds while others can be heard, and for one second otherwise', () => {
  const { broadcast, state, gap } = hearing(true);
  let now = 1_000;
  const checks = createChecks(broadcast, () => now);
  const entry = { checkedAt: 1_000 };
  const stateAt = (moment: number) => {
    now = moment;
    return checks.checkAge(entry);
  };
  expect([stateAt(30_999), stateAt(31_000)]).toEqual(['fresh', 'old']);
  state.isReceiving = false;
  expect([stateAt(1_999), stateAt(2_000)]).toEqual(['fresh', 'unsure']);
  state.isReceiving = true;
  gap();
  expect([checks.checkAge(entry), checks.checkAge({ checkedAt: 2_000 })]).toEqual(['unsure', 'fresh']);
  expect(checks.checkAge({ checkedAt: 1_999 })).toBe('unsure');
});

test('an unchanged value is trusted again, and a changed one is not used', async () => {
  const { broadcast } = hearing(false);
  const checks = createChecks(broadcast);
  const entry = aged(5_000);
  expect(await checks.compare(entry, async () => false)).toBe(false);
  expect(checks.checkAge(entry)).toBe('unsure');
  expect(await checks.compare(entry, same)).toBe(true);
  expect(checks.checkAge(entry)).toBe('fresh');
});

test('parallel requests share one check', async () => {
  const checks = createChecks(hearing(false).broadcast);
  const entry = aged(5_000);
  let looks = 0;
  const look = async () => ++looks > 0;
  await Promise.all(Array.from({ length: 20 }, () => checks.compare(entry, look)));
  expect(looks).toBe(1);
});

test('a database that fails or hangs delays nobody twice, and is asked again later', async () => {
  const checks = createChecks(hearing(false).broadcast);
  const entry = aged(5_000);
  let looks = 0;
  const failing = async () => {
    looks++;
    throw new Error('away');
  };
  expect(await checks.compare(entry, failing)).toBe(true);
  expect(await checks.compare(aged(5_000), failing)).toBe(true);
  expect([looks, checks.checkAge(entry)]).toEqual([1, 'unsure']);
  await waitUntil(async () => !(await checks.compare(entry, async () => false)));

  const answer = Promise.withResolvers<boolean>();
  expect(await checks.compare(entry, () => answer.promise)).toBe(true);
  expect(await checks.compare(aged(5_000), async () => false)).toBe(true);
  answer.resolve(true);
  await waitUntil(async () => !(await checks.compare(aged(5_000), async () => false)));
});
