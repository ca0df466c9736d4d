import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type DatabaseCluster, type Node, startDatabaseCluster } from '../support/cluster/databases.ts';

/** Transactions of functions at several nodes, on one database that is at one of them. */

const COUNT = `export default { async fetch(request, env) {
  const n = await env.DB.transaction(async (tx) => {
    const n = await tx.prepare('SELECT n FROM counter').first('n');
    await tx.prepare('UPDATE counter SET n = ?').bind(n + 1).run();
    return n + 1;
  });
  return Response.json({ n });
} };`;
const EACH = 15;

let cluster: DatabaseCluster;
beforeAll(async () => {
  cluster = await startDatabaseCluster(2, { QUIRE_DRAIN_SECONDS: '0' });
}, 240_000);
afterAll(() => cluster?.stop());

test('each happens once, from every node, and while the node with the database stops', async () => {
  const [first, second] = cluster.nodes as [Node, Node];
  const slug = await cluster.deploy(first, COUNT);
  await cluster.sql(first, slug, 'CREATE TABLE counter (n INTEGER)');
  await cluster.sql(first, slug, 'INSERT INTO counter VALUES (0)');
  const troubles: string[] = [];
  const counted: number[] = [];
  const count = async (node: Node) => {
    for (let i = 0; i < EACH; i++) {
      const { status, body } = await cluster.call(node, slug, { body: {} });
      if (status === 200) counted.push(body.n);
      else troubles.push(`${status} ${JSON.stringify(body)}`);
    }
  };
  await Promise.all([count(first), count(second), count(second)]);
  const counting = Promise.all([count(second), count(second)]);
  expect(await first.stop()).toBe(0);
  await counting;
  expect(troubles).toEqual([]);
  const all = Array.from({ length: 5 * EACH }, (_, i) => i + 1);
  expect(counted.sort((one, other) => one - other)).toEqual(all);
  expect((await cluster.sql(second, slug, 'SELECT n FROM counter')).body.results).toEqual([{ n: 5 * EACH }]);
}, 240_000);
