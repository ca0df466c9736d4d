import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type DatabaseCluster, type Node, startDatabaseCluster } from '../support/cluster/databases.ts';
import { cpuSeconds } from '../support/faults/process.ts';
import { helpers } from '../support/functions/server.ts';
import { expectNothingHalf, NEW, OLD } from '../support/functions/slow-migrations.ts';
import { call } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

let cluster: DatabaseCluster;
beforeAll(async () => {
  cluster = await startDatabaseCluster(3, { QUIRE_DRAIN_SECONDS: '0' });
}, 240_000);
afterAll(() => cluster?.stop());

test('migrations are all there or none for the other two nodes, after the one with the database was killed', async () => {
  const slug = 'migrated';
  const { token } = cluster.owner;
  const [one] = cluster.nodes as [Node, Node];
  expect((await call(one, 'POST', '/api/functions', { token, body: { slug, ...OLD } })).status).toBe(201);
  const busySeconds = (node: Node) =>
    helpers(node)
      .filter(({ kind }) => kind === 'database host')
      .reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  const before = new Map(cluster.nodes.map((node) => [node, busySeconds(node)]));
  const isMigrating = (node: Node) => busySeconds(node) > (before.get(node) ?? 0) + 0.3;
  const path = `/api/functions/${slug}`;
  const deploying = call(one, 'PATCH', path, { token, body: NEW, timeoutMs: 100_000 }).catch(() => undefined);
  await waitUntil(async () => cluster.nodes.some(isMigrating));
  const [holder] = cluster.nodes.filter(isMigrating) as [Node];
  const others = cluster.nodes.filter((node) => node !== holder);
  await holder.kill();
  expect((await deploying)?.status).not.toBe(200);
  for (const other of others)
    await expectNothingHalf({
      sql: (statement) => cluster.sql(other, slug, statement),
      call: () => cluster.call(other, slug),
    });
}, 240_000);
