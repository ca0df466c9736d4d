import { expect, test } from 'bun:test';
import { KeptBytes } from '../../../lib/live/kept-bytes.ts';
import { RestingQueue } from '../../../lib/live/rerun.ts';
import { createLimits, type Rate } from '../../../platform/coordination/limits/index.ts';
import { type CallReader, type LiveCallsContext, SharedCall } from './shared-call.ts';
import { WatchedDatabases } from './watched-databases.ts';

/** A call of a function without a database, whose runs are noted with their times. Some end with their process. */
function startCall(
  identify: CallReader['identify'],
  { rate = { points: 100, seconds: 60 }, deaths = 0 }: { rate?: Rate; deaths?: number } = {},
) {
  const times: number[] = [];
  const context = {
    registry: { byId: async () => ({ isPublic: true, ownerId: 1, databaseId: null }) },
    calls: {
      async runLive() {
        times.push(performance.now());
        if (times.length <= deaths) return { status: 502, error: 'The function crashed.' };
        return { status: 200, whole: new TextEncoder().encode(`{"runs":${times.length}}`) };
      },
    },
    runLimit: createLimits().limit('live-runs', rate, 'Enough. Try again {wait}.'),
  } as unknown as LiveCallsContext;
  const query = { functionId: 1, ownerId: 1, body: '{}', who: {} };
  const call = new SharedCall(context, query, {
    ...{ queue: new RestingQueue({ width: 1, ownWidth: 1, rest: 0 }), source: '10.0.0.1', pageId: 1 },
    kept: new KeptBytes({ total: 1_000_000, share: 1_000_000 }).keep(1),
    watched: new WatchedDatabases({ watch: () => () => undefined }),
  });
  let shown = Promise.withResolvers<void>();
  call.readers.add({
    source: '10.0.0.1',
    identify,
    changed: () => shown.resolve(),
    failed: (_, error) => shown.reject(error),
  });
  return {
    call,
    times,
    async runOnce() {
      call.refresh();
      await shown.promise;
      shown = Promise.withResolvers();
    },
  };
}

test('runs later if its reader could not be identified, who then stays', async () => {
  let asked = 0;
  // Their role was another one for a moment.
  const { call, times, runOnce } = startCall(async () => (++asked === 1 ? undefined : {}));
  await runOnce();
  expect([asked, times.length, call.state?.text]).toEqual([2, 1, '{"runs":1}']);
  call.stop();
});

test('runs as often as its owner may, and once more when that is possible again', async () => {
  const { call, times, runOnce } = startCall(async () => ({}), { rate: { points: 2, seconds: 2 } });
  for (let n = 0; n < 3; n++) await runOnce();
  expect(call.state?.text).toBe('{"runs":3}');
  const [first = 0, , third = 0] = times;
  expect(third - first).toBeGreaterThan(1_900);
  call.stop();
});

test('runs again by itself after its process has died', async () => {
  const { call, runOnce } = startCall(async () => ({}), { deaths: 1 });
  await runOnce();
  expect(call.state?.text).toContain('crashed');
  while (call.state?.text !== '{"runs":2}') await Bun.sleep(10);
  call.stop();
});
