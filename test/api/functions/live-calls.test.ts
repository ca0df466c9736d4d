import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { administrator } from '../../support/accounts/administrator.ts';
import type { PublishedPage } from '../../support/app.ts';
import { type FunctionApp, functionApp, handler } from '../../support/functions/app.ts';
import { type CallTab, openCalls, requestCalls } from '../../support/functions/live-calls.ts';
import { enterPage } from '../../support/pages/sessions.ts';
import { waitUntil } from '../../support/server.ts';

let app: FunctionApp;
let page: PublishedPage;
beforeAll(async () => {
  app = await functionApp();
  page = await app.owner.publish({ name: 'Board' });
});
afterAll(() => app.quire.stop());

const tabs: CallTab[] = [];
afterEach(() => {
  for (const tab of tabs.splice(0)) tab.close();
});

async function open(
  calls: Parameters<typeof openCalls>[2],
  from: Parameters<typeof openCalls>[3] = {},
  on = page,
): Promise<CallTab> {
  const tab = await openCalls(app.quire, on.id, calls, from);
  tabs.push(tab);
  return tab;
}

/** A function that runs the SQL that it is sent, and answers with what it reads. */
const RUNS = handler(`const { sql = [], params = [] } = await request.json();
  const results = [];
  for (const text of [sql].flat()) {
    const { results: rows } = await env.DB.prepare(text).bind(...(text.includes('?') ? params : [])).all();
    results.push(rows.map((row) => Object.values(row)));
  }
  return Response.json(results.at(-1))`);

async function deployRuns(...script: string[]): Promise<string> {
  const slug = await app.deploy(RUNS, { enableDatabase: true, isPublic: true });
  for (const sql of script) await run(slug, sql);
  return slug;
}

async function run(slug: string, sql: string): Promise<void> {
  const { status, body } = await app.sql(slug, { sql });
  if (status !== 200) throw new Error(`${sql}: ${JSON.stringify(body)}`);
}

const follow = (slug: string, sql: string | string[]) => ({ function: slug, body: { sql } });

describe('a live call', () => {
  test('runs again when the SQL endpoint, another call, a batch or a transaction writes what it has read', async () => {
    const slug = await deployRuns('CREATE TABLE t (n)', 'CREATE TABLE other (n)');
    const writer = await app.deploy(
      handler(`const how = await request.json();
        const insert = (db, n) => db.prepare('INSERT INTO t VALUES (?)').bind(n);
        if (how === 'call') await insert(env.DB, 2).run();
        if (how === 'batch') await env.DB.batch([insert(env.DB, 3), insert(env.DB, 4)]);
        if (how === 'transaction') await env.DB.transaction(async (tx) => {
          await insert(tx, 5).run();
          await insert(tx, 6).run();
        });
        if (how === 'undone') await env.DB.transaction(async (tx) => {
          await insert(tx, 100).run();
          throw new Error('undone');
        }).catch(() => undefined);
        return Response.json('done')`),
      { useDatabase: slug },
    );
    const write = async (how: string) =>
      expect(await app.call(writer, how, app.owner)).toMatchObject({ status: 200, body: 'done' });
    const tab = await open([
      follow(slug, 'SELECT count(*), sum(n) FROM t'),
      follow(slug, 'SELECT n FROM other'),
    ]);
    await tab.untilShows([[0, null]]);
    await tab.untilShows([], '1');
    await run(slug, 'INSERT INTO t VALUES (1)');
    await tab.untilShows([[1, 1]]);
    await write('call');
    await tab.untilShows([[2, 3]]);
    await write('batch');
    await tab.untilShows([[4, 10]]);
    await write('undone');
    await write('transaction');
    await tab.untilShows([[6, 21]]);
    await run(slug, 'UPDATE t SET n = 0 WHERE n = 77');
    await run(slug, 'DELETE FROM t');
    await tab.untilShows([[0, null]]);
    expect(tab.counts.get('1')).toBe(1);
  });

  test('knows the tables behind views, joins, triggers, cascades, REPLACE and virtual tables', async () => {
    const slug = await deployRuns(
      'CREATE TABLE people (id INTEGER PRIMARY KEY, name)',
      'CREATE TABLE votes (id INTEGER PRIMARY KEY, person REFERENCES people ON DELETE CASCADE)',
      'CREATE VIEW totals AS SELECT name, count(v.id) AS n FROM people p LEFT JOIN votes v ON v.person = p.id GROUP BY p.id',
      'CREATE TABLE log (text)',
      "CREATE TRIGGER noted AFTER INSERT ON votes BEGIN INSERT INTO log VALUES ('vote'); END",
      'CREATE VIRTUAL TABLE words USING fts5(text)',
      "INSERT INTO people VALUES (1, 'Ada')",
    );
    const tab = await open([
      follow(slug, 'SELECT name, n FROM totals'),
      follow(slug, 'WITH w AS (SELECT * FROM log) SELECT count(*) FROM w'),
      follow(slug, 'SELECT count(*) FROM votes'),
      follow(slug, "SELECT text FROM words WHERE words MATCH 'soup'"),
    ]);
    await tab.untilShows([['Ada', 0]]);
    await tab.untilShows([], '3');
    await run(slug, 'INSERT INTO votes VALUES (1, 1)');
    await tab.untilShows([['Ada', 1]]);
    await tab.untilShows([[1]], '1');
    await tab.untilShows([[1]], '2');
    await run(slug, "REPLACE INTO people VALUES (1, 'Bob')");
    await tab.untilShows([['Bob', 0]]);
    await tab.untilShows([[0]], '2');
    await run(slug, "INSERT INTO words VALUES ('Tomato soup')");
    await tab.untilShows([['Tomato soup']], '3');
    await run(slug, 'ALTER TABLE people RENAME COLUMN name TO label');
    await run(slug, 'DROP VIEW totals');
    await run(slug, "CREATE VIEW totals AS SELECT 'nobody' AS name, 7 AS n");
    await tab.untilShows([['nobody', 7]]);
  });

  test('runs again after an import, a migration and a restore', async () => {
    const slug = await deployRuns('CREATE TABLE t (n)', 'INSERT INTO t VALUES (1)');
    const tab = await open([follow(slug, 'SELECT sum(n) FROM t')]);
    await tab.untilShows([[1]]);
    const imported = await app.quire.request(`/api/functions/${slug}/database/import`, {
      method: 'POST',
      headers: { 'content-type': 'application/sql', authorization: `Bearer ${app.owner.token}` },
      body: 'INSERT INTO t VALUES (10);',
    });
    expect(imported.status).toBe(200);
    await tab.untilShows([[11]]);
    const files = { 'index.js': RUNS, 'migrations/0001_more.sql': 'INSERT INTO t VALUES (100);' };
    const changed = await app.owner.call('PATCH', `/api/functions/${slug}`, { body: { files } });
    expect(changed.status).toBe(200);
    await tab.untilShows([[111]]);
    const board = await app.owner.publish({ name: 'History', functions: [slug] });
    const kept = await app.owner.call('POST', `/api/pages/${board.id}/moments`, { body: { name: 'Now' } });
    await run(slug, 'INSERT INTO t VALUES (1000)');
    await tab.untilShows([[1111]]);
    const restore = async (at: string) => {
      const { status, body } = await app.owner.call('POST', `/api/pages/${board.id}/restore`, {
        body: { at },
      });
      expect([status, body.changes.databases]).toEqual([200, [slug]]);
      return body.undo as string;
    };
    const undo = await restore(kept.body.at);
    await tab.untilShows([[111]]);
    await restore(undo);
    await tab.untilShows([[1111]]);
  });

  test('is one run for equal calls, and each change is at most one more', async () => {
    const slug = await deployRuns('CREATE TABLE t (n)');
    const countCalls = async () =>
      (await app.owner.call('GET', `/api/functions/${slug}/stats`)).body.totals.calls as number;
    const before = await countCalls();
    const many = await Promise.all(
      Array.from({ length: 30 }, () => open([follow(slug, 'SELECT count(*) FROM t')])),
    );
    for (const tab of many) await tab.untilShows([[0]]);
    await run(slug, 'INSERT INTO t VALUES (1)');
    for (const tab of many) await tab.untilShows([[1]]);
    expect((await countCalls()) - before).toBe(2);
    for (const tab of many) expect(tab.counts.get('0')).toBe(2);
  });

  test('that answers differently each time runs only when the data changes, and slow ones hold up nobody', async () => {
    const slug = await deployRuns('CREATE TABLE t (n)');
    const slow = (n: number) =>
      `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3000000) SELECT max(x) + ${n} + (SELECT count(*) FROM t) FROM c`;
    const other = await deployRuns('CREATE TABLE t (n)');
    const random = await open([follow(slug, 'SELECT random(), count(*) FROM t')]);
    await random.until(({ counts }) => counts.get('0') === 1);
    const busy = await open([1, 2, 3].map((n) => follow(slug, slow(n))));
    await run(slug, 'INSERT INTO t VALUES (1)');
    await random.until(({ results }) => (results.get('0') as number[][])[0]?.[1] === 1);
    const quick = await open([follow(other, 'SELECT count(*) FROM t')]);
    await quick.untilShows([[0]]);
    await run(other, 'INSERT INTO t VALUES (1)');
    await quick.untilShows([[1]]);
    await busy.until(({ results }) => results.size === 3);
    expect(random.counts.get('0')).toBe(2);
  });

  test('that takes ten seconds shows what was written meanwhile, and holds up no other reader', async () => {
    const slug = await deployRuns('CREATE TABLE t (n)');
    let asked = 0;
    const released = Promise.withResolvers<void>();
    const slowService = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      async fetch() {
        asked++;
        await Promise.all([Bun.sleep(10_000), released.promise]);
        return new Response('now');
      },
    });
    const slow = await app.deploy(
      handler(`const n = await env.DB.prepare('SELECT count(*) AS n FROM t').first('n');
        await fetch('http://127.0.0.1:${slowService.port}/');
        return Response.json(n)`),
      { useDatabase: slug, isPublic: true },
    );
    try {
      const waiting = await open([{ function: slow }]);
      await waitUntil(async () => asked === 1);
      const quick = await open([follow(slug, 'SELECT count(*) FROM t')], { peer: '10.11.0.1' });
      await quick.untilShows([[0]]);
      await run(slug, 'INSERT INTO t VALUES (1)');
      await quick.untilShows([[1]]);
      expect([waiting.results.size, asked]).toEqual([0, 1]);
      released.resolve();
      await waiting.untilShows(1);
      expect([waiting.counts.get('0'), asked]).toEqual([2, 2]);
    } finally {
      released.resolve();
      slowService.stop(true);
    }
  }, 120_000);

  test('is not sent again to a tab that has it', async () => {
    const slug = await deployRuns('CREATE TABLE t (n)');
    const asked = follow(slug, 'SELECT count(*) FROM t');
    const first = await open([asked]);
    await first.untilShows([[0]]);
    const [{ hash } = { hash: '' }] = (await first.reading.until(1)).map(
      ({ data }) => data as { hash: string },
    );
    const second = await open([{ ...asked, known: hash }]);
    await run(slug, 'INSERT INTO t VALUES (1)');
    await second.untilShows([[1]]);
    expect(second.counts.get('0')).toBe(1);
  });

  test('does not run for ever because it writes, nor do two that write what the other reads', async () => {
    const writes = (from: string, to: string) => [
      `INSERT INTO ${to} SELECT count(*) FROM ${from}`,
      `SELECT count(*) > 0 FROM ${from}`,
    ];
    const slug = await deployRuns('CREATE TABLE a (n)', 'CREATE TABLE b (n)', 'CREATE TABLE own (n)');
    const alone = await open([follow(slug, ['INSERT INTO own VALUES (1)', 'SELECT count(*) FROM own'])]);
    await alone.untilShows([[1]]);
    await run(slug, 'INSERT INTO own VALUES (1)');
    await alone.untilShows([[3]]);
    await open([follow(slug, writes('a', 'b')), follow(slug, writes('b', 'a'))]);
    const stopped = async () => {
      const { body } = await app.owner.call('GET', `/api/functions/${slug}/logs`);
      return JSON.stringify(body).includes('caused each other 8 times');
    };
    while (!(await stopped())) await Bun.sleep(50);
    const count = async (table: string) =>
      (await app.sql(slug, { sql: `SELECT count(*) AS n FROM ${table}` })).body.results[0].n as number;
    expect((await count('a')) + (await count('b'))).toBeLessThanOrEqual(2 * 10);
  });

  test('gives what the function answers, also its failures, and ends for what is not JSON', async () => {
    const slug = await app.deploy(
      handler(`const { what } = await request.json();
        if (what === 'throws') throw new Error('no');
        if (what === 'refuses') return Response.json({ error: 'not now' }, { status: 400 });
        if (what === 'text') return new Response('hello');
        if (what === 'large') return Response.json('x'.repeat(300000));
        return Response.json({ ok: true })`),
    );
    const tab = await open(
      ['throws', 'refuses', 'text', 'large', 'fine'].map((what) => ({ function: slug, body: { what } })),
    );
    await tab.until(({ results, refused }) => results.size + refused.size === 5);
    expect(Object.fromEntries(tab.results)).toEqual({
      0: { success: false, error: 'The function threw an exception' },
      1: { error: 'not now' },
      4: { ok: true },
    });
    expect(tab.refused.get('2')).toMatchObject({ status: 409, error: expect.stringContaining('JSON') });
    expect(tab.refused.get('3')).toMatchObject({ status: 409, error: expect.stringContaining('256 KB') });
  });

  test('follows what the function becomes, and ends when it is private or deleted', async () => {
    const slug = await app.deploy(handler(`return Response.json('old')`));
    const other = await app.deploy(handler(`return Response.json('other')`));
    const tab = await open([{ function: slug }, { function: other }, { function: 'no-such-function' }]);
    await tab.untilShows('old');
    await tab.untilShows('other', '1');
    expect(tab.refused.get('2')).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    const code = handler(`return Response.json('new')`);
    await app.owner.call('PATCH', `/api/functions/${slug}`, { body: { code } });
    await tab.untilShows('new');
    await app.owner.call('PATCH', `/api/functions/${slug}`, { body: { isPublic: false } });
    await app.owner.call('DELETE', `/api/functions/${other}`);
    await tab.until(({ refused }) => refused.size === 3);
    expect(tab.refused.get('0')).toMatchObject({ status: 404 });
    expect(tab.refused.get('1')).toMatchObject({ status: 404 });
  });
});

describe('the reader of a live call', () => {
  const WHO = handler(`return Response.json(Object.fromEntries(
    [...request.headers].filter(([name]) => /quire|forwarded|agent|language/.test(name))))`);
  const toHost = ({ id }: { id: number }) => `http://p${id}.pages.localhost:3000`;

  test('is known to the function as in other calls, without address and browser', async () => {
    const slug = await app.deploy(WHO);
    const origin = toHost(page);
    const from = async (user?: typeof app.stranger) => ({
      host: origin,
      headers: {
        origin,
        'sec-fetch-site': 'same-origin',
        'user-agent': 'Somebody',
        ...(user && { cookie: await enterPage(app.quire, page, await user.login()) }),
      },
    });
    const guest = await open([{ function: slug }], await from());
    const hers = await open([{ function: slug }], await from(app.stranger));
    const program = await open([{ function: slug }], {
      headers: { authorization: `Bearer ${app.stranger.token}`, 'x-quire-user-id': '1' },
    });
    for (const tab of [guest, hers, program]) await tab.until(({ results }) => results.size === 1);
    const nobody = { 'x-forwarded-for': '127.0.0.1', 'user-agent': 'Quire' };
    const pageId = { 'x-quire-page-id': String(page.id) };
    expect(program.results.get('0')).toEqual(nobody);
    expect(guest.results.get('0')).toEqual({ ...nobody, ...pageId });
    expect(hers.results.get('0')).toEqual({
      ...{ ...nobody, ...pageId },
      'x-quire-user-id': String(app.stranger.id),
      'x-quire-user-name': app.stranger.username,
    });
  });

  test('gets nothing more when they can no longer see the page, and others do', async () => {
    const own = await app.owner.publish({ name: 'Open for now' });
    const slug = await deployRuns('CREATE TABLE t (n)');
    const asked = [follow(slug, 'SELECT count(*) FROM t')];
    const tab = await open(asked, {}, own);
    const other = await open(asked);
    for (const each of [tab, other]) await each.untilShows([[0]]);
    const closed = await app.owner.call('PATCH', `/api/pages/${own.id}`, { body: { is_published: false } });
    expect(closed.status).toBe(200);
    await endsWithoutMore(tab, slug);
    await other.untilShows([[1]]);
    const again = await requestCalls(app.quire, own.id, asked);
    expect([401, 403, 404]).toContain(again.status);
  });

  test('gets nothing more when they log out, and guests do', async () => {
    const slug = await deployRuns('CREATE TABLE t (n)');
    const asked = [follow(slug, 'SELECT count(*) FROM t')];
    const origin = toHost(page);
    const login = await app.stranger.login();
    const cookie = await enterPage(app.quire, page, login);
    const headers = { origin, 'sec-fetch-site': 'same-origin', cookie };
    const hers = await open(asked, { host: origin, headers });
    const guest = await open(asked);
    for (const tab of [hers, guest]) await tab.untilShows([[0]]);
    expect((await app.quire.call('POST', '/api/auth/logout', { cookie: login })).status).toBe(200);
    await endsWithoutMore(hers, slug);
    await guest.untilShows([[1]]);
  });

  test('gets nothing more when the page is taken down, or only the function', async () => {
    const boss = await administrator(app.quire, 'boss');
    const bad = await app.owner.publish({ name: 'Bad' });
    const [slug, worse] = [await deployRuns('CREATE TABLE t (n)'), await deployRuns('CREATE TABLE t (n)')];
    const tab = await open([follow(slug, 'SELECT count(*) FROM t')], {}, bad);
    const both = await open([slug, worse].map((each) => follow(each, 'SELECT count(*) FROM t')));
    await tab.untilShows([[0]]);
    for (const id of ['0', '1']) await both.untilShows([[0]], id);
    const takeDown = async (path: string) =>
      expect((await boss.admin('POST', `/api/admin/${path}/take-down`, { reason: 'Spam' })).status).toBe(200);
    await takeDown(`pages/${bad.id}`);
    await takeDown(`functions/${worse}`);
    await both.until(({ refused }) => refused.size === 1);
    expect(both.refused.get('1')).toMatchObject({ status: 404 });
    await endsWithoutMore(tab, slug);
    await both.untilShows([[1]]);
  });

  /** Writes once more, and waits until the stream of a tab that has seen one result has ended. */
  async function endsWithoutMore(tab: CallTab, slug: string): Promise<void> {
    await run(slug, 'INSERT INTO t VALUES (1)');
    await tab.reading.ended;
    expect(tab.reading.events.filter(({ name }) => name === 'message')).toHaveLength(1);
  }
});
