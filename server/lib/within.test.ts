import { expect, test } from 'bun:test';
import { within } from './within.ts';

const late = () => new Error('late');
const never = new Promise<never>(() => undefined);

test('work that is done in time has its own outcome', async () => {
  expect(await within(60_000, Promise.resolve('done'), late)).toBe('done');
  await expect(within(60_000, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken');
});

test('work that is not done in time fails as the caller says', async () => {
  await expect(within(1, never, late)).rejects.toThrow('late');
});
