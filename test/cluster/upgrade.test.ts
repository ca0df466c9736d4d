import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Client } from 'pg';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { startLoad, type Worker } from '../support/cluster-load.ts';
import { openTab } from '../support/cluster-team.ts';
import { workersOfEveryKind } from '../support/cluster-workers.ts';
import { waitUntil } from '../support/server.ts';

/** Work of each kind that is done for certain between two steps. */
const SOME_WORK = 5;

let cluster: Cluster;
let recording: Awaited<ReturnType<typeof workersOfEveryKind>>['recording'];
let workers: Worker[];
beforeAll(async () => {
  cluster = await startCluster({ settings: { QUIRE_CREDITS_NEW_USER: '100000' } });
  ({ recording, workers } = await workersOfEveryKind(cluster));
}, 120_000);
afterAll(() => cluster?.stop(), 60_000);

test('all nodes are restarted in turn under load, and no request fails', async () => {
  const tab = await openTab(cluster, recording.pageId, 'notes');
  const load = startLoad(cluster, workers);
  try {
    await load.more(SOME_WORK);
    await addAsNextVersion();
    for (const node of cluster.nodes) {
      await load.more(SOME_WORK);
      expect(await node.stop()).toBe(0);
      await load.more(SOME_WORK);
      await node.start();
      await waitUntil(() => cluster.balancer.isUp(node.name));
    }
    await load.more(SOME_WORK);
  } finally {
    const { troubles } = await load.stop();
    expect(troubles).toEqual([]);
  }
  await waitUntil(async () => recording.records.size <= new Set(tab.heard()).size);
  await tab.close();
  expect(tab.heard().sort()).toEqual([...recording.records.keys()].sort());
  expect(tab.streams()).toBeGreaterThan(1);
  expect(tab.resets()).toBe(0);
  for (const node of cluster.nodes) for (const worker of workers) await worker.check(node);
}, 180_000);

/** What the first node of the next version does to the tables: the others work on them, and start again on them. */
async function addAsNextVersion(): Promise<void> {
  const client = new Client({ connectionString: cluster.postgres.url });
  await client.connect();
  try {
    await client.query('alter table pages add column of_the_next_version text');
    await client.query(
      `insert into kysely_migration (name, timestamp) values ('9999-next-version', '2030-01-01T00:00:00.000Z')`,
    );
  } finally {
    await client.end();
  }
}
