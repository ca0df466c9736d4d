import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster/cluster.ts';
import { type Load, startLoad, type Worker } from '../support/cluster/load.ts';
import { openTab, type Tab } from '../support/cluster/team.ts';
import { workersOfEveryKind } from '../support/cluster/workers.ts';
import { openBank } from '../support/credits.ts';
import type { Engine } from '../support/engines/engine.ts';
import { hang, LONG_HANGS } from '../support/faults/hangs.ts';
import { descendants } from '../support/faults/process.ts';
import { rounds } from '../support/faults/rounds.ts';
import { helpers } from '../support/functions/server.ts';
import { call, register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/**
 * Clients use a cluster while its nodes are restarted and killed, and while each part of it hangs in turn.
 */

/** How much work of each kind must succeed before and after each fault. */
const SOME_WORK = 3;
const SETTINGS = {
  QUIRE_CREDITS_NEW_USER: '100000',
  QUIRE_REGISTRATIONS_PER_HOUR: '100000',
  QUIRE_QUOTA_PAGES: '100000',
};
const TEST_MS = 480_000;
/** Only ends a test that hangs. A busy machine takes minutes to recover. */
const RECOVER_MS = 240_000;

let cluster: Cluster;
let recording: Awaited<ReturnType<typeof workersOfEveryKind>>['recording'];
let workers: Worker[];
beforeAll(async () => {
  cluster = await startCluster({ nodes: rounds(2, 3), settings: SETTINGS });
  ({ recording, workers } = await workersOfEveryKind(cluster));
}, 240_000);
afterAll(() => cluster?.stop(), 60_000);

test(
  'restarting all nodes in turn after a migration fails no request',
  async () => {
    const tab = await openTab(cluster, recording.pageId, 'notes');
    const load = startLoad(cluster, workers);
    let printed = '';
    try {
      await load.more(SOME_WORK);
      await addAsNextVersion();
      for (const node of cluster.nodes) {
        await load.more(SOME_WORK);
        expect(await node.stop()).toBe(0);
        printed += node.output();
        await load.more(SOME_WORK);
        await node.start();
        await waitUntil(() => cluster.balancer.isUp(node.name), RECOVER_MS);
      }
      await load.more(SOME_WORK);
    } finally {
      const { problems } = await load.stop();
      expect(problems).toEqual([]);
    }
    await waitUntil(async () => recording.records.size <= new Set(tab.received()).size, RECOVER_MS);
    await tab.close();
    expect(tab.received().sort()).toEqual([...recording.records.keys()].sort());
    expect(tab.streams()).toBeGreaterThan(1);
    // On a busy machine Redis can be late. Then a node says so, and asks its tabs once to read everything again.
    for (const node of cluster.nodes) printed += node.output();
    expect(tab.resets()).toBeLessThanOrEqual(printed.match(/Redis is unavailable/g)?.length ?? 0);
  },
  TEST_MS,
);

describe('the service recovers by itself:', () => {
  let load: Load;
  let tab: Tab;
  let redis: Redis;
  /** Records from before the tab was opened. */
  let earlier: Set<string>;
  beforeAll(async () => {
    redis = new Redis(cluster.redis.url);
    redis.on('error', () => undefined);
    tab = await openTab(cluster, recording.pageId, 'notes');
    earlier = new Set(recording.records.keys());
    load = startLoad(cluster, workers);
    await load.more(SOME_WORK);
  }, 120_000);
  afterAll(() => redis?.disconnect());

  const second = () => cluster.nodes[1] as ClusterNode;
  const findHelpers = (kind: string) => () =>
    helpers(second())
      .filter((helper) => helper.kind === kind)
      .map(({ pid }) => pid);
  const listFamily = ({ pid }: ClusterNode) => [pid, ...descendants(pid)];
  const whole = (engine: () => Engine) => async (seconds: number) => {
    engine().freeze();
    await Bun.sleep(seconds * 1000);
    engine().thaw();
  };
  /** How many seconds each part hangs: longer than leases, timeouts and the time limit of statements. */
  const PARTS: Record<string, [seconds: number, freeze: (seconds: number) => Promise<void>]> = {
    Redis: [8, whole(() => cluster.redis)],
    PostgreSQL: [12, whole(() => cluster.postgres)],
    'the bucket': [12, whole(() => cluster.s3)],
    'the database hosts of a node': [18, (seconds) => hang(findHelpers('database host'), seconds)],
    'the cells of a node': [3, (seconds) => hang(findHelpers('cell'), seconds)],
    'a whole node': [12, (seconds) => hang(() => listFamily(second()), seconds)],
  };
  /** Parts that do not need each other hang at the same time. In a soak, each hangs alone. */
  const TOGETHER = rounds(
    [
      ['Redis', 'the database hosts of a node', 'the cells of a node'],
      ['PostgreSQL', 'the bucket'],
      ['a whole node'],
    ],
    Object.keys(PARTS).map((part) => [part]),
  );

  test.each(rounds([0], [0, 1, 2]))(
    'kill -9 of node %p',
    async (index) => {
      const node = cluster.nodes[index] as ClusterNode;
      await load.more(SOME_WORK);
      await Bun.sleep(Math.random() * 500);
      await node.kill();
      // Its databases wait for the end of their lease. The tests after this one wait for them.
      await load.more(SOME_WORK, ['records', 'pages', 'credits', 'reading']);
      await node.start();
      await waitUntil(() => cluster.balancer.isUp(node.name), RECOVER_MS);
    },
    TEST_MS,
  );

  describe.each(TOGETHER.map((parts) => [parts.join(', '), parts] as const))('%s', (_, parts) => {
    test.each(rounds(['a few'], LONG_HANGS.map(String)))(
      'hangs for %s seconds',
      async (seconds) => {
        await Promise.all(
          parts.map((part) => {
            const [usual, freeze] = PARTS[part] ?? [];
            return freeze?.(Number(seconds) || (usual ?? 0));
          }),
        );
        await load.more(SOME_WORK);
        for (const node of cluster.nodes) await waitUntil(async () => isWell(node), RECOVER_MS);
        await expectEvents(tab);
        await expectSharedLimits(redis);
      },
      TEST_MS,
    );
  });

  test(
    'nothing that was acknowledged is lost',
    async () => {
      await load.stop();
      // A tab that missed a record was asked to read all of them again.
      const received = new Set(tab.received());
      const missed = [...recording.records.keys()].filter((id) => !received.has(id) && !earlier.has(id));
      if (missed.length > 0) expect(tab.resets()).toBeGreaterThan(0);
      await tab.close();
      await expectNothingLost();
      await expectCreditsInOrder(second());
    },
    TEST_MS,
  );
});

/** Checks that every node shows everything that was acknowledged to the workers. */
async function expectNothingLost(): Promise<void> {
  for (const node of cluster.nodes) for (const worker of workers) await worker.check(node);
}

async function expectCreditsInOrder({ dataFolder }: ClusterNode): Promise<void> {
  const bank = await openBank({ dataFolder, databaseUrl: cluster.postgres.url, baseUrl: cluster.url });
  try {
    expect(await bank.faults()).toEqual([]);
  } finally {
    await bank.stop();
  }
}

/**
 * What the first node of the next version does to the tables. The others must keep working and restart on
 * them.
 */
async function addAsNextVersion(): Promise<void> {
  const client = new Client({ connectionString: cluster.postgres.url });
  await client.connect();
  try {
    await client.query('alter table pages add column of_the_next_version text');
    await client.query(
      `insert into kysely_migration (name, timestamp) values ('9999-next-version', '2030-01-01T00:00:00.000Z')`,
    );
  } finally {
    await client.end();
  }
}

async function isWell(node: ClusterNode): Promise<boolean> {
  const isUp = await cluster.balancer.isUp(node.name);
  const answer = await call(node, 'GET', '/readyz').catch(() => undefined);
  return isUp && answer?.status === 200 && answer.body.degraded.length === 0;
}

/** Checks that a record written at any node reaches the tab. */
async function expectEvents(tab: Tab): Promise<void> {
  const before = new Set(tab.received());
  await waitUntil(async () => tab.received().some((id) => !before.has(id)), RECOVER_MS);
}

/** Checks that every node counts in Redis, and not on its own. */
async function expectSharedLimits(redis: Redis): Promise<void> {
  for (const node of cluster.nodes) {
    const before = await counted(redis);
    await waitUntil(async () => {
      await register(node, `u${randomUUID().slice(0, 12)}`);
      return (await counted(redis)) > before;
    }, RECOVER_MS);
  }
}

async function counted(redis: Redis): Promise<number> {
  const keys = (await redis.keys('*limit:*')).filter((key) => /regist/.test(key));
  const values = keys.length > 0 ? await redis.mget(keys) : [];
  return values.reduce((sum, value) => sum + Number(value), 0);
}
