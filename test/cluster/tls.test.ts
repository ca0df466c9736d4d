import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster/cluster.ts';
import { type CutNetwork, makeNetwork, whyNoNamespaces } from '../support/cluster/network.ts';
import { reshard } from '../support/cluster/reshard.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { untilPrinted, waitUntil } from '../support/server.ts';

/** Nodes on machines of their own, with QUIRE_CLUSTER_TLS. The first is behind a proxy that records what others send it. */

const NODES = ['node1', 'node2', 'node3'];
/** Never sent, unless somebody sends it as it is. */
const SECRET = 'only-for-the-eyes-of-the-database';
const RUNNER = `export default { async fetch(request, env) {
  const { sql } = await request.json();
  return Response.json((await env.DB.prepare(sql).all()).results);
} };`;
/** Ends a test that hangs. A failover takes about 20 seconds. */
const LONG_MS = 120_000;

const problem = whyNoNamespaces();
if (problem) console.warn(`The tests of TLS between nodes are left out: ${problem}`);

describe.skipIf(problem !== undefined)('nodes with TLS', () => {
  let network: CutNetwork;
  let cluster: Cluster;
  let proxy: Recorder;
  let owner: Account;
  let postgres: Client;
  const node = (at: number) => cluster.nodes[at] as ClusterNode;

  beforeAll(async () => {
    network = makeNetwork(NODES);
    // The address of the bridge: node1 has it as little as a machine behind NAT has its public address.
    const outside = network.findHost('the bridge');
    const findEntrance = (name: string) => (name === 'node1' ? outside : network.findHost(name));
    cluster = await startCluster({
      ...{ network: { ...network, findEntrance }, nodes: NODES.length },
      settings: { QUIRE_CLUSTER_TLS: 'on' },
      maxShards: 2,
    });
    proxy = await record(outside, node(0));
    owner = await register(cluster, 'owner');
    postgres = new Client(cluster.postgres.url);
    await postgres.connect();
  }, LONG_MS);
  afterAll(async () => {
    await postgres?.end();
    proxy?.server.close();
    await cluster?.stop();
    await network?.remove();
  }, LONG_MS);

  const sql = (at: number, slug: string, text: string) =>
    call({ ...node(at), baseUrl: cluster.url }, 'POST', `/api/functions/${slug}/database`, {
      ...{ token: owner.token, body: { sql: text }, timeoutMs: 60_000 },
    });
  const run = (at: number, slug: string, text: string) =>
    call({ ...node(at), baseUrl: cluster.url }, 'POST', `/api/functions/${slug}`, {
      ...{ body: { sql: text }, timeoutMs: 60_000 },
    });

  /** A function whose database is at a node. */
  async function deployAt(at: number, slug: string): Promise<string> {
    const body = { slug, code: RUNNER, enableDatabase: true };
    const made = await call({ ...node(at), baseUrl: cluster.url }, 'POST', '/api/functions', {
      token: owner.token,
      body,
    });
    expect(made.status).toBe(201);
    expect((await sql(at, slug, 'create table t (a)')).status).toBe(200);
    return slug;
  }

  test(
    'reach databases at every node, and send each other nothing that others can read',
    async () => {
      const [first, second] = [await deployAt(0, 'first'), await deployAt(1, 'second')];
      for (const slug of [first, second])
        for (const at of [0, 1, 2])
          expect((await run(at, slug, `insert into t values ('${SECRET}') returning a`)).body).toEqual([
            { a: SECRET },
          ]);
      const sent = proxy.connections;
      expect(sent.length).toBeGreaterThan(0);
      for (const { out, back } of sent) {
        // Records of a TLS handshake.
        for (const bytes of [out, back]) expect(bytes().subarray(0, 2)).toEqual(Buffer.of(22, 3));
        expect(Buffer.concat([out(), back()]).includes(SECRET)).toBeFalse();
        expect(Buffer.concat([out(), back()]).includes('CONNECT')).toBeFalse();
      }
      expect(sent.reduce((sum, { out }) => sum + out().length, 0)).toBeGreaterThan(5_000);
      const numbers = await postgres.query('select number, fingerprint from nodes order by number');
      expect(numbers.rows.map(({ number }) => number)).toEqual([1, 2, 3]);
      expect(new Set(numbers.rows.map(({ fingerprint }) => fingerprint)).size).toBe(3);
    },
    LONG_MS,
  );

  test(
    'a node that shows another key than the registered one gets nothing, until it is registered',
    async () => {
      const slug = await deployAt(0, 'shown');
      const set = (fingerprint: string) =>
        postgres.query('update nodes set fingerprint = $1 where address = $2', [
          fingerprint,
          node(0).clusterAddress,
        ]);
      const { rows } = await postgres.query('select fingerprint from nodes where address = $1', [
        node(0).clusterAddress,
      ]);
      await set('00:11');
      // Connections that were open have ended, and no new one is trusted.
      await waitUntil(async () => proxy.connections.every(({ isOpen }) => !isOpen()));
      const refused = await run(1, slug, 'select 1 as one');
      expect(refused.status).toBeGreaterThanOrEqual(500);
      await untilPrinted(node(1), 'shows a key that is not registered');
      await set(rows[0].fingerprint);
      await waitUntil(async () => (await run(1, slug, 'select 1 as one')).status === 200);
    },
    LONG_MS,
  );

  test(
    'a node that was removed reaches no other, and comes back with another key when it restarts',
    async () => {
      const slug = await deployAt(0, 'removed');
      await postgres.query('delete from nodes where address = $1', [node(1).clusterAddress]);
      await waitUntil(async () => (await run(1, slug, 'select 1 as one')).status >= 500);
      await untilPrinted(node(0), 'its key is not that of a node');
      expect((await run(2, slug, 'select 1 as one')).body).toEqual([{ one: 1 }]);
      await node(1).kill();
      rmSync(join(node(1).dataFolder, 'node-key.pem'));
      await node(1).start();
      await waitUntil(async () => (await run(1, slug, 'select 1 as one')).status === 200);
      const back = await deployAt(1, 'back');
      for (const at of [0, 2]) expect((await run(at, back, 'select 1 as one')).status).toBe(200);
    },
    LONG_MS,
  );

  test(
    'reach databases in shards that were added, too',
    async () => {
      const slug = await deployAt(0, 'moved');
      expect(await reshard(node(0), 2).ended()).toMatchObject({ code: 0 });
      const { rows } = await postgres.query('select owner_id % 2 as shard from functions where slug = $1', [
        slug,
      ]);
      expect(Number(rows[0].shard)).toBe(1);
      for (const at of [0, 1, 2])
        expect((await run(at, slug, `insert into t values (${at}) returning a`)).body).toEqual([{ a: at }]);
    },
    LONG_MS,
  );

  test(
    'databases of a node that is killed start at another',
    async () => {
      const slug = await deployAt(0, 'killed');
      expect((await run(1, slug, 'insert into t values (1) returning a')).body).toEqual([{ a: 1 }]);
      await node(0).kill();
      await waitUntil(async () => (await run(1, slug, 'select a from t')).status === 200, LONG_MS);
      expect((await run(2, slug, 'select a from t')).body).toEqual([{ a: 1 }]);
    },
    LONG_MS,
  );
});

interface Recorder {
  server: Server;
  connections: Array<{ out(): Buffer; back(): Buffer; isOpen(): boolean }>;
}

/** Records what other nodes and this one send each other. */
async function record(host: string, to: ClusterNode): Promise<Recorder> {
  const port = Number(to.clusterAddress.split(':').at(-1));
  const connections: Recorder['connections'] = [];
  const server = createServer((near) => {
    const far = connect({ host: to.host, port });
    const [out, back]: [Buffer[], Buffer[]] = [[], []];
    const pass = (from: Socket, other: Socket, chunks: Buffer[]) => {
      from.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        other.write(chunk);
      });
      from.on('error', () => other.destroy()).on('close', () => other.destroy());
    };
    pass(near, far, out);
    pass(far, near, back);
    connections.push({
      out: () => Buffer.concat(out),
      back: () => Buffer.concat(back),
      isOpen: () => !near.destroyed,
    });
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return { server, connections };
}
