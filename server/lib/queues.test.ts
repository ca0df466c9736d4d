import { expect, test } from 'bun:test';
import { createKeyedQueue, createSemaphore } from './queues.ts';

test('a semaphore runs as many tasks as allowed, queues some and refuses the rest', async () => {
  const run = createSemaphore(2, 3);
  let running = 0;
  let most = 0;
  const task = async () => {
    most = Math.max(most, ++running);
    await Bun.sleep(1);
    running--;
  };
  const results = await Promise.allSettled(
    Array.from({ length: 7 }, () => run(task, () => new Error('full'))),
  );
  expect(results.map(({ status }) => status === 'fulfilled').filter(Boolean).length).toBe(5);
  expect(most).toBe(2);
  await run(task, () => new Error('full'));
});

test('a semaphore continues after a failed task', async () => {
  const run = createSemaphore(1, 5);
  const fail = () => Promise.reject(new Error('task'));
  await Promise.allSettled([run(fail, Error), run(fail, Error)]);
  expect(await run(async () => 'fine', Error)).toBe('fine');
});

test('a keyed queue keeps the order within a key and does not block other keys', async () => {
  const run = createKeyedQueue();
  const seen: string[] = [];
  const task = (name: string, ms: number) => async () => {
    await Bun.sleep(ms);
    seen.push(name);
  };
  const failing = run('a', () => Promise.reject(new Error('x'))).catch(() => seen.push('a0'));
  await Promise.all([failing, run('a', task('a1', 20)), run('a', task('a2', 0)), run('b', task('b1', 0))]);
  expect(seen).toEqual(['a0', 'b1', 'a1', 'a2']);
});
