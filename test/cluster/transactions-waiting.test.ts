import { afterAll, beforeAll, expect, test } from 'bun:test';
import { TRANSACTION_LIMITS } from '../../workers/protocol.ts';
import { type DatabaseCluster, type Node, startDatabaseCluster } from '../support/cluster/databases.ts';

/** Statements of one node that wait for transactions of another, which has the database. */

/** Holds a transaction, and says when it begins to open it and at each statement; or inserts. */
const CODE = `const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const insert = (db, n) => db.prepare('INSERT INTO t (n) VALUES (?)').bind(n).run().then(() => null, (error) => error.message);
export default { async fetch(request, env) {
  const { numbers, holdMs } = await request.json();
  if (numbers) return Response.json(await Promise.all(numbers.map((n) => insert(env.DB, n))));
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const say = (word) => writer.write(new TextEncoder().encode(word + '\\n'));
  (async () => {
    await say('opening');
    await env.DB.transaction(async (tx) => {
      for (const startedAt = Date.now(); Date.now() < startedAt + holdMs; await pause(200)) {
        await tx.prepare('SELECT 1').run();
        await say('open');
      }
    });
  })().catch(() => undefined).finally(() => writer.close());
  return new Response(readable);
} };`;
const HOLD_MS = 4_500;
/** After this long without a response, a sender asks the database about its request. */
const DOUBT_MS = 5_000;
const MANY = 3 * TRANSACTION_LIMITS.waiting;

let cluster: DatabaseCluster;
beforeAll(async () => {
  cluster = await startDatabaseCluster(2, { QUIRE_DRAIN_SECONDS: '0' });
}, 240_000);
afterAll(() => cluster?.stop());

/** A function whose database is at the first node, and which both nodes have already started. */
async function deploy(): Promise<{ slug: string; home: Node; other: Node }> {
  const [home, other] = cluster.nodes as [Node, Node];
  const slug = await cluster.deploy(home, CODE);
  await cluster.sql(home, slug, 'CREATE TABLE t (n)');
  for (const node of [home, other]) expect(await insert(node, slug, [0])).toEqual([null]);
  return { slug, home, other };
}

async function insert(node: Node, slug: string, numbers: number[]): Promise<Array<string | null>> {
  const { status, body } = await cluster.call(node, slug, { body: { numbers } });
  expect(status).toBe(200);
  return body;
}

/** Holds a transaction open. */
async function hold(node: Node, slug: string) {
  const response = await fetch(`${node.baseUrl}/api/functions/${slug}`, {
    method: 'POST',
    body: JSON.stringify({ holdMs: HOLD_MS }),
  });
  const words: string[] = [];
  let look = () => {};
  const ended = (async () => {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      words.push(...text.trim().split('\n'));
      look();
    }
  })();
  return {
    ended,
    until: (count: number) =>
      new Promise<void>((resolve) => {
        look = () => words.length >= count && resolve();
        look();
      }),
  };
}

/** Opens a transaction, lets another one wait for it, runs `work` and waits until all of it is over. */
async function duringTwo<T>(node: Node, slug: string, work: () => Promise<T>): Promise<T> {
  const first = await hold(node, slug);
  await first.until(2);
  const second = await hold(node, slug);
  await second.until(1);
  // The second is on its way to the database. It needs less time than the first for three statements.
  await first.until(6);
  const result = await work();
  await Promise.all([first.ended, second.ended]);
  return result;
}

const readRows = async (node: Node, slug: string) =>
  (await cluster.sql(node, slug, 'SELECT n, count(*) AS times FROM t WHERE n > 0 GROUP BY n')).body.results;

test('a statement that waits for two transactions of another node runs once', async () => {
  const { slug, home, other } = await deploy();
  const waitedMs = await duringTwo(home, slug, async () => {
    const startedAt = performance.now();
    expect(await insert(other, slug, [1])).toEqual([null]);
    return performance.now() - startedAt;
  });
  expect(waitedMs).toBeGreaterThan(DOUBT_MS);
  expect(await readRows(other, slug)).toEqual([{ n: 1, times: 1 }]);
}, 240_000);

test('of many statements of another node, twenty wait, and the others are refused without a change', async () => {
  const { slug, home, other } = await deploy();
  const numbers = Array.from({ length: MANY }, (_, at) => at + 1);
  const errors = await duringTwo(home, slug, () => insert(other, slug, numbers));
  const refused = numbers.filter((_, at) => errors[at] !== null);
  for (const n of refused)
    expect(errors[n - 1]).toMatch(/20 statements wait for a transaction.*\(UNAVAILABLE\)/);
  expect(refused.length).toBeGreaterThan(0);
  const kept = numbers.filter((n) => !refused.includes(n));
  expect(kept.length).toBeGreaterThanOrEqual(TRANSACTION_LIMITS.waiting - 1);
  expect(await readRows(other, slug)).toEqual(kept.map((n) => ({ n, times: 1 })));
}, 240_000);
