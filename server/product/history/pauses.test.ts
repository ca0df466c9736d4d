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
  pauses.replace([3]);
  expect(() => pauses.assertNone(3)).toThrow();
});
