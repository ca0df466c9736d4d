import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type DatabaseCluster, type Node, startDatabaseCluster } from '../support/database-cluster.ts';

/** Nodes are stopped while functions of others write to their databases, over and over. */

const INSERT = `export default { async fetch(request, env) {
  const { id } = await request.json();
  await env.DB.prepare('insert into calls (id) values (?)').bind(id).run();
  return new Response(id);
} };`;
const CALLERS = 48;
const HANDOVERS = 3;
/** Inserts that are answered for certain between two steps. */
const SOME = 200;

let cluster: DatabaseCluster;
beforeAll(async () => {
  cluster = await startDatabaseCluster(2, { QUIRE_DRAIN_SECONDS: '0', QUIRE_LOG_LEVEL: 'info' });
}, 60_000);
afterAll(() => cluster?.stop());

test('databases are handed over without a failed call, and every write is made once', async () => {
  const [first, second] = cluster.nodes as [Node, Node];
  const slug = await cluster.deploy(first, INSERT);
  await cluster.sql(first, slug, 'create table calls (id text)');
  let target = second;
  let isOver = false;
  let made = 0;
  const troubles: string[] = [];
  const calling = Array.from({ length: CALLERS }, async (_, caller) => {
    while (!isOver) {
      const id = `${caller}-${made++}`;
      const { status, body } = await cluster.call(target, slug, { body: { id } });
      if (status !== 200) troubles.push(`${status} ${JSON.stringify(body)}`);
    }
  });
  const more = async (count: number) => {
    const before = made;
    while (made < before + count) await Bun.sleep(10);
  };
  // The database is at the first, the callers are at the second: each in turn is left by them, and stopped.
  let holder = first;
  for (let handover = 0; handover < HANDOVERS; handover++) {
    await more(SOME);
    expect(await holder.stop()).toBe(0);
    await more(SOME);
    // It is at the node of the callers now, which are sent to a new one before that is stopped.
    holder = target;
    target = await cluster.add();
  }
  isOver = true;
  await Promise.all(calling);
  expect(troubles).toEqual([]);
  const counted = await cluster.sql(
    target,
    slug,
    'select count(*) as n, count(distinct id) as ids from calls',
  );
  expect(counted.body.results).toEqual([{ n: made, ids: made }]);
}, 180_000);
