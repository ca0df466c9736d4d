import { expect, test } from 'bun:test';
import { createFairQueue } from './fair-queue.ts';

const refused = () => new Error('busy');

/** A queue with one worker, busy until `finish`. Records what runs afterwards. */
function busyQueue(maxWaiting: number) {
  const run = createFairQueue({ width: 1, maxWaiting, refused });
  const order: string[] = [];
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  const first = run('first', () => promise);
  const add = (key: string, name: string) =>
    run(key, async () => void order.push(name)).catch(() => void order.push(`no ${name}`));
  return { run, order, finish, first, add };
}

test('callers take turns, however many tasks each has', async () => {
  const { order, finish, add } = busyQueue(10);
  const all = [add('a', 'a1'), add('a', 'a2'), add('a', 'a3'), add('b', 'b1'), add('c', 'c1')];
  finish();
  await Promise.all(all);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
});

test('when it is full, the caller with the most waiting tasks loses one', async () => {
  const { order, finish, add } = busyQueue(3);
  const all = [add('a', 'a1'), add('a', 'a2'), add('a', 'a3'), add('b', 'b1'), add('b', 'b2')];
  finish();
  await Promise.all(all);
  expect(order).toEqual(['no a3', 'no b2', 'a1', 'b1', 'a2']);
});

test('a failed task does not stop the next', async () => {
  const run = createFairQueue({ width: 1, maxWaiting: 0, refused });
  expect(run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await Bun.sleep(0);
  expect(await run('a', async () => 'done')).toBe('done');
});
