import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveClusterKey } from '../../server/platform/service-settings/cluster-key.ts';
import { assertTerms } from '../../server/runtime/databases/cluster/terms.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { startMigratedDatabase } from '../support/engines/process-postgres.ts';
import { startRedis } from '../support/engines/redis.ts';
import { startS3, type TestS3 } from '../support/engines/s3.ts';
import { call, register } from '../support/http/client.ts';
import { takePorts } from '../support/ports.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** The key of a cluster is replaced, one node after the other, and their hosts of databases go on speaking. */

const OLD = { QUIRE_SECRET: 'the old key, which somebody has seen' };
const NEW = { QUIRE_SECRET: 'the new key, which nobody has seen yet' };
const BOTH = { ...NEW, QUIRE_SECRET_OLD: OLD.QUIRE_SECRET };

let folder: string;
let shell: Shell;
let s3: TestS3;
let database: Awaited<ReturnType<typeof startMigratedDatabase>>;
let redis: Awaited<ReturnType<typeof startRedis>>;
let shared: Record<string, string>;
const nodes: Array<TestServer | undefined> = [];
const addresses = [1, 2].map(() => ({
  port: takePorts(1),
  settings: { QUIRE_CLUSTER_ADDRESS: `127.0.0.1:${takePorts(1)}` },
}));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-replaced-'));
  shell = openShell();
  [s3, database, redis] = await Promise.all([startS3(), startMigratedDatabase(), startRedis()]);
  shared = {
    ...{ DATABASE_URL: database.url, REDIS_URL: redis.url, ...s3.settings },
    ...{ QUIRE_CLUSTER_SHARDS: '1', QUIRE_ISOLATION: 'sandbox', QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' },
  };
}, 120_000);
afterAll(async () => {
  await Promise.all(nodes.map((node) => node?.kill()));
  await Promise.all([shell?.stop(), s3?.stop(), database?.stop(), redis?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function start(at: number, keys: Record<string, string>): Promise<TestServer> {
  const { port, settings } = addresses[at] ?? { port: 0, settings: {} };
  const dataFolder = join(folder, `node-${at}`);
  nodes[at] = await startServer({ dataFolder, port, settings: { ...shared, ...settings, ...keys } });
  return nodes[at];
}

async function restart(at: number, keys: Record<string, string>): Promise<void> {
  await nodes[at]?.stop();
  nodes[at] = undefined;
  await start(at, keys);
}

const rotate = (keys = BOTH) =>
  shell.run(['secrets', 'rotate', '--json'], {
    env: { ...shared, ...addresses[0]?.settings, ...keys, QUIRE_DATA: join(folder, 'command') },
  });

test('while nodes restart one by one, each reaches databases that are at the other', async () => {
  const { token } = await register(await start(0, OLD), 'ada');
  await start(1, OLD);
  const made = {
    slug: 'counts',
    code: 'export default { fetch: async (_, { DB }) => Response.json(await DB.prepare("insert into t values (1) returning (select count(*) from t) as n").first()) };',
    enableDatabase: true,
  };
  const first = nodes[0] as TestServer;
  expect((await call(first, 'POST', '/api/functions', { token, body: made })).status).toBe(201);
  const sql = { sql: 'create table t (v)' };
  expect((await call(first, 'POST', '/api/functions/counts/database', { token, body: sql })).status).toBe(
    200,
  );
  let count = 0;
  const countAtBoth = async () => {
    for (const node of nodes as TestServer[]) {
      const { status, body } = await call(node, 'POST', '/api/functions/counts', { body: {} });
      expect([status, body.n]).toEqual([200, ++count]);
    }
  };
  await countAtBoth();
  for (const at of [0, 1]) {
    await restart(at, BOTH);
    await countAtBoth();
  }
  expect((await rotate()).json()).toMatchObject({ moved: 1, lost: [], isClusterKeyNew: false });
  for (const at of [0, 1]) {
    await restart(at, NEW);
    await countAtBoth();
  }

  // Without any node, the hosts get a key that nobody could have made from the old one.
  for (const node of nodes.splice(0)) await node?.stop();
  expect((await rotate()).json()).toMatchObject({ moved: 0, lost: [], isClusterKeyNew: true });
  await start(0, NEW);
  await start(1, NEW);
  await countAtBoth();
  await nodes[1]?.stop();
  await expect(start(1, OLD)).rejects.toThrow('QUIRE_SECRET differs from that of the cluster');
  const key = deriveClusterKey(Buffer.from(NEW.QUIRE_SECRET));
  await expect(assertTerms({ s3, shards: 1, key }, () => undefined)).rejects.toThrow(
    'This bucket belongs to a cluster',
  );
}, 300_000);
