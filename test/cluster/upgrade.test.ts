import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { startLoad, type Worker } from '../support/cluster-load.ts';
import {
  creditWorker,
  databaseWorker,
  pageWorker,
  readWorker,
  recordWorker,
} from '../support/cluster-workers.ts';
import { register } from '../support/fault-client.ts';
import { waitUntil } from '../support/server.ts';

/** Work of each kind that is done for certain between two steps. */
const SOME_WORK = 5;

let cluster: Cluster;
let workers: Worker[];
beforeAll(async () => {
  cluster = await startCluster({ settings: { QUIRE_CREDITS_NEW_USER: '100000' } });
  const [owner, visitor] = await Promise.all([register(cluster, 'owner'), register(cluster, 'visitor')]);
  const [first = cluster, second = cluster] = cluster.nodes;
  workers = await Promise.all([
    pageWorker('pages', owner),
    recordWorker('records', cluster, owner),
    creditWorker('credits', cluster, owner, visitor),
    databaseWorker('a database', first, owner),
    databaseWorker('another database', second, visitor),
    readWorker('reading', cluster, owner),
  ]);
}, 120_000);
afterAll(() => cluster?.stop(), 60_000);

test('all nodes are restarted in turn under load, and no request fails', async () => {
  const load = startLoad(cluster, workers);
  try {
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
  for (const node of cluster.nodes) for (const worker of workers) await worker.check(node);
}, 180_000);
