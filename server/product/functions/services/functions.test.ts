import { expect, test } from 'bun:test';
import type { Asker, ServicesContext } from './context.ts';
import { createFunctionsService } from './functions.ts';

const asker = { asking: { ownerId: 1 } } as Asker;
const request = new Request('http://server/functions');

/** The service with calls that end when they are told to. */
function start(take: () => Promise<void> = async () => undefined) {
  const ends: Array<() => void> = [];
  const context = {
    calls: { callBetween: () => new Promise((end) => ends.push(() => end(new Response('{}')))) },
    config: { callsPerMinute: 60 },
    limits: { limit: () => ({ take }) },
  } as unknown as ServicesContext;
  const service = createFunctionsService(context);
  const call = () => service.run(asker, { slug: 'a' }, request);
  const endAll = () => ends.splice(0).forEach((end) => void end());
  return { call, endAll };
}

test('calls that begin together are counted one by one, and no more when they have ended', async () => {
  const { call, endAll } = start();
  for (let round = 0; round < 3; round++) {
    const calls = Array.from({ length: 17 }, call);
    await expect(calls.at(-1)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await Bun.sleep(0);
    endAll();
    expect(await Promise.all(calls.slice(0, 16))).toHaveLength(16);
  }
});

test('calls that are refused are not counted', async () => {
  const { call } = start(() => Promise.reject(new Error('over the limit')));
  for (let times = 0; times < 20; times++) await expect(call()).rejects.toThrow('over the limit');
});
