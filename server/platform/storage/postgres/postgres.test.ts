import { afterAll, beforeAll, expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { sql } from 'kysely';
import { freshDatabase, startPostgres } from '../../../../test/support/postgres.ts';
import { type Db, type Storage, startStorage, statement, storageFailure } from '../index.ts';

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

test('a statement is prepared again after a migration has changed its columns', async () => {
  const transaction = () => storage.db.transaction().execute((tx) => all(tx));
  expect((await transaction()).rows).toEqual([{ text: 'a' }]);
  await sql`alter table notes add column size integer`.execute(storage.db);
  // The transaction cannot be saved. It fails like one that others have slowed down.
  const failure = await transaction().catch(storageFailure);
  expect(failure).toBe('busy');
  expect((await transaction()).rows as unknown[]).toEqual([{ text: 'a', size: null }]);
});
