import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { startStorage } from '../../server/platform/storage/index.ts';
import { type TestApp, type TestUser, testApp } from '../support/app.ts';
import { startDatabase } from '../support/engines/process-postgres.ts';

/** Someone else on the same PostgreSQL locks a row and does not release it. */

let database: { url: string; stop(): Promise<void> };
let app: TestApp;
let ada: TestUser;
beforeAll(async () => {
  database = await startDatabase();
  app = await testApp({ DATABASE_URL: database.url });
  ada = await app.user('ada');
}, 120_000);
afterAll(async () => {
  await app?.stop();
  await database?.stop();
});

const rename = (id: number, name: string) => ada.call('PATCH', `/api/pages/${id}`, { body: { name } });

test.concurrent('a node that hangs in a transaction loses its locks, and waiting requests continue', async () => {
  const page = await ada.publish();
  const hanging = await startStorage({ dataFolder: app.dataFolder, databaseUrl: database.url });
  const locked = Promise.withResolvers<void>();
  const thawed = Promise.withResolvers<void>();
  const transaction = hanging.db.transaction().execute(async (tx) => {
    await tx.updateTable('pages').set({ name: 'Held' }).where('id', '=', page.id).execute();
    locked.resolve();
    await thawed.promise;
    await tx.updateTable('pages').set({ name: 'Too late' }).where('id', '=', page.id).execute();
  });
  await locked.promise;
  const renamed = await rename(page.id, 'Changed meanwhile');
  expect(renamed.status).toBe(200);
  thawed.resolve();
  await expect(transaction).rejects.toThrow();
  const { body } = await ada.call('GET', `/api/pages/${page.id}`);
  expect(body.page.name).toBe('Changed meanwhile');
  // The ended connection is not used again.
  for (let query = 0; query < 20; query++) await hanging.check();
  await hanging.stop();
});

test.concurrent('a writer gets 503 "busy" for a lock that stays, not the error for a slow query', async () => {
  const page = await ada.publish();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('select 1 from pages where id = $1 for update', [page.id]);
    const refused = await rename(page.id, 'In vain');
    expect(refused.status).toBe(503);
    expect(refused.body.code).toBe('UNAVAILABLE');
    expect(refused.body.error).toMatch(/^The database is too busy/);
    expect(refused.headers.get('retry-after')).toBe('5');
  } finally {
    await client.query('rollback');
    await client.end();
  }
  expect((await rename(page.id, 'At last')).status).toBe(200);
});

test('connections use keepalive, so that a lost machine does not keep them open', async () => {
  const storage = await startStorage({ dataFolder: app.dataFolder, databaseUrl: database.url });
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings
    where name in ('tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count')`.execute(
    storage.db,
  );
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    tcp_keepalives_idle: '30',
    tcp_keepalives_interval: '10',
    tcp_keepalives_count: '3',
  });
  await storage.stop();
});
