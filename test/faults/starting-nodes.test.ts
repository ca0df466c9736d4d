import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { MIGRATION_NAMES, startStorage, UnknownTablesError } from '../../server/platform/storage/index.ts';
import { startDatabase } from '../support/engines/process-postgres.ts';
import { call, publish, register } from '../support/http/client.ts';
import { startServer, type TestServer, untilPrinted, waitUntil } from '../support/server.ts';

/**
 * The lock that a node holds while it migrates the tables. The same number is in
 * `server/platform/storage/migrate.ts`.
 */
const LOCK = 7_403_316_518;
const LATER = '9999-of-a-later-day';

/** An empty database, a connection to it, and nodes on it. */
async function openStage() {
  const database = await startDatabase();
  const sql = new Client({ connectionString: database.url });
  await sql.connect();
  const folder = mkdtempSync(join(tmpdir(), 'quire-nodes-'));
  const nodes: TestServer[] = [];
  return {
    sql,
    folder,
    databaseUrl: database.url,
    async startNode(): Promise<TestServer> {
      const node = await startServer({ settings: { DATABASE_URL: database.url } });
      nodes.push(node);
      return node;
    },
    async executed(): Promise<string[]> {
      const { rows } = await sql.query('select name from kysely_migration order by name');
      return rows.map(({ name }) => name);
    },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node.kill();
      await sql.end();
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test.concurrent('nodes that start together on an empty database migrate it once and create one administrator', async () => {
  await using stage = await openStage();
  const settled = await Promise.all([stage.startNode(), stage.startNode(), stage.startNode()]);
  expect(await stage.executed()).toEqual(MIGRATION_NAMES);
  const builtin = await stage.sql.query('select slug, version from functions where owner_id is null');
  expect(builtin.rows).toEqual([{ slug: 'unfurl-url', version: 1 }]);
  for (const node of settled) {
    const { token } = await register(node, `user${node.port}`);
    expect((await publish(node, token)).id).toBeGreaterThan(0);
  }

  const codes = await Promise.all(settled.map((node) => untilPrinted(node, /setup\?code=(\S+)/)));
  let used = 0;
  for (const [place, code] of codes.entries()) {
    const username = `admin${place}`;
    const body = { username, email: `${username}@example.com`, password: 'correct horse battery', code };
    const answer = await call(settled[0], 'POST', '/setup', { body });
    if (answer.status < 400) used++;
  }
  const { rows } = await stage.sql.query('select count(*)::int as admins from users where is_admin = 1');
  expect(rows).toEqual([{ admins: used }]);
  expect(used).toBe(1);
}, 120_000);

test.concurrent('a node waits for a migration that takes longer than any query can, and says so', async () => {
  await using stage = await openStage();
  await stage.sql.query('select pg_advisory_lock($1)', [LOCK]);
  const warnings: string[] = [];
  const starting = startStorage({
    dataFolder: stage.folder,
    databaseUrl: stage.databaseUrl,
    warn: (sentence) => warnings.push(sentence),
  });
  await waitUntil(async () => warnings.length > 0);
  expect(warnings[0]).toContain('another node');
  // Longer than the query timeout, after which PostgreSQL ends its own sleep.
  await stage.sql.query('select pg_sleep(9)');
  expect((await stage.sql.query("select to_regclass('pages') as pages")).rows).toEqual([{ pages: null }]);
  await stage.sql.query('select pg_advisory_unlock($1)', [LOCK]);
  const storage = await starting;
  await storage.check();
  await storage.stop();
  expect(await stage.executed()).toEqual(MIGRATION_NAMES);
}, 120_000);

describe('a database with a migration of a later version', () => {
  test.concurrent('works with a node that does not know the migration, and the node says so once', async () => {
    await using stage = await openStage();
    await (await startStorage({ dataFolder: stage.folder, databaseUrl: stage.databaseUrl })).stop();
    await stage.sql.query('alter table pages add column of_a_later_day text');
    await stage.sql.query('insert into kysely_migration values ($1, $2)', [LATER, new Date().toISOString()]);

    const node = await stage.startNode();
    await untilPrinted(node, 'a later version of Quire');
    expect(node.output().match(/a later version of Quire/g)).toHaveLength(1);
    const { token } = await register(node, 'ada');
    const { slug } = await publish(node, token);
    expect((await call(node, 'GET', `/p/${slug}`)).status).toBe(200);
    expect(await stage.executed()).toEqual([...MIGRATION_NAMES, LATER]);
  }, 120_000);

  test.concurrent.each([
    ['has an unknown migration between known ones', '0003-of-somebody-else', undefined],
    ['lacks a known migration', LATER, MIGRATION_NAMES.at(-1)],
  ])('is refused when it %s', async (_, added, removed) => {
    await using stage = await openStage();
    const place = { dataFolder: stage.folder, databaseUrl: stage.databaseUrl };
    await (await startStorage(place)).stop();
    await stage.sql.query('insert into kysely_migration values ($1, $2)', [added, new Date().toISOString()]);
    if (removed) await stage.sql.query('delete from kysely_migration where name = $1', [removed]);

    await expect(startStorage(place)).rejects.toThrow(UnknownTablesError);
    expect(await stage.executed()).toContain(added);
  });
});

test.concurrent('a migration of a later version does not stop a start on SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-nodes-'));
  const warnings: string[] = [];
  const place = { dataFolder: folder, warn: (sentence: string) => void warnings.push(sentence) };
  const first = await startStorage(place);
  await first.stop();
  const { Database } = await import('bun:sqlite');
  const file = new Database(join(folder, 'quire.db'));
  file.run('insert into kysely_migration values (?, ?)', [LATER, new Date().toISOString()]);
  file.close();

  const storage = await startStorage(place);
  await storage.check();
  await storage.stop();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(LATER);
  rmSync(folder, { recursive: true });
});
