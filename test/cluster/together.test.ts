import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { call, publish, register } from '../support/fault-client.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
}, 120_000);
afterAll(() => cluster?.stop(), 60_000);

test('a page made at one node is served by all', async () => {
  const [first] = cluster.nodes;
  if (!first) throw new Error('no nodes');
  const { token } = await register(first, 'ada');
  const page = await publish(first, token);
  for (const node of [...cluster.nodes, cluster]) {
    expect((await call(node, 'GET', `/p/${page.slug}`)).status).toBe(200);
  }
});
