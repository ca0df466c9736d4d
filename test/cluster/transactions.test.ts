import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type DatabaseCluster, type Node, startDatabaseCluster } from '../support/cluster/databases.ts';
import { TRANSACTIONS } from '../support/functions/transactions.ts';
import { register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

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
/** Writes the same number twice, and waits between. */
const TWICE = `export default { async fetch(request, env) {
  const { n } = await request.json();
  await env.DB.transaction(async (tx) => {
    await tx.prepare('INSERT INTO t (n) VALUES (?)').bind(n).run();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await tx.prepare('INSERT INTO t (n) VALUES (?)').bind(n).run();
  });
  return Response.json({ n });
} };`;
const QUOTA_MEGABYTES = 6;

let cluster: DatabaseCluster;
beforeAll(async () => {
  cluster = await startDatabaseCluster(2, {
    QUIRE_DRAIN_SECONDS: '0',
    QUIRE_QUOTA_BYTES: String(QUOTA_MEGABYTES * 1_000_000),
  });
}, 240_000);
afterAll(() => cluster?.stop());

test('have the quota of their owner: what fits is kept, and what does not is refused', async () => {
  const [first, second] = cluster.nodes as [Node, Node];
  const saver = await register(first, 'saver');
  const slug = await cluster.deploy(first, TRANSACTIONS, saver);
  await cluster.sql(first, slug, 'CREATE TABLE t (a)', saver);
  const sql = Array.from({ length: 8 }, () => 'INSERT INTO t VALUES (zeroblob(1000000))');
  const { body } = await cluster.call(second, slug, { body: { run: 'statements', sql } });
  const kept = body.value.filter((error: string | null) => error === null).length;
  expect(kept).toBe(QUOTA_MEGABYTES - 1);
  for (const error of body.value.slice(kept)) expect(error).toContain('would exceed the quota');
  const counted = await cluster.sql(second, slug, 'SELECT count(*) AS n FROM t', saver);
  expect(counted.body.results).toEqual([{ n: kept }]);
}, 120_000);

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

test('are kept whole or not at all when the node with the database is killed', async () => {
  const [, second] = cluster.nodes as [Node, Node];
  const third = await cluster.add();
  const slug = await cluster.deploy(third, TWICE);
  await cluster.sql(third, slug, 'CREATE TABLE t (n)');
  const acknowledged: number[] = [];
  const refused: number[] = [];
  let next = 0;
  let isOver = false;
  const work = async () => {
    while (!isOver) {
      const n = next++;
      const { status, body } = await cluster.call(second, slug, { body: { n } });
      if (status === 200) acknowledged.push(n);
      else if (body.code === 'UNAVAILABLE') refused.push(n);
    }
  };
  const working = Promise.all([work(), work()]);
  await waitUntil(async () => acknowledged.length > 3);
  await third.kill();
  const before = acknowledged.length;
  await waitUntil(async () => acknowledged.length > before + 3);
  isOver = true;
  await working;
  const { results } = (await cluster.sql(second, slug, 'SELECT n, count(*) AS times FROM t GROUP BY n')).body;
  const times = new Map(results.map((row: { n: number; times: number }) => [row.n, row.times]));
  expect([...times].filter(([, each]) => each !== 2)).toEqual([]);
  expect(acknowledged.filter((n) => !times.has(n))).toEqual([]);
  expect(refused.filter((n) => times.has(n))).toEqual([]);
}, 240_000);
