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
    ['lines without semicolons', "INSERT INTO t VALUES ('a')\nINSERT INTO t VALUES ('b')", 2, ['a', 'b']],
    [
      'a line that is valid alone',
      "INSERT INTO t VALUES ('a'), ('b');\nDELETE FROM t\nWHERE a = 'a'",
      2,
      ['b'],
    ],
    ['a comment over lines', "/*\nINSERT INTO t VALUES ('x');\n*/ INSERT INTO t VALUES ('a')", 1, ['a']],
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

  test.each([
    ['of a line', "INSERT INTO t VALUES ('a')\nINSERT INTO missing VALUES (1)", 'no such table: missing'],
    ['of a statement with several lines', 'INSERT INTO\n missing VALUES (1)', 'no such table: missing'],
    ['where neither can be parsed', 'INSERT INTO t\n VALUS (1)', 'near "VALUS": syntax error'],
    ['of the first line', 'nonsense\nINSERT INTO t VALUES (1)', 'near "nonsense": syntax error'],
    [
      'of a constraint',
      'INSERT INTO u VALUES (1)\nINSERT INTO u VALUES (1)',
      'UNIQUE constraint failed: u.a',
    ],
  ])('names the error %s, and leaves nothing behind', async (_, exec, error) => {
    await database.sql('DELETE FROM t');
    await database.sql('CREATE TABLE IF NOT EXISTS u (a UNIQUE)');
    const { status, body } = await database.call({ exec });
    expect([status, body.message]).toEqual([400, expect.stringContaining(`: ${error}`)]);
    expect(await values()).toEqual([]);
    expect(await database.rows('SELECT * FROM u')).toEqual([]);
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
    expect(body.message).toBe('D1_ERROR: A prepared SQL statement must contain only one statement.');
  });
});
