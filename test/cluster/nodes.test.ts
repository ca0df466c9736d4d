import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseCluster, type Node, startDatabaseCluster } from '../support/cluster/databases.ts';
import { startDatabase } from '../support/engines/process-postgres.ts';
import { type FunctionServer, startFunctionServer } from '../support/functions/server.ts';
import { call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/**
 * Which nodes can share a PostgreSQL database: all nodes of a cluster, or one node that stores the databases
 * itself.
 */

const COUNT = `export default { async fetch(request, env) {
  await env.DB.prepare('create table if not exists calls (n integer primary key)').run();
  await env.DB.prepare('insert into calls default values').run();
  return Response.json(await env.DB.prepare('select count(*) as n from calls').first());
} };`;

const newFolder = () => mkdtempSync(join(tmpdir(), 'quire-nodes-'));

/** Returns why a server did not start. */
async function refusal(starting: Promise<TestServer>): Promise<string> {
  const outcome = await starting.catch((error: Error) => error);
  if (outcome instanceof Error) return outcome.message;
  await outcome.kill();
  return 'it started';
}

const toAddress = (node: Node | undefined) => `127.0.0.1:${node?.clusterPort}`;

describe('a cluster', () => {
  let cluster: DatabaseCluster;
  /** A node waits until the lease of its address ends, so this one starts before the other tests. */
  let sameAddress: Promise<string>;
  let otherTls: Promise<string>;
  beforeAll(async () => {
    cluster = await startDatabaseCluster(1);
    otherTls = refusal(cluster.add({ QUIRE_CLUSTER_TLS: 'on' }));
    sameAddress = refusal(cluster.add({ QUIRE_CLUSTER_ADDRESS: toAddress(cluster.nodes[0]) }));
  }, 120_000);
  afterAll(() => cluster?.stop());

  test.concurrent('refuses a node without an address, and says what to set', async () => {
    const message = await refusal(cluster.add({ QUIRE_CLUSTER_ADDRESS: '' }));
    expect(message).toContain('exited with 1');
    expect(message).toContain('belongs to a cluster');
    expect(message).toContain('QUIRE_CLUSTER_ADDRESS is not set');
    expect(message).not.toContain('    at ');
  });

  test.concurrent('lets a node with another folder take the address of a killed node when its lease ends', async () => {
    const killed = await cluster.add();
    await killed.kill();
    const heir = await cluster.add({ QUIRE_CLUSTER_ADDRESS: toAddress(killed) });
    expect((await call(heir, 'GET', '/readyz')).body.status).toBe('ready');
  }, 120_000);

  test.concurrent('refuses a node that uses the address of a running node', async () => {
    const message = await sameAddress;
    expect(message).toContain('exited with 1');
    expect(message).toContain(`QUIRE_CLUSTER_ADDRESS is ${toAddress(cluster.nodes[0])}, and another node`);
  }, 120_000);

  test.concurrent('refuses a node with TLS if the others have none, and says how to turn it on', async () => {
    const message = await otherTls;
    expect(message).toContain('exited with 1');
    expect(message).toContain(
      `QUIRE_CLUSTER_TLS is on, and it is off at the node that runs at ${toAddress(cluster.nodes[0])}`,
    );
    expect(message).toContain('To turn it on, stop all nodes, change it on each, and start them again.');
  }, 120_000);

  test('refuses a node without an address even if no other node runs', async () => {
    for (const node of cluster.nodes) await node.kill();
    expect(await refusal(cluster.add({ QUIRE_CLUSTER_ADDRESS: '' }))).toContain('belongs to a cluster');
  });
});

describe('a single node on PostgreSQL that stores the databases of functions', () => {
  let database: Awaited<ReturnType<typeof startDatabase>>;
  let settings: Record<string, string>;
  let keeper: FunctionServer;
  let other: TestServer;
  let slug: string;
  /** Nothing listens here: a node is refused before it connects. */
  const CLUSTER = {
    QUIRE_CLUSTER_ADDRESS: '127.0.0.1:9',
    REDIS_URL: 'redis://127.0.0.1:9',
    S3_BUCKET: 'none',
    S3_ENDPOINT: 'http://127.0.0.1:9',
    S3_ACCESS_KEY_ID: 'none',
    S3_SECRET_ACCESS_KEY: 'none',
  };
  beforeAll(async () => {
    database = await startDatabase();
    settings = { DATABASE_URL: database.url, QUIRE_SECRET: 'a secret of both nodes, of some length' };
    keeper = await startFunctionServer({ settings, dataFolder: newFolder() });
    other = await startServer({ settings });
    slug = await keeper.deploy(COUNT, { enableDatabase: true });
    expect((await keeper.call(slug)).body).toEqual({ n: 1 });
  }, 120_000);
  afterAll(async () => {
    await Promise.all([keeper?.kill(), other?.kill()]);
    if (keeper) rmSync(keeper.dataFolder, { recursive: true });
    await database?.stop();
  });

  test.concurrent('is the only writer of these databases', async () => {
    const answer = await call(other, 'POST', `/api/functions/${slug}`);
    expect(answer.status).toBe(503);
    expect(answer.body.error).toContain('QUIRE_CLUSTER_ADDRESS');
    expect((await keeper.call(slug)).body).toEqual({ n: 2 });
  });

  test.concurrent('prevents another node or a cluster from starting, and says what to do', async () => {
    const single = await refusal(startServer({ settings }));
    expect(single).toContain('One database of a function is in the data folder of another node');
    const member = await refusal(startServer({ settings: { ...settings, ...CLUSTER } }));
    expect(member).toContain('quire migrate-to-cluster');
  });

  test('cannot join a cluster with its folder', async () => {
    await keeper.kill();
    const { dataFolder } = keeper;
    const message = await refusal(startServer({ settings: { ...settings, ...CLUSTER }, dataFolder }));
    expect(message).toContain('databases of functions (databases/)');
    expect(message).toContain(`quire migrate-to-cluster ${dataFolder}`);
  });
});

test('an installation on SQLite cannot join a cluster with its folder', async () => {
  const database = await startDatabase();
  const dataFolder = newFolder();
  const old = await startServer({ dataFolder });
  await register(old, 'ada');
  await old.kill();
  const message = await refusal(
    startServer({
      dataFolder,
      settings: {
        DATABASE_URL: database.url,
        REDIS_URL: 'redis://127.0.0.1:9',
        QUIRE_SECRET: 'a secret of some length, for one node',
        QUIRE_CLUSTER_ADDRESS: '127.0.0.1:9',
        S3_BUCKET: 'none',
        S3_ACCESS_KEY_ID: 'none',
        S3_SECRET_ACCESS_KEY: 'none',
      },
    }),
  );
  expect(message).toContain('an installation of its own (quire.db)');
  expect(message).toContain('quire migrate-to-cluster');
  await database.stop();
  rmSync(dataFolder, { recursive: true });
});
