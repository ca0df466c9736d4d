import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type DatabaseCluster, type Node, startDatabaseCluster } from '../support/cluster/databases.ts';
import { handler } from '../support/functions/app.ts';
import { Collector, drawTree } from '../support/traces/collector.ts';

const COUNT = handler(`await env.DB.prepare('INSERT INTO t VALUES (1)').run();
  const { results } = await env.DB.prepare('SELECT count(*) AS n FROM t').all();
  return Response.json(results[0].n)`);

let collector: Collector;
let cluster: DatabaseCluster;
beforeAll(async () => {
  collector = new Collector();
  cluster = await startDatabaseCluster(2, collector.settings);
}, 120_000);
afterAll(async () => {
  await cluster?.stop();
  await collector.stop();
});

test('a call is one tree, also if its database is at another node', async () => {
  const [one, two] = cluster.nodes as [Node, Node];
  const slug = await cluster.deploy(one, COUNT);
  // From now on the database is at this node.
  await cluster.sql(one, slug, 'CREATE TABLE t (n)');
  for (const [n, node] of [one, two].entries()) {
    const response = await fetch(`${node.baseUrl}/api/functions/${slug}`, { method: 'POST' });
    expect(await response.json()).toBe(n + 1);
    const requestId = response.headers.get('x-request-id') ?? '';
    const spans = await collector.untilTraced(requestId, ['cell', 'SQL INSERT', 'SQL SELECT']);
    const tree = drawTree(spans.filter(({ name }) => !/^SQL \w+ \w/.test(name) && !name.startsWith('wait')));
    expect(tree.slice(-6)).toEqual([
      '    gate',
      '    cell',
      '      database',
      '        SQL INSERT',
      '      database',
      '        SQL SELECT',
    ]);
    // What the service reads of the function, in PostgreSQL.
    expect(spans.filter(({ name }) => /^SQL SELECT function/.test(name))).not.toEqual([]);
  }
}, 120_000);
