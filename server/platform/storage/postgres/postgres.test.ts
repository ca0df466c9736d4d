import { afterAll, beforeAll, expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { sql } from 'kysely';
import { freshDatabase, startPostgres } from '../../../../test/support/engines/postgres.ts';
import { waitUntil } from '../../../../test/support/server.ts';
import { type Db, type Storage, startStorage, statement } from '../index.ts';

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let storage: Storage;
beforeAll(async () => {
  postgres = await startPostgres();
  const { url } = await freshDatabase(postgres.url);
  storage = await startStorage({ dataFolder: tmpdir(), databaseUrl: url, migrateTo: 'as they are' });
  await sql`create table notes (text text not null)`.execute(storage.db);
  await sql`insert into notes values ('a')`.execute(storage.db);
});
afterAll(async () => {
  await storage.stop();
  await postgres.stop();
});

const all = statement((db: Db) => ({
  compile: () => sql<{ text: string }>`select * from notes`.compile(db),
}));

test('a migration that adds columns fails no transaction', async () => {
  const transaction = () => storage.db.transaction().execute((tx) => all(tx));
  expect((await transaction()).rows).toEqual([{ text: 'a' }]);
  await sql`alter table notes add column size integer`.execute(storage.db);
  expect((await transaction()).rows as unknown[]).toEqual([{ text: 'a', size: null }]);
});

test('nor a statement outside of one', async () => {
  await all(storage.db);
  await sql`alter table notes add column color text`.execute(storage.db);
  expect((await all(storage.db)).rows as unknown[]).toEqual([{ text: 'a', size: null, color: null }]);
});

test('nor one that every connection has prepared', async () => {
  await Promise.all(Array.from({ length: 50 }, () => all(storage.db)));
  await sql`alter table notes add column place text`.execute(storage.db);
  const [row] = (await all(storage.db)).rows;
  expect(Object.keys(row ?? {})).toContain('place');
});

test('large integers and their sums are numbers, as on SQLite', async () => {
  const sums = sql`select 2::bigint as one, sum(n::bigint) as all from generate_series(1, 3) as n`;
  expect((await sums.execute(storage.db)).rows).toEqual([{ one: 2, all: 6 }]);
});

test('statements that share a connection get their own rows and their own errors', async () => {
  const divided = statement((db: Db, by: number) => ({
    compile: () => sql<{ result: number }>`select 12 / ${by}::integer as result`.compile(db),
  }));
  const divisors = [1, 2, 0, 3, 0, 4];
  const outcomes = await Promise.allSettled(divisors.map((by) => divided(storage.db, by)));
  expect(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.rows[0]?.result : 'failed')),
  ).toEqual([12, 6, 'failed', 4, 'failed', 3]);
});

test('a connection that the server ends is replaced', async () => {
  await all(storage.db);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`.execute(
    storage.db,
  );
  await waitUntil(async () => (await all(storage.db).catch(() => undefined)) !== undefined);
  expect((await all(storage.db)).rows).toHaveLength(1);
});
