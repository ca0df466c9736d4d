import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, testApp } from '../../support/app.ts';
import { deployDatabase, type FunctionDatabase } from '../../support/functions/database.ts';
import { TRANSACTIONS } from '../../support/functions/transactions.ts';

const QUOTA = 300_000;
const PAGE = 4096;
const FULL = /^This would exceed the quota of stored bytes/;
const refused = { status: 403, body: { code: 'QUOTA_EXCEEDED', error: expect.stringMatching(FULL) } };

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp({ QUIRE_QUOTA_BYTES: String(QUOTA), QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' });
});
afterAll(() => quire.stop());

/** Adds rows of one page each until no more fit. Returns how many did. */
async function fill({ sql }: FunctionDatabase): Promise<number> {
  for (let count = 0; ; count++) {
    const { status, body } = await sql('INSERT INTO t (v) VALUES (zeroblob(3600))');
    if (status === 200) continue;
    expect({ status, body }).toMatchObject(refused);
    return count;
  }
}

describe('a database at the storage quota', () => {
  test('accepts writes up to it and refuses them above it in every way, while reads and deletes work', async () => {
    const user = await quire.user();
    const database = await deployDatabase(quire, user, 'full');
    await database.sql('CREATE TABLE t (v)');
    const count = await fill(database);
    // All of it was used, except less than a row and the size of the code.
    expect(count * PAGE).toBeGreaterThan(QUOTA - 5 * PAGE - 2_000);
    expect(count * PAGE).toBeLessThanOrEqual(QUOTA);

    const insert = 'INSERT INTO t (v) VALUES (zeroblob(9000))';
    expect(await database.import(`${insert};`)).toMatchObject(refused);
    for (const body of [{ sql: insert }, { batch: ['SELECT 1', insert] }, { exec: insert }]) {
      const { status, body: answer } = await database.call(body);
      expect([status, answer.message]).toEqual([400, expect.stringMatching(/D1_.*would exceed the quota/)]);
    }
    expect(await database.rows('SELECT count(*) AS n FROM t')).toEqual([{ n: count }]);
    expect((await database.call({ sql: 'SELECT count(*) AS n FROM t' })).body.results).toEqual([
      { n: count },
    ]);

    expect((await database.sql('DELETE FROM t WHERE rowid <= 3')).status).toBe(200);
    expect((await database.sql(insert)).status).toBe(200);
    expect(await database.sql('CREATE TABLE u AS SELECT v FROM t')).toMatchObject(refused);
    expect(await database.rows("SELECT name FROM sqlite_master WHERE name = 'u'")).toEqual([]);
  });

  test('accepts what fits inside a transaction, and refuses the rest', async () => {
    const user = await quire.user();
    const body = { slug: 'in-transaction', code: TRANSACTIONS, enableDatabase: true };
    expect((await user.call('POST', '/api/functions', { body })).status).toBe(201);
    const path = '/api/functions/in-transaction';
    const run = async (sql: string[]) =>
      (await quire.call('POST', path, { body: { run: 'statements', sql } })).body.value as Array<
        string | null
      >;
    const insert = 'INSERT INTO t (v) VALUES (zeroblob(3600))';
    const errors = await run(['CREATE TABLE t (v)', ...Array.from({ length: 100 }, () => insert)]);
    const count = errors.filter((error) => error === null).length - 1;
    expect(count * PAGE).toBeGreaterThan(QUOTA - 5 * PAGE - TRANSACTIONS.length);
    expect(count * PAGE).toBeLessThanOrEqual(QUOTA);
    for (const error of errors.slice(count + 1)) expect(error).toMatch(/would exceed the quota/);
    const rows = { sql: 'SELECT count(*) AS n FROM t' };
    expect((await user.call('POST', `${path}/database`, { body: rows })).body.results).toEqual([
      { n: count },
    ]);
    // What a transaction that is undone has used can be used again.
    expect(await run(['DELETE FROM t WHERE rowid <= 3', insert, insert])).toEqual([null, null, null]);
  });

  test('shares the quota with pages, functions and other databases of the owner', async () => {
    const user = await quire.user();
    const first = await deployDatabase(quire, user, 'first');
    const second = await deployDatabase(quire, user, 'second');
    await first.sql('CREATE TABLE t (v)');
    await second.sql('CREATE TABLE t (v)');
    await fill(first);
    expect(await fill(second)).toBeLessThan(3);

    const page = { name: 'A page', html_content: `<p>${'x'.repeat(20_000)}` };
    const publish = () => user.call('POST', '/api/pages', { body: page });
    expect(await publish()).toMatchObject({ status: 403, body: { code: 'QUOTA_EXCEEDED' } });

    expect((await user.call('DELETE', '/api/functions/first')).status).toBe(204);
    expect((await publish()).status).toBe(201);
    expect((await second.sql('INSERT INTO t (v) VALUES (zeroblob(20000))')).status).toBe(200);
  });

  test('takes nothing from someone else', async () => {
    const database = await deployDatabase(quire, await quire.user(), 'other');
    await database.sql('CREATE TABLE t (v)');
    expect(await fill(database)).toBeGreaterThan(50);
  });
});
