import { afterAll, expect, test } from 'bun:test';
import { ECHO, functionApp } from '../../support/functions/app.ts';

/** Queries that the owner of a database keeps for later, and the list of databases. */

const { quire, owner, stranger, deploy } = await functionApp();
afterAll(() => quire.stop());

const MAX_QUERIES = 100;
const MAX_NAME = 100;
const MAX_SQL = 64 * 1024;

const toPath = (slug: string) => `/api/functions/${slug}/database/queries`;
const save = (slug: string, body: unknown, token = owner.token) =>
  quire.call('POST', toPath(slug), { body, token });
const list = async (slug: string) =>
  (await quire.call('GET', toPath(slug), { token: owner.token })).body.queries.map(
    ({ name }: { name: string }) => name,
  );
const withDatabase = () => deploy(ECHO, { enableDatabase: true });

test('are created, listed by name, changed and deleted', async () => {
  const slug = await withDatabase();
  expect(await list(slug)).toEqual([]);
  const made = await save(slug, { name: '  Newest ', sql: 'SELECT 1' });
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    id: expect.any(Number),
    name: 'Newest',
    sql: 'SELECT 1',
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  await save(slug, { name: 'All', sql: 'SELECT 2' });
  expect(await list(slug)).toEqual(['All', 'Newest']);
  const at = `${toPath(slug)}/${made.body.id}`;
  const patched = await quire.call('PATCH', at, { body: { sql: 'SELECT 3' }, token: owner.token });
  expect(patched.body).toMatchObject({ name: 'Newest', sql: 'SELECT 3' });
  const renamed = await quire.call('PATCH', at, { body: { name: 'Last' }, token: owner.token });
  expect(renamed.body).toMatchObject({ name: 'Last', sql: 'SELECT 3' });
  expect((await quire.call('DELETE', at, { token: owner.token })).status).toBe(204);
  expect(await list(slug)).toEqual(['All']);
  for (const method of ['PATCH', 'DELETE'] as const) {
    const again = await quire.call(method, at, {
      ...(method === 'PATCH' && { body: {} }),
      token: owner.token,
    });
    expect([again.status, again.body.code]).toEqual([404, 'NOT_FOUND']);
  }
});

test('a name is used once per database, and functions that share it share its queries', async () => {
  const slug = await withDatabase();
  const sharing = await deploy(ECHO, { useDatabase: slug });
  const { body } = await save(slug, { name: 'One', sql: 'SELECT 1' });
  await save(slug, { name: 'Two', sql: 'SELECT 1' });
  const taken = await save(sharing, { name: 'One', sql: 'SELECT 2' });
  expect([taken.status, taken.body.code]).toEqual([409, 'CONFLICT']);
  const at = `${toPath(sharing)}/${body.id}`;
  const renamed = await quire.call('PATCH', at, { body: { name: 'Two' }, token: owner.token });
  expect([renamed.status, renamed.body.code]).toEqual([409, 'CONFLICT']);
  expect(await list(sharing)).toEqual(['One', 'Two']);
  // Another database has its own.
  const other = await withDatabase();
  expect((await save(other, { name: 'One', sql: 'SELECT 1' })).status).toBe(201);
  const elsewhere = await quire.call('DELETE', `${toPath(other)}/${body.id}`, { token: owner.token });
  expect(elsewhere.status).toBe(404);
});

test('are the owner’s alone', async () => {
  const slug = await withDatabase();
  const { body } = await save(slug, { name: 'Mine', sql: 'SELECT 1' });
  const token = stranger.token;
  const at = `${toPath(slug)}/${body.id}`;
  for (const answer of [
    await quire.call('GET', toPath(slug), { token }),
    await save(slug, { name: 'Theirs', sql: 'SELECT 1' }, token),
    await quire.call('PATCH', at, { body: { name: 'x' }, token }),
    await quire.call('DELETE', at, { token }),
  ])
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
  expect((await quire.call('GET', toPath(slug))).status).toBe(401);
  const { body: all } = await quire.call('GET', '/api/databases', { token });
  expect(all.databases).toEqual([]);
  const without = await deploy(ECHO);
  expect((await save(without, { name: 'x', sql: 'SELECT 1' })).status).toBe(400);
});

test.each([
  [{ name: 'n'.repeat(MAX_NAME), sql: 'SELECT 1' }, 201],
  [{ name: 'n'.repeat(MAX_NAME + 1), sql: 'SELECT 1' }, 400],
  [{ name: '   ', sql: 'SELECT 1' }, 400],
  [{ name: 'largest', sql: 'x'.repeat(MAX_SQL) }, 201],
  [{ name: 'larger', sql: 'x'.repeat(MAX_SQL + 1) }, 400],
  [{ name: 'bytes', sql: 'é'.repeat(MAX_SQL / 2 + 1) }, 400],
  [{ name: 'empty', sql: ' ' }, 400],
  [{ name: 'typo', sql: 'SELECT 1', sqll: '' }, 400],
])('limits names and texts: %#', async (body, status) => {
  const slug = await withDatabase();
  expect((await save(slug, body)).status).toBe(status);
});

test('a database has at most 100, also if they come at once', async () => {
  const slug = await withDatabase();
  for (let n = 1; n < MAX_QUERIES; n += 1)
    expect((await save(slug, { name: `q${n}`, sql: 'SELECT 1' })).status).toBe(201);
  const last = await Promise.all(['a', 'b', 'c'].map((name) => save(slug, { name, sql: 'SELECT 1' })));
  expect(last.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
  expect((await list(slug)).length).toBe(MAX_QUERIES);
});

test('databases are listed with the functions that use them, and their sizes', async () => {
  const slug = await withDatabase();
  const sharing = await deploy(ECHO, { useDatabase: slug });
  const find = async () => {
    const { body } = await quire.call('GET', '/api/databases', { token: owner.token });
    return body.databases.filter(({ functions }: { functions: string[] }) => functions.includes(slug));
  };
  const database = {
    ...{ id: expect.any(Number), functions: [slug, sharing], createdAt: expect.any(String) },
  };
  expect(await find()).toEqual([{ ...database, bytes: 0 }]);
  const sql = 'CREATE TABLE t AS SELECT zeroblob(1000000) AS b';
  const path = `/api/functions/${slug}/database`;
  expect((await quire.call('POST', path, { body: { sql }, token: owner.token })).status).toBe(200);
  const [{ bytes, ...rest }] = await find();
  expect(rest).toEqual(database);
  expect(bytes).toBeWithin(1_000_000, 1_100_000);
});
