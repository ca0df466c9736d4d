import { afterAll, beforeAll, expect, test } from 'bun:test';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import { startPostgres } from '../../test/support/engines/postgres.ts';
import { type Note, noteStatements } from '../../test/support/statements.ts';
import { readNotes, runOnPostgres } from './statements.ts';

interface Tables {
  users: { id: number; username: string; email: string; password_hash: string; is_admin: number | boolean };
}

const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

let postgres: Awaited<ReturnType<typeof startPostgres>>;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

async function noted(build: () => void): Promise<Note[]> {
  const notes: Note[] = [];
  const stop = await noteStatements((note) => notes.push(note), import.meta.dir);
  try {
    build();
  } finally {
    stop();
  }
  return notes;
}

const named = (value: unknown) =>
  db
    .selectFrom('users')
    .select('id')
    .where('id', '=', value as number);

test('notes a statement once for each kind of values, as PostgreSQL gets it', async () => {
  const notes = await noted(() => {
    for (const value of [1, 2, 2 ** 31, 'a', null, {}, true]) named(value).compile();
  });
  expect(notes.map(({ values }) => values)).toEqual([[1], [2 ** 31], ['a'], [null], [null], [true]]);
  expect(notes[0]).toMatchObject({ text: 'select "id" from "users" where "id" = $1' });
  named(1.5).compile();
  expect(notes).toHaveLength(6);
});

test('reports what only SQLite runs, and where it comes from', async () => {
  const insert = (isAdmin: number | boolean) => ({
    ...{ id: 1, username: 'ada', email: 'ada@example.com', password_hash: '', is_admin: isAdmin },
  });
  const notes = await noted(() => {
    named(1).compile();
    db.insertInto('users').values(insert(1)).compile();
    db.insertInto('users').values(insert(true)).compile();
    sql`select id from users where username = "ada"`.compile(db);
    sql`insert into users (id, username) values (1, 'ada') on conflict do update set id = id + 1`.compile(db);
    sql`select id > 1 as is_later, sum(id) as total from users group by id`.compile(db);
    sql`pragma user_version`.compile(db);
    sql`select name from sqlite_master`.compile(db);
  });
  const failures = await runOnPostgres(
    postgres.url,
    notes.map((note) => ({ ...note, place: 'server/product/teams/store.ts:1' })),
  );
  expect(failures.map(({ error }) => error.split('\n')[0])).toEqual([
    'error: invalid input syntax for type integer: "true"',
    'error: column "ada" does not exist',
    'error: ON CONFLICT DO UPDATE requires inference specification or constraint name',
    'error: "is_later" has a type that SQLite does not have: 16',
  ]);
  expect(failures[0]).toMatchObject({
    name: 'PostgreSQL runs the statement of server/product/teams/store.ts:1 like SQLite',
    file: 'scripts/testing/statements.test.ts',
  });
});

test('reads a statement that several processes have noted once', () => {
  const lines = [1, 2, 'a'].map((value) =>
    JSON.stringify({ text: 'select $1', values: [value], place: '', file: '' }),
  );
  expect(readNotes(`${lines.join('\n')}\n`).map(({ values }) => values)).toEqual([[2], ['a']]);
});
