import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { TRANSACTION_LIMITS } from '../../../workers/protocol.ts';
import { functionApp } from '../../support/functions/app.ts';
import { TRANSACTIONS } from '../../support/functions/transactions.ts';
import { waitUntil } from '../../support/server.ts';

const { quire, deploy, call, sql } = await functionApp();
afterAll(() => quire.stop());

const slug = await deploy(TRANSACTIONS, { enableDatabase: true });
const run = async (name: string, input: object = {}) => (await call(slug, { run: name, ...input })).body;
const texts = async () => (await run('texts')).value;
/** Runs it again if the machine was too busy. */
async function inTime(name: string, input: object) {
  for (;;) {
    const body = await run(name, input);
    if (body.code !== 'TRANSACTION_TIMEOUT') return body;
  }
}
const INSERT = "INSERT INTO notes (text) VALUES ('s')";

beforeEach(async () => {
  await sql(slug, { sql: 'DROP TABLE IF EXISTS notes' });
  await sql(slug, { sql: 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE)' });
});

describe('a transaction', () => {
  test('has the methods of env.DB, commits when its function returns, and returns its value', async () => {
    const { value } = await run('methods');
    expect(value).toEqual({
      run: 1,
      changes: 1,
      count: [{ n: 2 }],
      meta: [
        ...['changed_db', 'changes', 'duration', 'last_row_id', 'rows_read', 'rows_written', 'served_by'],
        'size_after',
      ],
      all: [{ text: 'a' }, { text: 'b' }],
      first: 'b',
      none: null,
      raw: [
        ['id', 'text'],
        [1, 'a'],
        [2, 'b'],
      ],
      exec: 2,
      session: 4,
    });
    expect(await texts()).toEqual(['a', 'b', 'c', 'd']);
    expect(await run('unused')).toEqual({ value: 'unused' });
  });

  test('is undone when its function throws, and passes the error on', async () => {
    expect(await run('throws')).toEqual({ name: 'RangeError', error: 'not enough' });
    expect((await run('notFunction')).name).toBe('TypeError');
    expect(await texts()).toEqual([]);
  });

  test('undoes only the inner one when its error is caught, ten deep at most', async () => {
    expect(await run('nested')).toEqual({ value: 'inner' });
    expect(await texts()).toEqual(['outer', 'kept', 'after']);
    expect(await run('deep', { depth: TRANSACTION_LIMITS.depth })).toEqual({
      value: TRANSACTION_LIMITS.depth,
    });
    expect((await run('deep', { depth: TRANSACTION_LIMITS.depth + 1 })).error).toContain('10 transactions');
    expect((await run('outerWhileInner')).error).toContain('use its own tx');
    expect(await texts()).toEqual(['outer', 'kept', 'after', 'deep']);
  });

  test('refuses statements of env.DB in the same call at once, and says to use tx', async () => {
    const { value } = await run('besides');
    expect(value.pop()).toBe(1);
    expect(value.length).toBe(5);
    for (const message of value) expect(message).toContain('use tx instead of env.DB');
    expect(await texts()).toEqual(['inside']);
  });

  test('refuses its tx when it is over', async () => {
    const { value } = await run('late');
    expect(value).toEqual([expect.stringContaining('is over'), expect.stringContaining('is over'), 1]);
    expect(await texts()).toEqual(['in time', 'outside']);
  });

  test('waits for what was begun without await, and keeps nothing if that fails', async () => {
    expect(await run('forgotten')).toEqual({});
    expect(await texts()).toEqual(['forgotten']);
    expect((await run('forgottenFailure')).error).toMatch(/no such table: nowhere.* was not awaited/);
    expect((await run('forgottenInside')).error).toContain('was not awaited');
    expect(await texts()).toEqual(['forgotten']);
    expect((await run('forgottenChain')).value).toContain('is over');
    expect(await texts()).toEqual(['forgotten', 'one']);
  });

  test('is undone after 1 second without a statement, and after 5 seconds in all', async () => {
    const timeout = { error: expect.stringContaining('was undone'), code: 'TRANSACTION_TIMEOUT' };
    for (const name of ['hangs', 'lateIdle', 'slow']) expect(await run(name)).toMatchObject(timeout);
    expect((await run('afterTimeout')).value.message).toContain('(TRANSACTION_TIMEOUT)');
    expect(await texts()).toEqual([]);
    expect(await run('inTime')).toEqual({});
    expect(await texts()).toEqual(['a', 'b']);
  }, 120_000);

  test('can write a response that streams, and is undone when its reader leaves', async () => {
    const stream = (count: number) =>
      quire.request(`/api/functions/${slug}`, {
        method: 'POST',
        body: JSON.stringify({ run: 'streams', count }),
      });
    expect(await (await stream(3)).text()).toBe('row 0 row 1 row 2 kept');
    const kept = ['streamed 0', 'streamed 1', 'streamed 2'];
    expect(await texts()).toEqual(kept);
    const reader = (await stream(1_000_000)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(await texts()).toEqual(kept);
  });

  test('goes on after a statement that fails, which leaves nothing of itself', async () => {
    const statements = [
      INSERT,
      "INSERT INTO notes (text) VALUES ('t'), ('s')",
      'nonsense',
      'SELECT 1; SELECT 2',
      'BEGIN',
      'SAVEPOINT a',
      'COMMIT',
      'ROLLBACK',
      "INSERT INTO notes (text) VALUES ('u')",
    ];
    const { value } = await run('statements', { sql: statements });
    const unique = expect.stringContaining('UNIQUE');
    const syntax = expect.stringContaining('syntax error');
    const single = expect.stringContaining('only one statement');
    const refused = expect.stringContaining('batch');
    expect(value).toEqual([null, unique, syntax, single, refused, refused, refused, refused, null]);
    expect(await texts()).toEqual(['s', 'u']);
  });

  test('is undone as a whole by a statement that rolls everything back', async () => {
    for (const last of ['SELECT 1', "INSERT INTO notes (text) VALUES ('v')"]) {
      const rollsBack = INSERT.replace('INSERT', 'INSERT OR ROLLBACK');
      const { error } = await run('statements', { sql: [INSERT, rollsBack, last] });
      expect(error).toContain('Use ABORT instead of ROLLBACK');
      // The database is opened again, and a statement that comes at this moment fails.
      await waitUntil(async () => (await texts()) !== undefined);
      expect(await texts()).toEqual([]);
    }
  });

  test('checks deferred references when it commits', async () => {
    const tables = ['CREATE TABLE a (id INTEGER PRIMARY KEY)', 'CREATE TABLE b (a REFERENCES a (id))'];
    const deferred = 'CREATE TABLE b (a REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED)';
    for (const statements of [
      ['PRAGMA defer_foreign_keys = on', ...tables],
      [...tables.slice(0, 1), deferred],
    ]) {
      const { error } = await run('statements', { sql: [...statements, 'INSERT INTO b VALUES (7)'] });
      expect(error).toContain('FOREIGN KEY constraint failed');
      const all = [...statements, 'INSERT INTO b VALUES (7)', 'INSERT INTO a VALUES (7)'];
      expect((await run('statements', { sql: all })).value.filter(Boolean)).toEqual([]);
      for (const name of ['b', 'a']) await sql(slug, { sql: `DROP TABLE ${name}` });
    }
  });

  test('takes 1 MB parameters, batches to 16 MB and 10,000 statements, and has the limits of results', async () => {
    expect(await run('parameter', { length: 1024 * 1024 })).toEqual({ value: 1024 * 1024 });
    expect(await inTime('batchOf', { count: 15 })).toEqual({ value: 15 });
    expect((await inTime('batchOf', { count: 17 })).error).toContain('larger than 16 MB');
    expect(await inTime('rows', { count: 100_000 })).toEqual({ value: 100_000 });
    expect((await inTime('rows', { count: 100_001 })).error).toContain('too large');
    // Slow machines need longer than a transaction may take. Then nothing is left.
    const { value, code } = await run('many', { count: 10_000 });
    const { results } = (await sql(slug, { sql: 'SELECT count(*) AS n FROM notes' })).body;
    const isKept = value !== undefined;
    expect([value, code]).toEqual(isKept ? [10_001, undefined] : [undefined, 'TRANSACTION_TIMEOUT']);
    expect(results).toEqual([{ n: isKept ? 10_001 : 1 }]);
  }, 120_000);
});

describe('what others do', () => {
  test('waits until the transaction is over, for twenty of them', async () => {
    const holding = run('holds', { ms: 2_000 });
    await isHeld();
    const { waiting: most } = TRANSACTION_LIMITS;
    // One that waits is how the test knows that the transaction is open.
    const first = Array.from({ length: most / 2 }, () => run('texts'));
    const answers = await Promise.all([...first, ...Array.from({ length: most }, () => run('texts'))]);
    expect(await holding).toEqual({ value: 'held' });
    const refused = answers.filter(({ error }) => error !== undefined);
    expect(refused.length).toBeGreaterThanOrEqual(most / 2);
    expect(refused.length).toBeLessThan(most);
    for (const { error } of refused) expect(error).toContain('20 statements wait for a transaction');
    for (const answer of answers) if (!answer.error) expect(answer).toEqual({ value: ['held'] });
    expect(await texts()).toEqual(['held']);
  });

  test('waits at most until the transaction is undone of a function that computes for ever', async () => {
    const spinner = await deploy(TRANSACTIONS, { useDatabase: slug });
    expect((await call(spinner, { run: 'texts' })).body).toEqual({ value: [] });
    const spinning = call(spinner, { run: 'spins' });
    await isHeld();
    const { status, body } = await sql(slug, { sql: 'SELECT text FROM notes' });
    expect([status, body.results]).toEqual([200, []]);
    expect((await spinning).status).toBeGreaterThanOrEqual(500);
    expect(await texts()).toEqual([]);
    expect(await run('insert', { text: 'after' })).toEqual({ value: 1 });
  }, 60_000);

  test('includes the SQL endpoint, but no other database', async () => {
    const other = await deploy(TRANSACTIONS, { enableDatabase: true });
    await sql(other, { sql: 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)' });
    // The first call starts what runs it, which can take longer than a transaction may.
    await call(other, { run: 'insert', text: 'first' });
    const holding = run('holds', { ms: 3_000 });
    await isHeld();
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    const asked = sql(slug, { sql: 'SELECT text FROM notes' });
    await Promise.all([
      asked.then(note('same')),
      holding.then(note('held')),
      call(other, { run: 'insert', text: 'x' }).then(note('other')),
    ]);
    expect(order[0]).toBe('other');
    expect((await asked).body.results).toEqual([{ text: 'held' }]);
  });

  /** Waits until the transaction of `holds` is open, which is when other statements are not answered at once. */
  async function isHeld(): Promise<void> {
    for (;;) {
      const asked = sql(slug, { sql: 'SELECT 1' }).then(() => 'answered');
      if ((await Promise.race([asked, Bun.sleep(100).then(() => 'waits')])) === 'waits') return;
    }
  }
});

describe('the lines of a transaction', () => {
  const send = async (...lines: string[]) => (await run('lines', { lines, closes: true })).value;
  const insert = `/query?resultsFormat=NONE ${JSON.stringify({ sql: INSERT, params: [] })}\n`;

  test('can be sent by owner code, and are checked', async () => {
    const refused = 'A transaction takes statements only.';
    const texts = ['x\n', '\n', ' \n', '/export {}\n', '/lock {}\n', 'DELETE /database\n'];
    expect(await send(...texts, 'rollback\n')).toEqual([true, ...texts.map(() => refused), true]);
    for (const body of ['null', '[1]', '{"sql":5}', '{', ''])
      expect(await send(`/query ${body}\n`, 'commit\n')).toEqual([true, expect.any(String), true]);
  });

  test('keep nothing without a commit, in the middle of a line, and inside', async () => {
    expect(await send(insert)).toEqual([true, true]);
    expect(await send(insert, 'commi')).toEqual([true, true]);
    expect(await send(insert.slice(0, 20))).toEqual([true]);
    expect(await send('begin\n', 'begin\n', insert, 'commit\n', 'rollback\n', 'commit\n')).toEqual(
      Array.from({ length: 7 }, () => true),
    );
    expect(await texts()).toEqual([]);
    expect(await send(insert, 'commit\n', insert)).toEqual([true, true, true]);
    expect(await texts()).toEqual(['s']);
  });

  test('get their last response also if their sender pauses for longer than a transaction can', async () => {
    const part = 'x'.repeat(1024 * 1024);
    const lines = [insert, part, 3_000, ...Array.from({ length: 4 }, () => part)];
    const { value } = await run('lines', { lines, readsLast: true, closes: true });
    expect(value).toEqual([true, true, expect.stringContaining('waited more than 1 second')]);
    expect(await texts()).toEqual([]);
  });
});
