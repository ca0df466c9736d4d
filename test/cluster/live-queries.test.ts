import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type DatabaseCluster, type Node, startDatabaseCluster } from '../support/cluster/databases.ts';
import { openLists } from '../support/data/live-lists.ts';
import { handler } from '../support/functions/app.ts';
import { type CallTab, openCalls } from '../support/functions/live-calls.ts';
import { call, publish } from '../support/http/client.ts';

/** Lists and calls that follow data, in tabs of one node, while another node writes it. */

const SUM = handler(`const { results } = await env.DB.prepare('SELECT count(*) AS n FROM t').all();
  return Response.json(results[0].n)`);

let cluster: DatabaseCluster;
beforeAll(async () => {
  cluster = await startDatabaseCluster(2, { QUIRE_DRAIN_SECONDS: '0' });
}, 120_000);
afterAll(() => cluster?.stop());

const nodes = () => cluster.nodes.slice(-2) as [Node, Node];
const at = (node: Node) => ({
  request: (path: string, init?: RequestInit) => fetch(node.baseUrl + path, init),
});

test('a live call shows what was written at any node, also after its database has relocated', async () => {
  const [one, two] = nodes();
  const { token } = cluster.owner;
  const page = await publish(one, token, { name: 'Numbers' });
  const slug = await cluster.deploy(one, SUM);
  await cluster.sql(one, slug, 'CREATE TABLE t (n)');
  const tabs = await Promise.all(
    [one, two].map((node) => openCalls(at(node), page.id, [{ function: slug }])),
  );
  for (const tab of tabs) await tab.untilShows(0);
  for (const [n, node] of [two, one, two].entries()) {
    expect((await cluster.sql(node, slug, `INSERT INTO t VALUES (${n})`)).status).toBe(200);
    for (const tab of tabs) await tab.untilShows(n + 1);
  }
  // The database is on the node where it was written first. When that stops, another node takes it over.
  const [first, second] = tabs as [CallTab, CallTab];
  expect(await one.stop()).toBe(0);
  await first.reading.ended;
  expect((await cluster.sql(two, slug, 'INSERT INTO t VALUES (3)')).status).toBe(200);
  await second.untilShows(4);
  const three = await cluster.add();
  const third = await openCalls(at(three), page.id, [{ function: slug }]);
  await third.untilShows(4);
  for (const [n, node] of [three, two].entries()) {
    expect((await cluster.sql(node, slug, `INSERT INTO t VALUES (${n})`)).status).toBe(200);
    for (const tab of [second, third]) await tab.untilShows(5 + n);
  }
  for (const tab of [second, third]) tab.close();
}, 120_000);

test('a live list shows what was written at any node, and ends at all of them', async () => {
  const [one, two] = nodes();
  const { token } = cluster.owner;
  const page = await publish(one, token, { name: 'Notes', storage_mode: 'social_app' });
  const tabs = await Promise.all(
    [one, two].map((node) => openLists(at(node), page.id, [{ collection: 'x' }])),
  );
  for (const tab of tabs) await tab.untilShows([]);
  for (const [n, node] of [two, one].entries())
    await call(node, 'POST', `/api/pages/${page.id}/social-data/x`, { token, body: { data: { n } } });
  for (const tab of tabs) await tab.until(({ shown }) => shown.get('0')?.total === 2);
  await call(two, 'PATCH', `/api/pages/${page.id}`, { token, body: { is_published: false } });
  for (const tab of tabs) await tab.reading.ended;
}, 120_000);
