import { expect, test } from 'bun:test';
import { purgeStandIns } from './stand-ins.ts';

test('one stand-in that cannot be removed does not keep the others, and is reported', async () => {
  const removed: number[] = [];
  const people = {
    list: async () => [1, 2, 3].map((userId) => ({ userId, pageId: 7 })),
    block: async (_: unknown, userId: number) => {
      if (userId === 2) throw new Error('locked');
    },
    hasStored: async () => false,
    remove: async (_: unknown, userId: number) => void removed.push(userId),
    accessChanged: () => undefined,
  };
  const db = { transaction: () => ({ execute: (run: (tx: unknown) => unknown) => run({}) }) };
  const context = { db, now: () => 0, pages: { find: async () => undefined }, people };
  const failure = await purgeStandIns(context as never).catch((error) => error);
  expect(removed).toEqual([1, 3]);
  expect(failure).toMatchObject({
    message: '1 of 3 stand-ins could not be removed',
    errors: [new Error('locked')],
  });
});
