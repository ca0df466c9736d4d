import { expect, test } from 'bun:test';
import { createBroadcast } from '../../platform/coordination/events/index.ts';
import { Pauses } from './pauses.ts';

test('a page that is restored cannot be changed, and all others can', async () => {
  const pauses = new Pauses(createBroadcast());
  pauses.assertNone(1);
  await pauses.begin(1);
  expect(() => pauses.assertNone(1)).toThrow('This page is being restored to an earlier moment.');
  pauses.assertNone(2);
  pauses.end(1);
  pauses.assertNone(1);
});

test('what changes while the database is read is newer than what is read', async () => {
  const pauses = new Pauses(createBroadcast());
  await pauses.begin(1);
  const { promise, resolve } = Promise.withResolvers<Array<{ page_id: number }>>();
  const learning = pauses.learn(() => promise);
  pauses.end(1);
  await pauses.begin(2);
  resolve([{ page_id: 1 }, { page_id: 3 }]);
  await learning;
  pauses.assertNone(1);
  for (const page of [2, 3]) expect(() => pauses.assertNone(page)).toThrow();
  await pauses.learn(async () => []);
  for (const page of [2, 3]) pauses.assertNone(page);
});
