import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { createSealer, keyId, ServiceKey } from '../../server/lib/secrets.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Cluster, startCluster } from '../support/cluster/cluster.ts';
import { type RotationLoad, startRotationLoad } from '../support/cluster/rotation-load.ts';
import { readSql, runSql } from '../support/engines/storage.ts';
import { rounds } from '../support/faults/rounds.ts';
import { waitUntil } from '../support/server.ts';

/** The key of three nodes is replaced while they are used, and while a node and the command itself are killed. */

const OLD = 'the old key, which somebody has seen';
const NEW = 'the new key, which nobody has seen yet';
const [OLD_ID, NEW_ID] = [OLD, NEW].map((key) => keyId(Buffer.from(key))) as [string, string];
const BOTH = { QUIRE_SECRET: NEW, QUIRE_SECRET_OLD: OLD };
const PROVIDER_KEY = 'sk-of-the-operator';

let folder: string;
let shell: Shell;
let cluster: Cluster;
let load: RotationLoad;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-rotate-'));
  shell = openShell();
  cluster = await startCluster({ settings: { QUIRE_SECRET: OLD, QUIRE_ISOLATION: 'sandbox' } });
  load = await startRotationLoad(cluster);
  const connection = { provider: 'openai', url: 'http://127.0.0.1:9', model: 'm' };
  const sealedKey = sealWithOld('quire provider keys', PROVIDER_KEY, 'chat');
  const value = JSON.stringify({ connections: { chat: { ...connection, sealedKey } } });
  const keeper = await findKeeper();
  await runSql(
    place(),
    `insert into service_settings (name, value, updated_at) values ('providers', '${value}', 1)`,
    `insert into function_secrets values (${keeper}, 'HELD', '${sealSecret(keeper, 'HELD')}')`,
  );
}, 240_000);
afterAll(async () => {
  await load?.stop();
  await Promise.all([shell?.stop(), cluster?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const sealWithOld = (purpose: string, value: string, context: string) =>
  createSealer(new ServiceKey(Buffer.from(OLD)), purpose).seal(value, context);
/** A secret with its own name as its value. */
const sealSecret = (functionId: number, name: string) =>
  sealWithOld('quire function secrets', name, `function ${functionId} ${name}`);
/** The last function that was made. Nobody uses its secrets. */
async function findKeeper(): Promise<number> {
  return (await readSql<{ id: number }>(place(), 'select max(id) as id from functions'))[0]?.id ?? 0;
}

const place = () => ({ dataFolder: '', databaseUrl: cluster.postgres.url });

/** How many things are encrypted with which key. */
async function countKeys(): Promise<Record<string, number>> {
  const rows = await readSql<{ sealed: string }>(
    place(),
    `select sealed_value as sealed from function_secrets
     union all select sealed_secret from function_triggers where sealed_secret is not null
     union all select value from service_settings where name = 'cluster-key'
     union all select value::json -> 'connections' -> 'chat' ->> 'sealedKey' from service_settings where name = 'providers'`,
  );
  const counts: Record<string, number> = {};
  for (const { sealed } of rows) {
    const id = sealed.split('.')[0] ?? '';
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}

const environment = () => ({
  DATABASE_URL: cluster.postgres.url,
  REDIS_URL: cluster.redis.url,
  ...cluster.s3.settings,
  QUIRE_CLUSTER_SHARDS: '1',
  QUIRE_CLUSTER_ADDRESS: '127.0.0.1:7000',
  QUIRE_DATA: join(folder, 'command'),
  ...BOTH,
});
const rotate = () => shell.run(['secrets', 'rotate', '--json'], { env: environment() });

/** Starts the command, waits until it cannot go on because this holds a secret, and kills it. */
async function killHalfway(meanwhile: () => Promise<void>): Promise<void> {
  const sql = new SQL(cluster.postgres.url, { max: 1 });
  try {
    await sql.begin(async (tx) => {
      // The last one in its order.
      await tx`select 1 from function_secrets where name = 'HELD' for update`;
      const child = Bun.spawn([process.execPath, 'bin/launch.ts', 'secrets', 'rotate'], {
        cwd: join(import.meta.dir, '../..'),
        env: { ...process.env, ...environment() },
        stdio: ['ignore', 'ignore', 'ignore'],
      });
      await waitUntil(async () => (await readInUse()) === NEW_ID);
      await meanwhile();
      await waitUntil(async () => child.exitCode !== null || Object.keys(await countKeys()).length > 1);
      child.kill('SIGKILL');
      await child.exited;
    });
  } finally {
    await sql.close();
  }
}

/** Runs the command while a transaction of a slow server is open, in which something was encrypted with the old key. */
async function rotateDuringWrite() {
  const sql = new SQL(cluster.postgres.url, { max: 1 });
  const keeper = await findKeeper();
  try {
    return await sql.begin(async (tx) => {
      await tx`insert into function_secrets values (${keeper}, 'LATE', ${sealSecret(keeper, 'LATE')})`;
      let hasEnded = false;
      const running = rotate().finally(() => {
        hasEnded = true;
      });
      await waitUntil(async () => {
        // Not in the transaction, which always sees the same activity.
        const waiting = await readSql(
          place(),
          "select 1 from pg_stat_activity where pid <> pg_backend_pid() and query like '%backend_xid%'",
        );
        return hasEnded || waiting.length > 0;
      });
      return { running };
    });
  } finally {
    await sql.close();
  }
}

async function readInUse(): Promise<string | undefined> {
  const query = "select value from service_settings where name = 'key-in-use'";
  return (await readSql<{ value: string }>(place(), query))[0]?.value;
}

async function restartAll(settings: Record<string, string>): Promise<void> {
  for (const node of cluster.nodes) {
    expect(await node.stop()).toBe(0);
    await node.start(settings);
    await waitUntil(() => cluster.balancer.isUp(node.name));
    await load.more();
  }
}

test('nothing is lost and nobody is refused for long when a node and the command are killed in the middle', async () => {
  const [first, second] = cluster.nodes;
  if (!first || !second) throw new Error('there are no nodes');
  await load.more();
  await restartAll(BOTH);
  expect(Object.keys(await countKeys())).toEqual([OLD_ID]);

  for (let round = 0; round < rounds(1, 5); round++) {
    await killHalfway(() => second.kill());
    const halfway = await countKeys();
    if (round === 0) expect(Object.keys(halfway).sort()).toEqual([OLD_ID, NEW_ID].sort());
    await load.more();
    await second.start();
    await waitUntil(() => cluster.balancer.isUp(second.name));
  }
  const done = await (await rotateDuringWrite()).running;
  expect([done.code, done.stderr]).toEqual([0, '']);
  expect(done.json()).toMatchObject({ key: NEW_ID, lost: [], isClusterKeyNew: false });
  expect(Object.keys(await countKeys())).toEqual([NEW_ID]);
  await load.more();
  expect((await rotate()).json()).toMatchObject({ moved: 0, lost: [] });

  await restartAll({ QUIRE_SECRET: NEW, QUIRE_SECRET_OLD: '' });
  const outcome = await load.stop();
  expect(outcome.unexpected).toEqual([]);
  expect(outcome.tooLong).toEqual([]);
  expect(Object.keys(outcome.longest).sort()).toEqual(
    ['calls', 'newSecrets', 'records', 'rows', 'secrets', 'sessions'].sort(),
  );
  for (const node of cluster.nodes) {
    await load.expectAllThere(node);
    expect(node.output()).not.toContain('QUIRE_SECRET is not the key');
  }
  expect(Object.keys(await countKeys())).toEqual([NEW_ID]);
  const [providers] = await readSql<{ value: string }>(
    place(),
    "select value from service_settings where name = 'providers'",
  );
  const open = (purpose: string, sealed: string, context: string) =>
    createSealer(new ServiceKey(Buffer.from(NEW)), purpose).open(sealed, context);
  const { chat } = JSON.parse(providers?.value ?? '').connections;
  expect(open('quire provider keys', chat.sealedKey, 'chat')).toBe(PROVIDER_KEY);
  const keeper = await findKeeper();
  const kept = await readSql<{ name: string; sealed: string }>(
    place(),
    `select name, sealed_value as sealed from function_secrets where function_id = ${keeper} order by name`,
  );
  expect(kept.map(({ name }) => name)).toEqual(['HELD', 'LATE']);
  for (const { name, sealed } of kept)
    expect(open('quire function secrets', sealed, `function ${keeper} ${name}`)).toBe(name);
}, 480_000);
