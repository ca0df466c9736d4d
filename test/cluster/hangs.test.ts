import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster.ts';
import { type Load, startLoad, type Worker } from '../support/cluster-load.ts';
import { openTab, type Tab } from '../support/cluster-team.ts';
import { workersOfEveryKind } from '../support/cluster-workers.ts';
import type { Engine } from '../support/engine.ts';
import { call, register } from '../support/fault-client.ts';
import { descendants } from '../support/fault-process.ts';
import { helpers } from '../support/function-server.ts';
import { HANGS, hang } from '../support/hangs.ts';
import { waitUntil } from '../support/server.ts';

/** Everything that a cluster leans on hangs in turn, under load, and goes on: all is well after it, by itself. */

/** Work of each kind that is done for certain after each hang. */
const SOME_WORK = 3;
/** Longer than the longest hang, and the 20 seconds after which a database comes up elsewhere. */
const PATIENCE_MS = 120_000;
const RECOVER_MS = 60_000;
const TEST_MS = 240_000;

let cluster: Cluster;
let recording: Awaited<ReturnType<typeof workersOfEveryKind>>['recording'];
let workers: Worker[];
let load: Load;
let tab: Tab;
let redis: Redis;
beforeAll(async () => {
  cluster = await startCluster({
    settings: {
      QUIRE_CREDITS_NEW_USER: '100000',
      QUIRE_REGISTRATIONS_PER_HOUR: '100000',
      QUIRE_QUOTA_PAGES: '100000',
    },
  });
  ({ recording, workers } = await workersOfEveryKind(cluster));
  redis = new Redis(cluster.redis.url);
  redis.on('error', () => undefined);
  tab = await openTab(cluster, recording.pageId, 'notes');
  load = startLoad(cluster, workers, { patienceMs: PATIENCE_MS });
  await load.more(SOME_WORK);
}, 120_000);
afterAll(async () => {
  redis?.disconnect();
  await cluster?.stop();
}, 60_000);

const familyOf = ({ pid }: ClusterNode) => [pid, ...descendants(pid)];
const second = () => cluster.nodes[1] as ClusterNode;
const helpersOf = (kind: string) => () =>
  helpers(second())
    .filter((helper) => helper.kind === kind)
    .map(({ pid }) => pid);
const whole = (engine: () => Engine) => async (seconds: number) => {
  engine().freeze();
  await Bun.sleep(seconds * 1000);
  engine().thaw();
};

const PARTS: Array<[string, (seconds: number) => Promise<void>]> = [
  ['Redis', whole(() => cluster.redis)],
  ['PostgreSQL', whole(() => cluster.postgres)],
  ['the bucket', whole(() => cluster.s3)],
  ['the database hosts of a node', (seconds) => hang(helpersOf('database host'), seconds)],
  ['the cells of a node', (seconds) => hang(helpersOf('cell'), seconds)],
  ['a whole node', (seconds) => hang(() => familyOf(second()), seconds)],
];

describe.each(PARTS)('%s', (_, freeze) => {
  test.each(HANGS)(
    'hangs for %p seconds, and all is well after it',
    async (seconds) => {
      await freeze(seconds);
      await load.more(SOME_WORK);
      for (const node of cluster.nodes) await waitUntil(async () => isWell(node), RECOVER_MS);
      await expectEvents();
      await expectSharedLimits();
    },
    TEST_MS,
  );
});

test(
  'nothing that was acknowledged is lost',
  async () => {
    await load.stop();
    // What a tab has not heard it was told to look for.
    const heard = new Set(tab.heard());
    const missed = [...recording.records.keys()].filter((id) => !heard.has(id));
    if (missed.length > 0) expect(tab.resets()).toBeGreaterThan(0);
    await tab.close();
    for (const node of cluster.nodes) for (const worker of workers) await worker.check(node);
  },
  TEST_MS,
);

async function isWell(node: ClusterNode): Promise<boolean> {
  const isUp = await cluster.balancer.isUp(node.name);
  const answer = await call(node, 'GET', '/readyz').catch(() => undefined);
  return isUp && answer?.status === 200 && answer.body.degraded.length === 0;
}

/** What is written at any node is heard at each of them. */
async function expectEvents(): Promise<void> {
  const heardBefore = new Set(tab.heard());
  await waitUntil(async () => tab.heard().some((id) => !heardBefore.has(id)), RECOVER_MS);
}

/** Every node counts in Redis, and not for itself. */
async function expectSharedLimits(): Promise<void> {
  for (const node of cluster.nodes) {
    const before = await counted();
    await register(node, `u${randomUUID().slice(0, 12)}`);
    await waitUntil(async () => (await counted()) > before, RECOVER_MS);
  }
}

async function counted(): Promise<number> {
  const keys = (await redis.keys('*limit:*')).filter((key) => /regist/.test(key));
  const values = keys.length > 0 ? await redis.mget(keys) : [];
  return values.reduce((sum, value) => sum + Number(value), 0);
}
