import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { type TestApp, type TestUser, testApp } from '../support/app.ts';
import { twoNodes } from '../support/cluster/nodes.ts';
import { countRuns } from '../support/functions/scheduled-runs.ts';
import { startServer, waitUntil } from '../support/server.ts';

/** Three nodes see the same schedules, and their clocks reach the same moments. */

const FUNCTIONS = 4;
const ROUNDS = 3;
const SETTINGS = { QUIRE_EGRESS_ALLOW: '127.0.0.1/32', QUIRE_SCHEDULED_RUNS_PER_MINUTE: '0' };

let cluster: Awaited<ReturnType<typeof twoNodes>>;
let third: TestApp;
const nodes: TestApp[] = [];
const counter = countRuns();
beforeAll(async () => {
  cluster = await twoNodes(SETTINGS);
  third = await testApp(asNode());
  nodes.push(cluster.a, cluster.b, third);
}, 120_000);
afterAll(async () => {
  counter.stop();
  await third.stop();
  await cluster.stop();
});

const asNode = () => ({
  ...SETTINGS,
  DATABASE_URL: cluster.databaseUrl,
  REDIS_URL: cluster.redis.url,
  QUIRE_SECRET: 'a secret that both nodes have, of some length',
  QUIRE_ISOLATION: 'sandbox',
});

const next = async (owner: TestUser, slug: string): Promise<string> =>
  (await owner.call('GET', `/api/functions/${slug}`)).body.schedules[0].nextRunAt;

test('each moment runs on one of three nodes, also if one stops', async () => {
  const owner = await cluster.a.user();
  const slugs = Array.from({ length: FUNCTIONS }, (_, n) => `scheduled-${n}`);
  for (const slug of slugs) {
    const body = { slug, code: counter.code(slug), schedules: [{ cron: '*/20 * * * *' }] };
    expect((await owner.call('POST', '/api/functions', { body })).status).toBe(201);
  }
  const expected: string[] = [];
  let aheadMs = 0;
  const advance = (milliseconds: number) => {
    aheadMs += milliseconds;
    for (const node of nodes) node.advance(milliseconds);
  };
  for (let round = 1; round <= ROUNDS; round++) {
    const moment = await next(owner, 'scheduled-0');
    expected.push(...slugs.map((slug) => `${slug} ${moment}`));
    advance(Date.parse(moment) - Date.now() - aheadMs + 100);
    // The next moment is there when all nodes know that this one was claimed.
    await waitUntil(async () => {
      const moments = await Promise.all(slugs.map((slug) => next(owner, slug)));
      return moments.every((each) => each > moment);
    });
    await counter.until(round * FUNCTIONS);
    if (round === 1) cluster.b.app.drain();
  }
  expect(counter.runs.toSorted()).toEqual(expected.toSorted());
}, 60_000);

test('another node reports the run of a node that was killed, and does not repeat it', async () => {
  const owner = await cluster.a.user();
  const body = { slug: 'yearly', code: counter.code('yearly'), schedules: [{ cron: '0 3 1 1 *' }] };
  expect((await owner.call('POST', '/api/functions', { body })).status).toBe(201);
  // Only the node that will be killed may run it.
  for (const node of nodes) node.app.drain();
  const sql = new SQL(cluster.databaseUrl, { max: 1 });
  await sql`update function_schedules set moment = 60000, due_at = 60000
    where function_id = (select id from functions where slug = 'yearly')`;
  await sql.end();
  const runs = () => counter.runs.filter((run) => run.startsWith('yearly '));
  counter.hold();
  const killed = await startServer({ settings: asNode() });
  await waitUntil(async () => runs().length === 1);
  await killed.kill();
  counter.release();

  const survivor = await testApp(asNode());
  try {
    const read = async () =>
      (await survivor.call('GET', '/api/functions/yearly', { token: owner.token })).body.schedules[0];
    expect(await read()).toMatchObject({ lastRun: { result: 'running' } });
    survivor.advance(6 * 60_000 + 1_000);
    await waitUntil(async () => (await read()).lastRun.result === 'interrupted');
    expect(await read()).toMatchObject({ failures: 0, lastRun: { scheduledAt: '1970-01-01T00:01:00.000Z' } });
    expect(runs()).toEqual(['yearly 1970-01-01T00:01:00.000Z']);
  } finally {
    await survivor.stop();
  }
}, 60_000);
