import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { sql } from 'kysely';
import { freshDatabase, startPostgres } from '../../../../test/support/engines/postgres.ts';
import { startWire, type Wire } from '../../../../test/support/faults/proxy.ts';
import { waitUntil } from '../../../../test/support/server.ts';
import { type Db, type Storage, startStorage, statement, storageFailure, type Tx } from '../index.ts';

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let wire: Wire;
let storage: Storage;
/** The storage that does not use the wire. */
let direct: Storage;
beforeAll(async () => {
  postgres = await startPostgres();
  const { url } = await freshDatabase(postgres.url);
  const wired = new URL(url);
  wire = await startWire({ port: Number(wired.port) });
  wired.port = String(wire.port);
  const options = { dataFolder: tmpdir(), migrateTo: 'as they are' } as const;
  direct = await startStorage({ ...options, databaseUrl: url });
  storage = await startStorage({ ...options, databaseUrl: wired.href });
  await sql`create table notes (text text not null)`.execute(direct.db);
});
afterAll(async () => {
  await storage.stop();
  await direct.stop();
  await wire.stop();
  await postgres.stop();
});
beforeEach(async () => {
  await sql`truncate notes`.execute(direct.db);
});
afterEach(async () => {
  await wire.mend();
  await waitUntil(async () => storage.link?.heartbeat.state === 'answers');
});

const insert = statement((db: Db, text: string) => ({
  compile: () => sql`insert into notes values (${text})`.compile(db),
}));
const count = statement((db: Db) => ({
  compile: () => sql<{ n: number }>`select count(*)::integer as n from notes`.compile(db),
}));
const add = (tx: Tx, text: string) => sql`insert into notes values (${text})`.execute(tx);
const stored = async () =>
  (await sql<{ text: string }>`select text from notes order by text`.execute(direct.db)).rows.map(
    ({ text }) => text,
  );
const untilState = (state: string) => waitUntil(async () => storage.link?.heartbeat.state === state);

test('what was not sent waits for PostgreSQL to come back', async () => {
  await wire.cut();
  const work = Promise.all([
    insert(storage.db, 'a statement'),
    count(storage.db),
    storage.db.transaction().execute((tx) => add(tx, 'a transaction')),
    storage.commit.run((tx) => add(tx, 'a shared transaction')),
  ]);
  await untilState('refused');
  await waitUntil(async () => storage.status().waiting >= 4);
  await wire.mend();
  await work;
  expect(await stored()).toEqual(['a shared transaction', 'a statement', 'a transaction']);
});

test('what waits for too long fails, and is not sent later', async () => {
  await wire.cut();
  const failure = await insert(storage.db, 'late').then(() => undefined, storageFailure);
  expect(failure).toBe('unreachable');
  await wire.mend();
  await untilState('answers');
  await insert(storage.db, 'next');
  expect(await stored()).toEqual(['next']);
});

test('connections that were lost while idle fail nothing', async () => {
  const all = () =>
    Promise.all(Array.from({ length: 8 }, () => storage.db.transaction().execute((tx) => count(tx))));
  await all();
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where pid <> pg_backend_pid() and datname = current_database()`.execute(direct.db);
  await all();
});

test('a shared transaction that was lost before its commit runs again, and no other does', async () => {
  let tries = 0;
  const work = async (tx: Tx) => {
    await add(tx, `try ${++tries}`);
    if (tries === 1) {
      await wire.cut();
      await wire.mend();
    }
    await add(tx, 'done');
  };
  await storage.commit.run(work);
  expect(await stored()).toEqual(['done', 'try 2']);

  tries = 0;
  const failure = await storage.db
    .transaction()
    .execute(work)
    .then(() => undefined, storageFailure);
  expect(failure).toBe('unreachable');
  expect(tries).toBe(1);
});

test('shared transactions whose commit got no answer do not run again', async () => {
  let tries = 0;
  const work = (text: string) => async (tx: Tx) => {
    tries++;
    await add(tx, text);
    // The commit is sent in this turn of the event loop.
    if (text === 'last') setImmediate(() => wire.cut().then(wire.mend));
  };
  const outcomes = await Promise.allSettled([
    storage.commit.run(work('first')),
    storage.commit.run(work('last')),
  ]);
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && storageFailure(outcome.reason))).toEqual([
    'unreachable',
    'unreachable',
  ]);
  expect(tries).toBe(2);
});

test('when PostgreSQL is silent, what was sent fails soon, and the rest at once', async () => {
  await count(storage.db);
  wire.silence();
  const sent = Promise.all(
    [insert(storage.db, 'sent'), storage.db.transaction().execute((tx) => add(tx, 'sent'))].map((work) =>
      work.then(() => undefined, storageFailure),
    ),
  );
  await untilState('silent');
  expect(await sent).toEqual(['unreachable', 'unreachable']);
  // Nothing waits for something that may never come back.
  const failing = insert(storage.db, 'more').then(() => undefined, storageFailure);
  await new Promise((resolve) => setImmediate(resolve));
  expect(storage.status().waiting).toBe(0);
  expect(await failing).toBe('unreachable');
  await wire.mend();
  await untilState('answers');
  await insert(storage.db, 'back');
  expect(await stored()).toContain('back');
});
