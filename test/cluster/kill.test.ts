import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { startLoad, type Worker } from '../support/cluster-load.ts';
import { workersOfEveryKind } from '../support/cluster-workers.ts';
import { openBank } from '../support/credits.ts';
import { waitUntil } from '../support/server.ts';

/** Longest that a client may have to ask again and again until it is served. */
const RETRY_MS = 30_000;
/** Work of each kind that is done for certain before and after each blow. */
const SOME_WORK = 10;
const MAX_WAIT_MS = 500;

let cluster: Cluster;
let workers: Worker[];
beforeAll(async () => {
  cluster = await startCluster({ settings: { QUIRE_CREDITS_NEW_USER: '100000' } });
  ({ workers } = await workersOfEveryKind(cluster));
}, 120_000);
afterAll(() => cluster?.stop(), 60_000);

test.each([
  ['the first node', 0],
  ['the second node', 1],
])(
  'kill -9 of %s under load loses nothing that was acknowledged',
  async (_, index) => {
    const node = cluster.nodes[index];
    if (!node) throw new Error('there is no such node');
    const load = startLoad(cluster, workers);
    try {
      await load.more(SOME_WORK);
      await Bun.sleep(Math.random() * MAX_WAIT_MS);
      await node.kill();
      await load.more(SOME_WORK);
      await node.start();
      await waitUntil(() => cluster.balancer.isUp(node.name));
      await load.more(SOME_WORK);
    } finally {
      const { slowestMs } = await load.stop();
      expect(slowestMs).toBeLessThan(RETRY_MS);
    }
    for (const each of cluster.nodes) for (const worker of workers) await worker.check(each);
    const bank = await openBank({
      dataFolder: node.dataFolder,
      databaseUrl: cluster.postgres.url,
      baseUrl: cluster.url,
    });
    try {
      expect(await bank.faults()).toEqual([]);
    } finally {
      await bank.stop();
    }
  },
  180_000,
);
