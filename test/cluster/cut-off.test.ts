import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster/cluster.ts';
import { type CutNetwork, makeNetwork, whyNoNamespaces } from '../support/cluster/network.ts';
import { type Account, call, publish, register, type ServerAddress } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/** A node that alone cannot reach PostgreSQL leaves the load balancer. If PostgreSQL is gone for all, none leaves. */

const NODES = ['node1', 'node2'];
/** Less than any time limit of the database's client, so a request that hangs is found. */
const AT_ONCE_MS = 4_000;
const LOOKS = 20;

const problem = whyNoNamespaces();
if (problem) console.warn(`The tests of network cuts are left out: ${problem}`);

describe.skipIf(problem !== undefined)('a node', () => {
  let network: CutNetwork;
  let cluster: Cluster;
  let owner: Account;
  let page: { id: number; slug: string };
  beforeAll(async () => {
    network = makeNetwork(NODES);
    cluster = await startCluster({ network, nodes: NODES.length });
    owner = await register(cluster, 'owner');
    page = await publish(cluster, owner.token, { name: 'Known' });
  }, 240_000);
  beforeEach(async () => {
    for (const node of cluster.nodes) {
      await waitUntil(async () => (await ready(node)).body.degraded.length === 0);
      await waitUntil(async () => cluster.balancer.isUp(node.name));
      // From now on it is in memory.
      expect((await call(node, 'GET', `/p/${page.slug}`)).status).toBe(200);
    }
  }, 120_000);
  afterAll(async () => {
    await cluster?.stop();
    await network?.remove();
  }, 120_000);

  const ready = async (node: ServerAddress) => call(node, 'GET', '/readyz');
  const change = (node: ServerAddress, timeoutMs?: number) =>
    call(node, 'PATCH', `/api/pages/${page.id}`, {
      token: owner.token,
      body: { description: 'Changed' },
      ...(timeoutMs && { timeoutMs }),
    });

  test.each([
    ['PostgreSQL', ['postgres']],
    ['everything that nodes share', ['postgres', 'redis', 's3']],
  ])(
    'that is cut off from %s is not ready, refuses requests at once, and comes back',
    async (_, parts) => {
      const [node, healthy] = cluster.nodes as [ClusterNode, ClusterNode];
      network.cut(node.name, parts);
      try {
        await waitUntil(async () => (await ready(node)).status === 503);
        expect((await ready(node)).body).toMatchObject({ status: 'not ready', reasons: ['database'] });
        const answers = await Promise.all(Array.from({ length: LOOKS }, () => change(node, AT_ONCE_MS)));
        expect(new Set(answers.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
          new Set(['503 UNAVAILABLE']),
        );
        expect((await call(node, 'GET', `/p/${page.slug}`)).status).toBe(200);
        expect((await ready(healthy)).status).toBe(200);
        await waitUntil(async () => !(await cluster.balancer.isUp(node.name)));
        for (let look = 0; look < LOOKS; look++) expect((await change(cluster)).status).toBe(200);
      } finally {
        network.heal(node.name);
      }
      await waitUntil(async () => (await ready(node)).status === 200);
      await waitUntil(async () => (await change(node)).status === 200);
      await waitUntil(async () => cluster.balancer.isUp(node.name));
    },
    240_000,
  );

  test('stays ready while PostgreSQL is gone for all nodes', async () => {
    await cluster.postgres.kill();
    try {
      for (const node of cluster.nodes)
        await waitUntil(async () => (await ready(node)).body.degraded.includes('database'));
      for (let look = 0; look < LOOKS; look++) {
        for (const node of cluster.nodes) expect((await ready(node)).status).toBe(200);
        expect((await call(cluster, 'GET', `/p/${page.slug}`)).status).toBe(200);
        await Bun.sleep(100);
      }
    } finally {
      await cluster.postgres.start();
    }
    await waitUntil(async () => (await change(cluster)).status === 200);
  }, 240_000);

  test('that is alive gets requests if no node is ready', async () => {
    for (const { name } of cluster.nodes) network.cut(name, ['postgres', 'redis']);
    try {
      for (const node of cluster.nodes) {
        await waitUntil(async () => (await ready(node)).status === 503);
        await waitUntil(async () => !(await cluster.balancer.isUp(node.name)));
      }
      expect((await call(cluster, 'GET', `/p/${page.slug}`)).status).toBe(200);
    } finally {
      for (const { name } of cluster.nodes) network.heal(name);
    }
    await waitUntil(async () => (await change(cluster)).status === 200);
  }, 240_000);
});
