import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type DatabaseCluster, type Node, startDatabaseCluster } from '../support/cluster/databases.ts';
import { isRunning } from '../support/faults/process.ts';
import { rounds } from '../support/faults/rounds.ts';
import { helpers } from '../support/functions/server.ts';
import { call } from '../support/http/client.ts';
import { untilPrinted, waitUntil } from '../support/server.ts';

/** Nodes stop, are killed or hang, and the bucket hangs, while functions write to their databases. */

const INSERT = `export default { async fetch(request, env) {
  const { id } = await request.json();
  await env.DB.prepare('insert into calls (id) values (?)').bind(id).run();
  return new Response(id);
} };`;
const CALLERS = rounds(12, 48);
/** A pause between writes, so that the nodes get the processor. */
const PAUSE_MS = 20;
const HANDOVERS = rounds(1, 3);
/** How many inserts must succeed between two steps. */
const SOME = rounds(50, 200);

let cluster: DatabaseCluster;
beforeAll(async () => {
  cluster = await startDatabaseCluster(3, { QUIRE_DRAIN_SECONDS: '0' });
}, 240_000);
afterAll(() => cluster?.stop());

const nodes = () => cluster.nodes.slice(-2) as [Node, Node];

/** Writes numbers through the nodes in turn until it is stopped, and remembers which were acknowledged. */
function startWriting(slug: string, through: () => Node[]) {
  const acknowledged: number[] = [];
  const refused: Array<{ number: number; status: number; code: string; retryAfter: string | null }> = [];
  let next = 0;
  let isStopped = false;
  const write = async () => {
    while (!isStopped) {
      const number = next++;
      const [node] = through().slice(number % through().length) as [Node];
      const answer = await cluster.sql(node, slug, `INSERT INTO t VALUES (${number})`).catch(() => undefined);
      if (answer?.status === 200) acknowledged.push(number);
      else if (answer)
        refused.push({
          number,
          status: answer.status,
          code: answer.body.code,
          retryAfter: answer.headers.get('retry-after'),
        });
      await Bun.sleep(PAUSE_MS);
    }
  };
  const writers = Promise.all([write(), write(), write()]);
  return {
    acknowledged,
    refused,
    async stop() {
      isStopped = true;
      await writers;
    },
  };
}

/**
 * A refusal that says "try again" was not carried out; one that may have been carried out does not say so.
 */
function expectHonest(refused: ReturnType<typeof startWriting>['refused'], found: Set<number>): void {
  for (const { number, ...refusal } of refused) {
    if (refusal.code === 'OUTCOME_UNKNOWN')
      expect(refusal).toEqual({ status: 503, code: 'OUTCOME_UNKNOWN', retryAfter: null });
    else {
      expect(refusal).toEqual({ status: 503, code: 'UNAVAILABLE', retryAfter: '5' });
      expect(found.has(number)).toBe(false);
    }
  }
}

describe('databases of a cluster', () => {
  test('are handed over when their node stops: no call fails, and every write happens once', async () => {
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
    // The database is on the first node and the callers use the second. Callers leave each node before it
    // stops.
    let holder = first;
    for (let handover = 0; handover < HANDOVERS; handover++) {
      await more(SOME);
      expect(await holder.stop()).toBe(0);
      await more(SOME);
      // Now the database is on the node that the callers use. They switch to a new node before this one
      // stops.
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
  }, 240_000);
});

// At the same time, on two of three nodes, so that the leases expire at the same time.
describe.concurrent('databases of a cluster', () => {
  let running: [Node, Node, Node];
  beforeAll(() => {
    running = cluster.nodes.filter(({ pid }) => isRunning(pid)) as [Node, Node, Node];
  });

  test('are available on another node, with every acknowledged write, after their node is killed', async () => {
    const [one, , two] = running;
    const slug = await cluster.withTable(one);
    const writing = startWriting(slug, () => [two]);
    await waitUntil(async () => writing.acknowledged.length > 50);
    await one.kill();
    const before = writing.acknowledged.length;
    const calling = cluster.call(two, slug, { body: { sql: 'SELECT 1 AS one' } });
    await waitUntil(async () => writing.acknowledged.length > before + 10);
    await writing.stop();
    const answer = await calling;
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(answer.body.error).toContain('database is unavailable');
    const written = await cluster.numbers(two, slug);
    const found = new Set(written);
    expect(writing.acknowledged.filter((number) => !found.has(number))).toEqual([]);
    expectHonest(writing.refused, found);
    // No retried request was carried out twice.
    expect(found.size).toBe(written.length);
  }, 240_000);

  test('are available on another node while theirs hangs, and the hung node knows when it continues', async () => {
    const [, one, two] = running;
    const slug = await cluster.withTable(one);
    await cluster.sql(two, slug, 'INSERT INTO t VALUES (1)');
    const hosts = helpers(one).filter(({ kind }) => kind === 'database host');
    const pids = [one.pid, ...hosts.map(({ pid }) => pid)];
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const reading = cluster.sql(two, slug, 'SELECT a FROM t');
    await waitUntil(async () => (await cluster.sql(two, slug, 'UPDATE t SET a = 2')).status === 200);
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    // The request was sent to the node that hung, and then to the other.
    expect((await reading).body.results).toEqual([{ a: expect.any(Number) }]);
    await waitUntil(async () => (await cluster.sql(one, slug, 'SELECT 1')).status === 200);
    expect(await cluster.numbers(one, slug)).toEqual([2]);
  }, 240_000);
});

describe('databases of a cluster', () => {
  test('lose nothing while the bucket hangs, and continue when it is back', async () => {
    const [one, two] = nodes();
    const slug = await cluster.withTable(one);
    const writing = startWriting(slug, nodes);
    await waitUntil(async () => writing.acknowledged.length > 20);
    cluster.s3.freeze();
    await Bun.sleep(3_000);
    cluster.s3.thaw();
    const before = writing.acknowledged.length;
    await waitUntil(async () => writing.acknowledged.length > before + 20);
    await writing.stop();
    expect(writing.refused).toEqual([]);
    expect(await cluster.numbers(two, slug)).toEqual(writing.acknowledged.toSorted((a, b) => a - b));
  }, 240_000);

  test('are available again after the bucket was gone for so long that all hosts ended', async () => {
    const [one, two] = nodes();
    const slug = await cluster.withTable(one);
    const writing = startWriting(slug, nodes);
    await waitUntil(async () => writing.acknowledged.length > 20);
    const seen = [one.output().length, two.output().length];
    cluster.s3.freeze();
    const hasEnded = (node: Node, i: number) => node.output().slice(seen[i]).includes('leaving the cluster');
    await waitUntil(async () => [one, two].every(hasEnded));
    const degraded = async () => (await call(one, 'GET', '/readyz')).body.degraded as string[];
    await waitUntil(async () => (await degraded()).includes('databases'));
    await untilPrinted(one, 'ended and is being restarted');
    cluster.s3.thaw();
    const before = writing.acknowledged.length;
    await waitUntil(async () => writing.acknowledged.length > before + 20);
    await waitUntil(async () => !(await degraded()).includes('databases'));
    const { running, wanted } = (await call(one, 'GET', '/healthz')).body.databaseHosts;
    expect(running).toBe(wanted);
    await writing.stop();
    const found = new Set(await cluster.numbers(two, slug));
    expectHonest(writing.refused, found);
    expect(writing.acknowledged.filter((number) => !found.has(number))).toEqual([]);
  }, 240_000);
});
