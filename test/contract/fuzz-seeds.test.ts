import { expect, test } from 'bun:test';
import { fuzz, tryEach } from './fuzz/index.ts';

test('a sound request works whatever the seed makes of it', async () => {
  expect(await tryEach([1, 2, 3, 4, 5, 6, 7, 8])).toEqual([]);
}, 600_000);

test('every response is described in openapi.json, in a longer run', async () => {
  const { faults } = await fuzz({ seed: 2, requests: 2_400 });
  expect(faults.map(({ message, curl }) => `${message}\n${curl}`)).toEqual([]);
}, 600_000);
