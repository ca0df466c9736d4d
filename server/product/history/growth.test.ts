import { expect, test } from 'bun:test';
import { Growth } from './growth.ts';

const MEGABYTE = 1024 * 1024;
const MINUTE = 60_000;

test('history that grows by 16 MB is compared with its share, and again five minutes later at the earliest', async () => {
  let now = Date.parse('2026-03-01T00:00:00Z');
  const fitted: number[] = [];
  const failures: unknown[] = [];
  const growth = new Growth({
    now: () => now,
    async fit(ownerId) {
      fitted.push(ownerId);
      if (ownerId === 2) throw new Error('no database');
    },
    onFailure: (error) => failures.push(error),
  });
  growth.note(1, 16 * MEGABYTE - 1);
  growth.note(2, 16 * MEGABYTE);
  await Bun.sleep(0);
  expect([fitted, failures.length]).toEqual([[2], 1]);
  growth.note(1, 1);
  await Bun.sleep(0);
  expect(fitted).toEqual([2, 1]);
  now += 5 * MINUTE - 1;
  growth.note(1, 100 * MEGABYTE);
  await Bun.sleep(0);
  expect(fitted).toEqual([2, 1]);
  now += 1;
  growth.note(1, 0);
  await Bun.sleep(0);
  expect(fitted).toEqual([2, 1, 1]);
  await growth.stop();
  now += 5 * MINUTE;
  growth.note(1, 100 * MEGABYTE);
  await Bun.sleep(0);
  expect(fitted).toHaveLength(3);
});
