import { expect, test } from 'bun:test';
import { tryEach } from './fuzz/index.ts';

test('a sound request works whatever the seed makes of it', async () => {
  expect(await tryEach([1, 2, 3, 4, 5, 6, 7, 8])).toEqual([]);
}, 600_000);
