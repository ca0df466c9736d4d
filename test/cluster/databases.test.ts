import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Client } from 'pg';
import type { DatabaseList } from '../../contract/functions/saved-queries.ts';
import { setProcessPriority } from '../../server/runtime/workerd/index.ts';
import { promote } from '../support/backup.ts';
import { openShell } from '../support/cli/cli.ts';
import {
  type DatabaseCluster,
  type Node,
  RUNNER,
  startDatabaseCluster,
} from '../support/cluster/databases.ts';
import { cpuSeconds } from '../support/faults/process.ts';
import { helpers } from '../support/functions/server.ts';
import { PASSWORD } from '../support/http/call.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { waitUntil } from '../support/server.ts';

const QUOTA_BYTES = 32 * 1024 * 1024;
const MEGABYTES = (count: number) =>
  `INSERT INTO t SELECT randomblob(1000000) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ${count}) SELECT x FROM n)`;

/** More CPU time than a host uses that hangs, and that it uses until the server asks how it is. */
const BLAMED_SECONDS = 3;

let cluster: DatabaseCluster;
beforeAll(async () => {
  cluster = await startDatabaseCluster(2, { QUIRE_QUOTA_BYTES: String(QUOTA_BYTES) });
}, 120_000);
afterAll(() => cluster?.stop());

const nodes = () => cluster.nodes.slice(-2) as [Node, Node];

/** Returns the id of the newest database. */
async function newestDatabase(): Promise<number> {
  const client = new Client(cluster.databaseUrl);
  await client.connect();
  const { rows } = await client.query('select max(id)::int as id from function_databases');
  await client.end();
  return rows[0].id;
}

describe('databases of a cluster', () => {
  test('can be used from every node, with SQL and by functions', async () => {
    const [one, two] = nodes();
    const slug = await cluster.withTable(one);
    expect((await cluster.sql(two, slug, 'INSERT INTO t VALUES (1)')).status).toBe(200);
    expect((await cluster.call(one, slug, { body: { sql: 'INSERT INTO t VALUES (2)' } })).status).toBe(200);
    expect((await cluster.call(two, slug, { body: { sql: 'INSERT INTO t VALUES (3)' } })).status).toBe(200);
    for (const node of [one, two]) expect(await cluster.numbers(node, slug)).toEqual([1, 2, 3]);
    expect((await cluster.sql(two, slug, 'SELEC')).body.code).toBe('INVALID_SQL');
  }, 120_000);

  test('can be exported and imported on any node', async () => {
    const [one, two] = nodes();
    const slug = await cluster.withTable(one);
    await cluster.sql(one, slug, "INSERT INTO t VALUES (1), ('it''s'), (x'00ff')");
    const path = `/api/functions/${slug}/database`;
    const authorization = `Bearer ${cluster.owner.token}`;
    const exported = await fetch(`${two.baseUrl}${path}/export`, { headers: { authorization } });
    const script = await exported.text();
    expect(script).toContain("(2, 'it''s')");
    const other = await cluster.deploy(two, RUNNER);
    const imported = await fetch(`${one.baseUrl}/api/functions/${other}/database/import`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/sql' },
      body: script,
    });
    expect(imported.status).toBe(200);
    const { body } = await cluster.sql(two, other, 'SELECT hex(a) AS a FROM t');
    expect(body.results).toEqual([{ a: '31' }, { a: '69742773' }, { a: '00FF' }]);
  }, 120_000);

  test('that cannot be copied because of their content do not stop the backup of the others', async () => {
    const [one] = nodes();
    const mallory = await register(one, `mallory-${Date.now()}`);
    // Each row was inserted by chance; inserting all of them again fails.
    const unlucky = await cluster.deploy(one, RUNNER, mallory);
    await cluster.sql(one, unlucky, 'CREATE TABLE t (a CHECK (abs(random()) % 2 = 0))', mallory);
    const luck = `INSERT OR IGNORE INTO t WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 400) SELECT x FROM n`;
    expect((await cluster.sql(one, unlucky, luck, mallory)).body.meta.changes).toBeGreaterThan(100);
    const unreadable = await cluster.deploy(one, RUNNER, mallory);
    const lost = "CREATE VIRTUAL TABLE t USING fts5 (a, content = 'gone')";
    expect((await cluster.sql(one, unreadable, lost, mallory)).status).toBe(200);
    // Nothing more can be inserted here, but what exists can still be copied.
    const unfollowed = await cluster.deploy(one, RUNNER, mallory);
    await cluster.sql(one, unfollowed, 'CREATE TABLE parent (a)', mallory);
    await cluster.sql(one, unfollowed, 'CREATE TABLE child (a REFERENCES parent (a))', mallory);

    const shell = openShell();
    try {
      const archive = join(shell.folder, 'archive.tar.gz');
      const env = { ...cluster.s3.settings, DATABASE_URL: cluster.databaseUrl, QUIRE_DATA: one.dataFolder };
      const taken = await shell.run(['backup', archive, '--json'], { env });
      expect(taken.stderr).toBe('');
      const { databases, missing } = taken.json() as { databases: number; missing: string[] };
      expect(missing.map((path) => path.replace(/\d+$/, ''))).toEqual(
        Array(2).fill(`databases/${mallory.id}/`),
      );
      expect(databases).toBeGreaterThan(0);
    } finally {
      await shell.stop();
    }
  }, 120_000);

  test('share one quota, on whichever node they are', async () => {
    const [one, two] = nodes();
    const saver = await register(one, 'saver');
    const first = await cluster.withTable(one, saver);
    const second = await cluster.withTable(two, saver);
    expect((await cluster.sql(one, first, MEGABYTES(20), saver)).status).toBe(200);
    expect((await cluster.sql(two, second, MEGABYTES(11), saver)).status).toBe(200);
    for (const { baseUrl } of [one, two]) {
      const headers = { authorization: `Bearer ${saver.token}` };
      const listed = await fetch(`${baseUrl}/api/databases`, { headers });
      const { databases } = (await listed.json()) as DatabaseList;
      // What they were granted.
      expect(databases[0]?.bytes).toBeWithin(20_000_000, 22_000_000);
      expect(databases[1]?.bytes).toBeWithin(11_000_000, 13_000_000);
    }
    const refused = await cluster.sql(one, first, MEGABYTES(4), saver);
    expect(refused.body.code).toBe('QUOTA_EXCEEDED');
    expect((await cluster.sql(two, second, MEGABYTES(4), saver)).body.code).toBe('QUOTA_EXCEEDED');
    const { body } = await cluster.sql(two, second, 'SELECT count(*) AS n FROM t', saver);
    expect(body.results).toEqual([{ n: 11 }]);
    // Data that fits is accepted up to the last page, and so is anything that does not change the size.
    expect((await cluster.sql(one, first, 'INSERT INTO t VALUES (1)', saver)).status).toBe(200);
    expect((await cluster.sql(one, first, 'UPDATE t SET a = 2 WHERE a = 1', saver)).status).toBe(200);
    const removal = await fetch(`${two.baseUrl}/api/functions/${first}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${saver.token}` },
    });
    expect(removal.status).toBe(204);
    expect((await cluster.sql(one, second, MEGABYTES(15), saver)).status).toBe(200);
  }, 120_000);

  test('do not come back after removal because of a call that is still running on another node', async () => {
    const [one, two] = nodes();
    const code = `export default { async fetch(request, env) {
      const { sql } = await request.json();
      if (sql) return Response.json((await env.DB.prepare(sql).all()).results);
      await env.DB.prepare('INSERT INTO t VALUES (1)').run();
      for (;;) {
        try {
          await env.DB.prepare('INSERT INTO t VALUES (2)').run();
        } catch (error) {
          return new Response(await env.DB.prepare('CREATE TABLE t (a)').run().catch(({ message }) => message));
        }
      }
    } };`;
    const slug = await cluster.deploy(one, code);
    await cluster.sql(one, slug, 'CREATE TABLE t (a)');
    const calling = cluster.call(two, slug, { body: {} });
    await waitUntil(async () => (await cluster.numbers(one, slug)).length > 5);
    const headers = { authorization: `Bearer ${cluster.owner.token}` };
    const removal = await fetch(`${one.baseUrl}/api/functions/${slug}`, { method: 'DELETE', headers });
    expect(removal.status).toBe(204);
    expect((await calling).body).toBe('D1_ERROR: The database was removed.');
  }, 120_000);

  test('are listed for administrators by their own node', async () => {
    const [one, two] = nodes();
    await promote({ dataFolder: one.dataFolder, databaseUrl: cluster.databaseUrl }, 'owner');
    const body = { username: 'owner', password: PASSWORD, scopes: ['admin'] };
    const token = (await call(two, 'POST', '/api/auth/token', { body })).body.accessToken;
    const listed = async () => {
      const { databasesByNode } = (await call(two, 'GET', '/api/admin/health', { token })).body;
      return Object.entries(databasesByNode as Record<string, number[]>).flatMap(([node, ids]) =>
        ids.map((id) => `${id} at ${node}`),
      );
    };
    await cluster.withTable(one);
    const id = await newestDatabase();
    const lines = async () => (await listed()).filter((line) => line.startsWith(`${id} `));
    await waitUntil(async () => (await lines()).length > 0);
    expect(await lines()).toEqual([`${id} at 127.0.0.1:${one.clusterPort}`]);
  }, 120_000);
});

// At the same time: the database waits for a limit and for the end of a lease.
describe.concurrent('databases of a cluster', () => {
  test('are suspended for an owner whose statement ended a shared host; all others keep working', async () => {
    const [one] = nodes();
    const victim = await cluster.withTable(one);
    const inSameShard = async (): Promise<Account> => {
      const account = await register(one, `endless-${crypto.randomUUID().slice(0, 8)}`);
      return account.id % 2 === cluster.owner.id % 2 ? account : inSameShard();
    };
    const mallory = await inSameShard();
    const endless = await cluster.withTable(one, mallory);
    // The next request is for another database of the same owner, because the owner is suspended.
    const another = await cluster.withTable(one, mallory);
    const sql = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
    const hosts = helpers(one).filter(({ kind }) => kind === 'database host');
    const used = () => hosts.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
    const before = used();
    let hasEnded = false;
    const running = cluster.sql(one, endless, sql, mallory).finally(() => {
      hasEnded = true;
    });
    // At low priority once it has run enough to be blamed: the test waits for the time limit, not for the statement.
    await waitUntil(async () => hasEnded || used() > before + BLAMED_SECONDS);
    for (const { pid } of hosts) setProcessPriority(pid, 19);
    expect((await running).status).toBe(503);
    // At once: on a busy machine the suspension can be over before the others work again.
    const refused = await cluster.sql(one, another, 'SELECT 1', mallory);
    expect([refused.status, refused.body.code, refused.body.error]).toEqual([
      503,
      'UNAVAILABLE',
      expect.stringMatching(/^One of your statements .* suspended for another \d+ seconds\.$/),
    ]);
    expect((await cluster.call(one, another, { body: { sql: 'SELECT 1' } })).status).toBe(500);
    await waitUntil(async () => (await cluster.sql(one, victim, 'SELECT 1')).status === 200);
    // It can be removed while it is suspended.
    const { token } = mallory;
    expect((await call(one, 'DELETE', `/api/functions/${endless}`, { token })).status).toBe(204);
  }, 120_000);
});

describe.concurrent('a node', () => {
  test('does not start with a bucket that ignores conditional writes', async () => {
    using yes = Bun.serve({ port: 0, fetch: () => new Response(null, { headers: { etag: '"1"' } }) });
    const starting = cluster.add({ S3_ENDPOINT: `http://127.0.0.1:${yes.port}` });
    await expect(starting).rejects.toThrow('The bucket ignores conditional writes');
  }, 120_000);

  test('does not start if its number of shards differs from the cluster', async () => {
    const starting = cluster.add({ QUIRE_CLUSTER_SHARDS: '1' });
    await expect(starting).rejects.toThrow('Set it to 2');
  }, 120_000);

  test('does not start if its secret differs from the cluster', async () => {
    const starting = cluster.add({ QUIRE_SECRET: 'another secret of thirty-two characters' });
    await expect(starting).rejects.toThrow('QUIRE_SECRET differs from that of the cluster');
  }, 120_000);

  test('does not start if the bucket refuses its keys', async () => {
    const starting = cluster.add({ S3_SECRET_ACCESS_KEY: 'wrong' });
    await expect(starting).rejects.toThrow('The bucket refuses the keys');
  }, 120_000);
});
