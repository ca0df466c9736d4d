import { expect, test } from 'bun:test';
import { SendQueue } from './send-queue.ts';

const KB = 1024;

/** Waits for all, and returns their names in the order in which they began. */
async function collectOrder(
  entries: Array<{ name: string; bytes: number; keys: string[] }>,
): Promise<string[]> {
  const queue = new SendQueue();
  const order: string[] = [];
  await Promise.all(
    entries.map(({ name, bytes, keys }) => queue.wait(bytes, keys).then(() => void order.push(name))),
  );
  return order;
}

test('an address that asks for much does not delay one that asks for little', async () => {
  const many = Array.from({ length: 50 }, () => ({ name: 'many', bytes: 512 * KB, keys: ['a', 'owner 1'] }));
  const order = await collectOrder([...many, { name: 'one', bytes: 512 * KB, keys: ['b', 'owner 2'] }]);
  expect(order.indexOf('one')).toBe(1);
});

test('an owner who is asked by many addresses does not delay another owner', async () => {
  const many = Array.from({ length: 50 }, (_, at) => ({
    name: 'many',
    bytes: 512 * KB,
    keys: [`address ${at}`, 'owner 1'],
  }));
  const order = await collectOrder([...many, { name: 'one', bytes: 512 * KB, keys: ['b', 'owner 2'] }]);
  expect(order.indexOf('one')).toBe(1);
});

test('an address that asks many owners does not delay another address', async () => {
  const many = Array.from({ length: 50 }, (_, at) => ({
    name: 'many',
    bytes: 512 * KB,
    keys: ['a', `owner ${at}`],
  }));
  const order = await collectOrder([...many, { name: 'one', bytes: 512 * KB, keys: ['b', 'owner 99'] }]);
  expect(order.indexOf('one')).toBe(1);
});

test('entries with the same keys begin in the order in which they came', async () => {
  const names = ['first', 'second', 'third'];
  expect(await collectOrder(names.map((name) => ({ name, bytes: KB, keys: ['a'] })))).toEqual(names);
});

test('at most 1 MB begins before other events are handled, and at least one entry', async () => {
  for (const [bytes, expected] of [
    [128 * KB, 8],
    [128 * KB + 1, 7],
    [3 * KB * KB, 1],
  ] as const) {
    const queue = new SendQueue();
    let begun = 0;
    const all = Array.from({ length: 20 }, () => queue.wait(bytes, ['a']).then(() => void begun++));
    const seen: number[] = [];
    while (begun < 20) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(begun);
    }
    await Promise.all(all);
    const steps = seen.map((count, at) => count - (seen[at - 1] ?? 0));
    expect(Math.max(...steps)).toBe(expected);
    expect(queue.length).toBe(0);
  }
});
