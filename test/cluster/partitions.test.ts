import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster/cluster.ts';
import { type CutNetwork, makeNetwork, whyNoNamespaces } from '../support/cluster/network.ts';
import { descendants } from '../support/faults/process.ts';
import { rounds } from '../support/faults/rounds.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

/**
 * Nodes lose the connection to each other or to what they share. No database may be writable in two places.
 */

const NODES = ['node1', 'node2', 'node3', 'node4'];
const SHARED = ['postgres', 'redis', 's3'];
const SOME_WRITES = 5;
/** Ends a test that hangs. A failover takes about 20 seconds. */
const FAILOVER_MS = 120_000;
const CALL_MS = 6_000;
/** A pause between calls, so that the nodes get the processor. */
const PAUSE_MS = rounds(300, 100);

/** Takes the next number for the caller and returns it. */
const TAKE = `export default { async fetch(request, env) {
  const { tag } = await request.json();
  const sql = 'insert into numbers (n, tag) select coalesce(max(n), 0) + 1, ? from numbers returning n';
  return Response.json(await env.DB.prepare(sql).bind(tag).first());
} };`;

interface Row {
  n: number;
  tag: string;
}

interface Fault {
  name: string;
  /** The index of the node that fails. */
  at: number;
  /** True if the node can still write to its databases, so that they do not fail over. */
  keepsDatabases?: boolean;
  begin(node: ClusterNode): void;
  end(node: ClusterNode): void;
}

const problem = whyNoNamespaces();
if (problem) console.warn(`The tests of network cuts are left out: ${problem}`);

describe.skipIf(problem !== undefined)('a node', () => {
  let network: CutNetwork;
  let cluster: Cluster;
  let owner: Account;
  beforeAll(async () => {
    network = makeNetwork(NODES);
    cluster = await startCluster({ network, nodes: NODES.length });
    owner = await register(cluster, 'owner');
  }, 240_000);
  afterAll(async () => {
    await cluster?.stop();
    await network?.remove();
  }, 120_000);

  const FAULTS: Fault[] = [
    { name: 'cut off from everything', at: 0, begin: (node) => cut(node, [...NODES, ...SHARED]), end: heal },
    { name: 'cut off from the bucket', at: 1, begin: (node) => cut(node, ['s3']), end: heal },
    // When it continues, it does not know that time has passed.
    { name: 'frozen for longer than its lease', at: 2, begin: sleep, end: wake },
    {
      name: 'cut off from the other nodes',
      at: 3,
      keepsDatabases: true,
      begin: (node) => cut(node, NODES),
      end: heal,
    },
  ];
  const [everything, bucket, frozen, others] = FAULTS as [Fault, Fault, Fault, Fault];
  /** Three nodes fail at the same time, so that their leases expire at the same time. In a soak, each fails alone. */
  const TOGETHER = rounds(
    [[everything, bucket, frozen], [others]],
    FAULTS.map((fault) => [fault]),
  );

  test.each(TOGETHER.map((faults) => [faults.map(({ name }) => name).join(', or '), faults] as const))(
    '%s never makes a database writable twice',
    async (_, faults) => {
      const failing = faults.map(({ at }) => cluster.nodes[at]);
      const healthy = cluster.nodes.filter((node) => !failing.includes(node));
      const subjects = await Promise.all(faults.map(startSubject));
      const writers = subjects.flatMap((subject) => subject.writers);
      try {
        await waitForWrites(writers);
        const refusals = subjects.map(({ fault, node, writers }) =>
          watchRefusals(fault.keepsDatabases ? writers : writers.filter((writer) => writer.node === node)),
        );
        for (const { fault, node } of subjects) fault.begin(node);
        try {
          for (const { fault, writers } of subjects) {
            if (fault.keepsDatabases) await waitForWritesSomewhere(writers);
            else await waitForWrites(writers.filter(({ node }) => healthy.includes(node)));
          }
          await waitUntil(async () => refusals.every((isRefused) => isRefused()), FAILOVER_MS);
        } finally {
          for (const { fault, node } of subjects) fault.end(node);
        }
        await waitForWrites(writers);
      } finally {
        await Promise.all(writers.map(({ stop }) => stop()));
      }
      for (const { slug, writers } of subjects) await expectOneHistory(slug, writers);
    },
    480_000,
  );

  /** Deploys a function with a database at the node that is to fail, and uses it from all nodes. */
  async function startSubject(fault: Fault) {
    const node = cluster.nodes[fault.at] as ClusterNode;
    const slug = fault.name.replaceAll(' ', '-');
    await deploy(node, slug);
    return { fault, node, slug, writers: cluster.nodes.map((each) => startWriting(each, slug)) };
  }

  async function expectOneHistory(slug: string, writers: Writer[]): Promise<void> {
    const acknowledged = writers.flatMap(({ rows }) => rows).sort((a, b) => a.n - b.n);
    expect(new Set(acknowledged.map(({ n }) => n)).size).toBe(acknowledged.length);
    const [history, ...same] = await Promise.all(cluster.nodes.map((node) => historyAt(node, slug)));
    const kept = new Map(history?.map(({ n, tag }) => [n, tag]));
    expect(acknowledged.filter(({ n, tag }) => kept.get(n) !== tag)).toEqual([]);
    for (const other of same) expect(other).toEqual(history as Row[]);
  }

  function cut({ name }: ClusterNode, parts: string[]): void {
    const others = parts.filter((part) => part !== name);
    network.cut(name, others);
  }

  function heal({ name }: ClusterNode): void {
    network.heal(name);
  }

  async function deploy(node: ClusterNode, slug: string): Promise<void> {
    const { token } = owner;
    const body = { slug, code: TAKE, enableDatabase: true };
    expect((await call(node, 'POST', '/api/functions', { token, body })).status).toBe(201);
    const sql = 'create table numbers (n integer primary key, tag text not null)';
    const path = `/api/functions/${slug}/database`;
    expect((await call(node, 'POST', path, { token, body: { sql } })).status).toBe(200);
  }

  async function historyAt(node: ClusterNode, slug: string): Promise<Row[]> {
    const body = { sql: 'select n, tag from numbers order by n' };
    const path = `/api/functions/${slug}/database`;
    const answer = await call(node, 'POST', path, { token: owner.token, body, timeoutMs: FAILOVER_MS });
    expect(answer.status).toBe(200);
    return answer.body.results;
  }
});

const sleep = (node: ClusterNode) => signalAll(node, 'SIGSTOP');
const wake = (node: ClusterNode) => signalAll(node, 'SIGCONT');

/** Sends the signal to the node and all its child processes. */
function signalAll({ pid }: ClusterNode, signal: NodeJS.Signals): void {
  for (const each of [pid, ...descendants(pid)]) process.kill(each, signal);
}

interface Writer {
  node: ClusterNode;
  rows: Row[];
  /** How many calls got no number. */
  readonly refusals: number;
  stop(): Promise<void>;
}

/** Takes one number after the other at one node, whatever happens, and remembers which were acknowledged. */
function startWriting(node: ClusterNode, slug: string): Writer {
  const rows: Row[] = [];
  let refusals = 0;
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      const tag = randomUUID();
      const options = { body: { tag }, timeoutMs: CALL_MS };
      const answer = await call(node, 'POST', `/api/functions/${slug}`, options).catch(() => undefined);
      if (answer?.status === 200) rows.push({ n: answer.body.n, tag });
      else refusals++;
      await Bun.sleep(PAUSE_MS);
    }
  })();
  return {
    node,
    rows,
    get refusals() {
      return refusals;
    },
    async stop() {
      isOver = true;
      await writing;
    },
  };
}

async function waitForWrites(writers: Writer[]): Promise<void> {
  const before = writers.map(({ rows }) => rows.length);
  await waitUntil(
    async () => writers.every(({ rows }, index) => rows.length >= (before[index] ?? 0) + SOME_WRITES),
    FAILOVER_MS,
  );
}

async function waitForWritesSomewhere(writers: Writer[]): Promise<void> {
  const before = writers.map(({ rows }) => rows.length);
  await waitUntil(
    async () => writers.some(({ rows }, index) => rows.length >= (before[index] ?? 0) + SOME_WRITES),
    FAILOVER_MS,
  );
}

/** Returns a function that says whether a writer has been refused since now. */
function watchRefusals(writers: Writer[]): () => boolean {
  const before = writers.map(({ refusals }) => refusals);
  return () => writers.some(({ refusals }, index) => refusals > (before[index] ?? 0));
}
