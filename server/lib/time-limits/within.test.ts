import { expect, test } from 'bun:test';
import { within } from './within.ts';

const late = () => new Error('late');
const never = new Promise<never>(() => undefined);

test('work that finishes in time has its own outcome', async () => {
  expect(await within(60_000, Promise.resolve('done'), late)).toBe('done');
  await expect(within(60_000, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken');
});

test('work that does not finish in time fails with the error of the caller', async () => {
  await expect(within(1, never, late)).rejects.toThrow('late');
});
