import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, testApp } from '../../support/app.ts';
import { deployDatabase, type FunctionDatabase } from '../../support/functions/database.ts';

let quire: TestApp;
let database: FunctionDatabase;
beforeAll(async () => {
  quire = await testApp({ QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' });
  database = await deployDatabase(quire, await quire.user(), 'scripts');
  await database.sql('CREATE TABLE t (a)');
});
afterAll(() => quire.stop());

const values = async () => (await database.rows('SELECT a FROM t ORDER BY rowid')).map(({ a }) => a);

describe('env.DB.exec', () => {
  test.each([
    ['a statement on each line', "INSERT INTO t VALUES ('a');\nINSERT INTO t VALUES ('b');", 2, ['a', 'b']],
    ['several on one line', "INSERT INTO t VALUES ('a'); INSERT INTO t VALUES ('b')", 2, ['a', 'b']],
    ['one over several lines', "INSERT INTO t\n  VALUES ('a'),\n    ('b')\n;", 1, ['a', 'b']],
    ['lines without a statement', "\n\n-- first\nINSERT INTO t VALUES ('a');\n\n", 1, ['a']],
    ['a string of two lines', "INSERT INTO t VALUES ('a\n;b')", 1, ['a\n;b']],
    [
      'a trigger',
      "CREATE TRIGGER r AFTER INSERT ON t WHEN new.a = 'a' BEGIN\n INSERT INTO t VALUES ('r');\n END;\nINSERT INTO t VALUES ('a');\nDROP TRIGGER r",
      3,
      ['a', 'r'],
    ],
  ])('accepts %s', async (_, exec, count, expected) => {
    await database.sql('DELETE FROM t');
    expect((await database.call({ exec })).body).toEqual({ count, duration: expect.any(Number) });
    expect(await values()).toEqual(expected);
  });

  test('runs nothing of a script with an error, and says which', async () => {
    await database.sql('DELETE FROM t');
    const { status, body } = await database.call({ exec: "INSERT INTO t VALUES ('a');\nnonsense;" });
    expect([status, body.message]).toEqual([
      400,
      expect.stringMatching(/^D1_EXEC_ERROR: .*near "nonsense"/s),
    ]);
    expect(await values()).toEqual([]);
  });

  test.each(['', ' \n ', '-- nothing'])('refuses %j', async (exec) => {
    const { body } = await database.call({ exec });
    expect(body.message).toMatch(/^D1_EXEC_ERROR: .*No SQL statements detected\.$/s);
  });
});

describe('env.DB.batch', () => {
  test('refuses an empty list like D1', async () => {
    const { status, body } = await database.call({ batch: [] });
    expect([status, body]).toEqual([400, { message: 'D1_ERROR: No SQL statements detected.' }]);
  });

  test('accepts one statement per entry', async () => {
    const { body } = await database.call({ batch: ['SELECT 1; SELECT 2'] });
    expect(body.message).toContain('Only one statement at a time is allowed');
  });
});
