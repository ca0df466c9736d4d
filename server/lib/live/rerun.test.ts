import { expect, test } from 'bun:test';
import { Rerun, RestingQueue } from './rerun.ts';

/** Work that ends when it is told, and what has begun so far. */
function createWork() {
  const begun: string[] = [];
  const ends: Array<() => void> = [];
  const waiting: Array<() => void> = [];
  return {
    begun,
    work: (name: string) => () =>
      new Promise<void>((resolve) => {
        begun.push(name);
        ends.push(resolve);
        for (const wake of waiting.splice(0)) wake();
      }),
    endNext: () => ends.shift()?.(),
    async untilBegun(count: number) {
      while (begun.length < count) await new Promise<void>((wake) => waiting.push(wake));
    },
  };
}

test('one who asks for much does not hold up others', async () => {
  const queue = new RestingQueue({ width: 2, ownWidth: 1, rest: 0 });
  const { begun, work, endNext, untilBegun } = createWork();
  for (const n of [1, 2, 3]) queue.add('greedy', work(`greedy ${n}`));
  await untilBegun(1);
  queue.add('modest', work('modest'));
  await untilBegun(2);
  expect(begun).toEqual(['greedy 1', 'modest']);
  endNext();
  await untilBegun(3);
  for (let n = 0; n < 2; n++) endNext();
  await untilBegun(4);
  expect(begun).toEqual(['greedy 1', 'modest', 'greedy 2', 'greedy 3']);
});

test('what changes while work is done is one more piece of work, and nothing is done after a stop', async () => {
  const queue = new RestingQueue({ width: 1, ownWidth: 1, rest: 0 });
  const { begun, work, endNext, untilBegun } = createWork();
  const rerun = new Rerun({ add: (run) => queue.add('somebody', run) }, work('run'));
  rerun.refresh();
  rerun.refresh();
  await untilBegun(1);
  for (let n = 0; n < 5; n++) rerun.refresh();
  endNext();
  await untilBegun(2);
  rerun.refresh();
  rerun.stop();
  endNext();
  const other = createWork();
  queue.add('somebody', other.work('other'));
  await other.untilBegun(1);
  expect(begun).toHaveLength(2);
});

test('work that fails is tried again', async () => {
  const queue = new RestingQueue({ width: 1, ownWidth: 1, rest: 0 });
  const done = Promise.withResolvers<number>();
  let tries = 0;
  const rerun = new Rerun({ add: (run) => queue.add('somebody', run) }, async () => {
    if (++tries < 2) throw new Error('not now');
    done.resolve(tries);
  });
  rerun.refresh();
  expect(await done.promise).toBe(2);
  rerun.stop();
});
