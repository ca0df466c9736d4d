import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { type TwoNodes, twoNodes } from '../support/cluster/nodes.ts';
import { readJobs, receiveJobs } from '../support/functions/received-jobs.ts';
import { startServer, waitUntil } from '../support/server.ts';

/** Two nodes share the messages of functions. */

const SETTINGS = { QUIRE_EGRESS_ALLOW: '127.0.0.1/32' };

let cluster: TwoNodes;
const jobs = receiveJobs();
beforeAll(async () => {
  cluster = await twoNodes(SETTINGS);
}, 120_000);
afterAll(async () => {
  jobs.stop();
  await cluster.stop();
});

test('each message goes to one node, also if the node that took it does no more', async () => {
  const owner = await cluster.a.user();
  const slugs = ['one', 'two', 'three'];
  for (const slug of slugs) {
    const body = { slug, code: jobs.code() };
    expect((await owner.call('POST', '/api/functions', { body })).status).toBe(201);
  }
  const send = (slug: string, n: number) => {
    const node = n % 2 === 0 ? cluster.a : cluster.b;
    return node.call('POST', `/api/functions/${slug}`, { body: { message: `${slug}-${n}` } });
  };
  const expected = slugs.flatMap((slug) => Array.from({ length: 30 }, (_, n) => `1 ${slug}-${n}`));
  const half = async (from: number) => {
    const numbers = Array.from({ length: 15 }, (_, n) => from + n);
    const answers = await Promise.all(slugs.flatMap((slug) => numbers.map((n) => send(slug, n))));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await jobs.until((got) => got.length >= slugs.length * (from + 15));
  };
  await half(0);
  // It still takes messages, and tells the other node of them.
  cluster.b.app.drain();
  await half(15);
  for (const slug of slugs)
    await waitUntil(async () => {
      const { waiting, running } = await readJobs(owner, slug);
      return waiting === 0 && running === 0;
    });
  // Nothing is lost, and no node takes what another has taken. If a message comes again, the logs say why.
  const logs = await Promise.all(
    slugs.map((slug) => owner.call('GET', `/api/functions/${slug}/logs?limit=500`)),
  );
  const troubles = logs
    .flatMap(({ body }) => body.logs as Array<{ message: string }>)
    .filter(({ message }) => !/^(jobs \(\d+\): )?ok$/.test(message));
  expect([jobs.got.toSorted(), troubles]).toEqual([expected.toSorted(), []]);
}, 120_000);

test('messages of a node that was killed go to another', async () => {
  jobs.got.splice(0);
  const owner = await cluster.a.user();
  const body = { slug: 'lost', code: jobs.code() };
  expect((await owner.call('POST', '/api/functions', { body })).status).toBe(201);
  jobs.hold();
  const killed = await startServer({
    settings: {
      ...SETTINGS,
      DATABASE_URL: cluster.databaseUrl,
      REDIS_URL: cluster.redis.url,
      QUIRE_SECRET: 'a secret that both nodes have, of some length',
      QUIRE_ISOLATION: 'sandbox',
    },
  });
  const sent = await fetch(`${killed.baseUrl}/api/functions/lost`, {
    method: 'POST',
    body: JSON.stringify({ message: 'x' }),
  });
  expect(sent.status).toBe(200);
  await jobs.until((got) => got.length === 1);
  await killed.kill();
  jobs.release();
  // As if its time were over.
  const sql = new SQL(cluster.databaseUrl, { max: 1 });
  await sql`update function_queues set running_until = 1 where running_until is not null`;
  await sql.end();
  // A new message wakes the other node.
  await cluster.a.call('POST', '/api/functions/lost', { body: { message: 'y' } });
  await jobs.until((got) => got.length >= 3);
  expect(jobs.got.toSorted()).toEqual(['1 x', '1 y', '2 x']);
}, 90_000);
