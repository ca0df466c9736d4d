import { expect, test } from 'bun:test';
import { WriteLock } from './lock.ts';

test('only one of those that wait gets the lock, in the order in which they came', async () => {
  const lock = new WriteLock();
  const first = await lock.lock();
  const order: string[] = [];
  const locking = ['second', 'third', 'fourth'].map(async (name) => {
    const token = await lock.lock();
    order.push(name);
    return token;
  });
  await Promise.resolve();
  lock.unlock(first);
  const second = (await locking[0]) as string;
  await new Promise(setImmediate);
  expect(order).toEqual(['second']);
  expect(lock.unlock(second)).toBe(true);
  expect(lock.unlock((await locking[1]) as string)).toBe(true);
  await locking[2];
  expect(order).toEqual(['second', 'third', 'fourth']);
});
