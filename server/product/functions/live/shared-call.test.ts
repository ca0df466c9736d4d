import { expect, test } from 'bun:test';
import { KeptBytes } from '../../../lib/live/kept-bytes.ts';
import { RestingQueue } from '../../../lib/live/rerun.ts';
import { type CallReader, type LiveCallsContext, SharedCall } from './shared-call.ts';
import { WatchedDatabases } from './watched-databases.ts';

test('runs later if its reader could not be identified, who then stays', async () => {
  const query = { functionId: 1, ownerId: 1, body: '{}', who: {} };
  let runs = 0;
  const context = {
    registry: { byId: async () => ({ isPublic: true, ownerId: 1, databaseId: null }) },
    calls: {
      runLive: async () => ({ status: 200, whole: new TextEncoder().encode(`{"runs":${++runs}}`) }),
    },
    runLimit: { take: async () => undefined },
  } as unknown as LiveCallsContext;
  const call = new SharedCall(context, query, {
    ...{ queue: new RestingQueue({ width: 1, ownWidth: 1, rest: 0 }), source: '10.0.0.1', pageId: 1 },
    kept: new KeptBytes({ total: 1_000_000, share: 1_000_000 }).keep(1),
    watched: new WatchedDatabases({ watch: () => () => undefined }),
  });
  const shown = Promise.withResolvers<void>();
  let asked = 0;
  const reader: CallReader = {
    source: '10.0.0.1',
    // Their role was another one for a moment.
    identify: async () => (++asked === 1 ? undefined : {}),
    changed: () => shown.resolve(),
    failed: (_, error) => shown.reject(error),
  };
  call.readers.add(reader);
  call.refresh();
  await shown.promise;
  expect([asked, runs, call.state?.text]).toEqual([2, 1, '{"runs":1}']);
  call.stop();
});
