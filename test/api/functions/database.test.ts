import { afterAll, describe, expect, test } from 'bun:test';
import { CELL_PATHS, DATABASE_PATHS } from '../../../workers/protocol.ts';
import { ECHO, functionApp, handler } from '../../support/functions/app.ts';

const { quire, owner, stranger, deploy, call, sql } = await functionApp();
afterAll(() => quire.stop());

describe('a database', () => {
  test('is bound as env.DB, and the SQL endpoint sees the same rows', async () => {
    const slug = await deploy(
      handler(`await env.DB.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT)");
        const made = await env.DB.prepare("INSERT INTO notes (text) VALUES (?)").bind("hello").run();
        const all = await env.DB.prepare("SELECT * FROM notes").all();
        const first = await env.DB.prepare("SELECT count(*) AS n FROM notes").first("n");
        return Response.json({ id: made.meta.last_row_id, all: all.results, first })`),
      { enableDatabase: true },
    );
    expect((await call(slug)).body).toEqual({ id: 1, all: [{ id: 1, text: 'hello' }], first: 1 });
    const rows = await sql(slug, { sql: 'SELECT text FROM notes WHERE id = ?', params: [1] });
    expect(rows.body).toEqual({
      success: true,
      results: [{ text: 'hello' }],
      meta: { changes: 0, duration: expect.any(Number), last_row_id: 1, rows_read: 1, rows_written: 0 },
    });
    const written = await sql(slug, { sql: "INSERT INTO notes (text) VALUES ('a'), ('b')" });
    expect(written.body.meta).toMatchObject({ changes: 2, last_row_id: 3, rows_written: 2 });
    expect((await call(slug)).body.all.length).toBe(4);
  });

  test('counts what each statement changed, also after reads, failures and scripts', async () => {
    const slug = await deploy(
      handler(`const texts = await request.json();
        try {
          const results = await env.DB.batch(texts.map((text) => env.DB.prepare(text)));
          return Response.json(results.map(({ meta }) => [meta.changes, meta.last_row_id, meta.changed_db]));
        } catch { return Response.json('failed') }`),
      { enableDatabase: true },
    );
    const counts = async (...texts: string[]) => (await call(slug, texts)).body;
    const insert = 'INSERT INTO t (b) VALUES (1)';
    const read = 'SELECT b FROM t';
    expect(await counts('CREATE TABLE t (a INTEGER PRIMARY KEY, b)', insert)).toEqual([
      [0, 0, true],
      [1, 1, true],
    ]);
    expect(await counts(read)).toEqual([[0, 1, false]]);
    expect(await counts(insert, 'INSERT INTO nowhere VALUES (1)')).toEqual('failed');
    expect(await counts(read, insert, read, 'UPDATE t SET b = 2')).toEqual([
      [0, 2, false],
      [1, 2, true],
      [0, 2, false],
      [2, 2, true],
    ]);
    const script = `INSERT INTO t (b) VALUES (3);\nINSERT INTO t (b) VALUES (4)`;
    const headers = { 'content-type': 'application/sql', authorization: `Bearer ${owner.token}` };
    const path = `/api/functions/${slug}/database/import`;
    expect((await quire.request(path, { method: 'POST', headers, body: script })).status).toBe(200);
    expect(await counts('DELETE FROM t', read)).toEqual([
      [4, 4, true],
      [0, 4, false],
    ]);
  });

  test('says how large it is after each statement', async () => {
    const slug = await deploy(
      handler(`const sizes = [];
        for (const text of ['CREATE TABLE t (a)', 'INSERT INTO t VALUES (zeroblob(100000))', 'SELECT 1', 'DROP TABLE t', 'SELECT 1'])
          sizes.push((await env.DB.prepare(text).run()).meta.size_after);
        return Response.json(sizes)`),
      { enableDatabase: true },
    );
    const [empty, full, read, dropped, last] = (await call(slug)).body;
    expect(full - empty).toBeGreaterThan(90_000);
    expect([read, last]).toEqual([full, dropped]);
    expect(dropped).toBeLessThan(full);
  });

  test('says where a statement ran, and that dropping something changes the database', async () => {
    const slug = await deploy(
      handler(`const metas = [];
        for (const text of ['CREATE TABLE t (a)', 'CREATE INDEX i ON t (a)', 'DROP INDEX i', 'DROP TABLE t', 'DROP TABLE IF EXISTS t'])
          metas.push((await env.DB.prepare(text).run()).meta);
        return Response.json(metas.map(({ served_by, changed_db }) => [served_by, changed_db]))`),
      { enableDatabase: true },
    );
    const made = [true, true, true, true, false].map((hasChanged) => ['quire', hasChanged]);
    expect((await call(slug)).body).toEqual(made);
  });

  test('gives a session its bookmarks', async () => {
    const slug = await deploy(
      handler(`const session = env.DB.withSession('first-primary');
        const before = session.getBookmark();
        await session.prepare('SELECT 1').all();
        return Response.json([before, session.getBookmark()])`),
      { enableDatabase: true },
    );
    expect((await call(slug)).body).toEqual([null, expect.stringMatching(/^\d+$/)]);
  });

  test('can be shared, outlives the function that created it, and is deleted with the last one', async () => {
    const first = await deploy(ECHO, { enableDatabase: true });
    await sql(first, { sql: 'CREATE TABLE t (a)' });
    const second = await deploy(ECHO, { useDatabase: first });
    await sql(second, { sql: 'INSERT INTO t VALUES (1)' });
    expect((await owner.call('DELETE', `/api/functions/${first}`)).status).toBe(204);
    expect((await sql(second, { sql: 'SELECT a FROM t' })).body.results).toEqual([{ a: 1 }]);
    expect((await owner.call('DELETE', `/api/functions/${second}`)).status).toBe(204);
    expect((await sql(second, { sql: 'SELECT 1' })).status).toBe(404);
    const other = await stranger.call('POST', '/api/functions', {
      body: { slug: 'thief', code: ECHO, useDatabase: await deploy(ECHO, { enableDatabase: true }) },
    });
    expect(other.status).toBe(400);
  });

  test('shows only its owner which functions use it', async () => {
    const first = await deploy(ECHO, { enableDatabase: true });
    const users = (slug: string) => owner.call('GET', `/api/functions/${slug}/database`);
    expect((await users(first)).body).toEqual({ usedBy: [first], belongsTo: first });
    const second = await deploy(ECHO, { useDatabase: first });
    expect((await users(first)).body).toEqual({ usedBy: [first, second].sort(), belongsTo: first });
    expect((await users(second)).body).toEqual({ usedBy: [first, second].sort(), belongsTo: first });
    await owner.call('DELETE', `/api/functions/${first}`);
    expect((await users(second)).body).toEqual({ usedBy: [second], belongsTo: second });
    expect((await stranger.call('GET', `/api/functions/${second}/database`)).status).toBe(403);
    expect((await quire.call('GET', `/api/functions/${second}/database`)).status).toBe(401);
    expect((await users(await deploy(ECHO))).body.code).toBe('BAD_REQUEST');
  });

  test('offers functions the D1 protocol, and none of the routes for the server', async () => {
    const slug = await deploy(
      handler(`const { method, path, headers, body } = await request.json();
        const answer = await env.DB.fetcher.fetch("http://d1" + path, { method, headers, body });
        return Response.json({ status: answer.status, text: await answer.text() })`),
      { enableDatabase: true },
    );
    const other = await deploy(ECHO, { enableDatabase: true });
    await sql(slug, { sql: 'CREATE TABLE mine (a)' });
    await sql(other, { sql: 'CREATE TABLE theirs (a)' });
    const ask = async (method: string, path: string, headers = {}) => {
      const body = method === 'POST' ? '{"sql":"SELECT name FROM sqlite_master"}' : undefined;
      return (await call(slug, { method, path, headers, body })).body;
    };
    for (const path of Object.values(DATABASE_PATHS).filter((known) => !CELL_PATHS.includes(known)))
      expect({ path, ...(await ask('POST', path)) }).toEqual({ path, status: 403, text: '' });
    expect((await ask('DELETE', '/database')).status).toBe(403);
    expect((await ask('DELETE', '/query')).status).toBe(403);
    const forged = Array.from({ length: 20 }, (_, id) => ({ 'x-quire-database': `database-${id}` }));
    for (const headers of [{}, { 'x-quire-key': 'mine' }, ...forged]) {
      const { status, text } = await ask('POST', '/query', headers);
      expect({ status, rows: JSON.parse(text).results.rows }).toEqual({ status: 200, rows: [['mine']] });
    }
  });

  test('is required for the SQL endpoint', async () => {
    const answer = await sql(await deploy(ECHO), { sql: 'SELECT 1' });
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
  });

  test('accepts a single statement, parsed by the rules of SQL', async () => {
    const slug = await deploy(ECHO, { enableDatabase: true });
    const fine = [
      'CREATE TABLE t (a TEXT, b INTEGER)',
      "INSERT INTO t VALUES ('x; y', 1);",
      'SELECT 1 -- a comment; with a semicolon\n',
      'SELECT /* ; */ ";" AS "a;b"',
      "CREATE TRIGGER trg AFTER INSERT ON t BEGIN UPDATE t SET b = CASE WHEN b > 1 THEN 1 ELSE 2 END; DELETE FROM t WHERE a = 'no;'; END",
      'SELECT 1;  -- end\n',
    ];
    for (const text of fine) expect([text, (await sql(slug, { sql: text })).status]).toEqual([text, 200]);
    for (const text of [
      'SELECT 1; DROP TABLE t',
      'SELECT 1;;SELECT 2',
      "SELECT ''; SELECT 1",
      'SELECT 1; garbage',
    ]) {
      const answer = await sql(slug, { sql: text });
      expect([text, answer.status, answer.body.code]).toEqual([text, 400, 'INVALID_SQL']);
    }
    expect((await sql(slug, { sql: 'SELECT count(*) AS n FROM t' })).status).toBe(200);
  });

  test.each([
    'ATTACH DATABASE "/etc/passwd" AS x',
    "VACUUM INTO '/tmp/x'",
    'PRAGMA writable_schema = 1',
    "SELECT load_extension('x')",
    'SELECT * FROM missing',
    'nonsense',
    'BEGIN',
    'SELECT randomblob(1000000000)',
    "SELECT readfile('/etc/passwd')",
  ])('refuses %s', async (text) => {
    const slug = await deploy(ECHO, { enableDatabase: true });
    const answer = await sql(slug, { sql: text });
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_SQL']);
    expect(answer.body.error.length).toBeGreaterThan(3);
  });

  test('accepts parameters of every type, and refuses too few, too many and other types', async () => {
    const slug = await deploy(ECHO, { enableDatabase: true });
    const types = await sql(slug, {
      sql: 'SELECT typeof(?) a, typeof(?) b, typeof(?) c, typeof(?) d, typeof(?) e',
      params: ['x', 1.5, null, true, [1, 2]],
    });
    expect(types.body.results[0]).toEqual({
      a: 'text',
      b: 'real',
      c: 'null',
      d: 'integer',
      e: 'blob',
    });
    const values = await sql(slug, { sql: 'SELECT ? a, ? b', params: [true, false] });
    expect(values.body.results).toEqual([{ a: 1, b: 0 }]);
    for (const params of [[], [1, 2], [{ a: 1 }]]) {
      expect((await sql(slug, { sql: 'SELECT ?', params })).body.code).toBe('INVALID_SQL');
    }
    expect(
      (await sql(slug, { sql: 'SELECT ?2 AS b, ?1 AS a', params: ['one', 'two'] })).body.results,
    ).toEqual([{ b: 'two', a: 'one' }]);
  });

  test('accepts a statement of 100 KiB and refuses a byte more, and refuses a result that is too large', async () => {
    const slug = await deploy(ECHO, { enableDatabase: true });
    const sized = (bytes: number) => 'SELECT 1 --'.padEnd(bytes, 'x');
    expect((await sql(slug, { sql: sized(100 * 1024) })).status).toBe(200);
    expect((await sql(slug, { sql: sized(100 * 1024 + 1) })).status).toBe(413);
    const million =
      'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000000) SELECT x FROM n';
    const answer = await sql(slug, { sql: million });
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_SQL']);
    expect(answer.body.error).toContain('LIMIT');
  });

  test.each([
    ['the column names', 50, `x AS "${'n'.repeat(90_000)}"`, 500],
    ['characters that JSON escapes', 2, "replace(hex(zeroblob(1000000)), '0', char(1))", 4],
  ])('counts %s as part of a result', async (_, fits, column, tooMany) => {
    const slug = await deploy(ECHO, { enableDatabase: true });
    const rows = (count: number) =>
      `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ${count}) SELECT ${column} FROM n`;
    expect((await sql(slug, { sql: rows(fits) })).status).toBe(200);
    const answer = await sql(slug, { sql: rows(tooMany) });
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_SQL']);
    expect(answer.body.error).toContain('too large');
  });

  test('implements D1 as documented', async () => {
    const slug = await deploy(
      handler(`const db = env.DB; await db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)");
        const run = await db.prepare("INSERT INTO t (a) VALUES (?) RETURNING id").bind(5).run();
        const raw = await db.prepare("SELECT id, a FROM t").raw({ columnNames: true });
        const numbered = await db.prepare("SELECT ?2 AS b, ?1 AS a").bind("one", 2).first();
        const session = db.withSession(); await session.prepare("SELECT 1").run();
        const missing = await db.prepare("SELECT * FROM absent").all().catch((error) => error.message);
        return Response.json({ run: run.results, raw, numbered, none: await db.prepare("SELECT 1 WHERE 0").first(),
          bookmark: typeof session.getBookmark(), missing, half: await db.prepare("SELECT ? / 2 AS half").bind(5).first("half") })`),
      { enableDatabase: true },
    );
    expect((await call(slug)).body).toEqual({
      run: [{ id: 1 }],
      raw: [
        ['id', 'a'],
        [1, '5'],
      ],
      numbered: { b: 2, a: 'one' },
      none: null,
      bookmark: 'string',
      missing: expect.stringContaining('no such table: absent'),
      half: 2,
    });
  });

  test('rolls back a whole batch', async () => {
    const slug = await deploy(
      handler(`await env.DB.exec("CREATE TABLE t (a)");
        let failed = false;
        try { await env.DB.batch([env.DB.prepare("INSERT INTO t VALUES (1)"), env.DB.prepare("INSERT INTO missing VALUES (1)")]); }
        catch { failed = true; }
        const fine = await env.DB.batch([env.DB.prepare("INSERT INTO t VALUES (2)"), env.DB.prepare("SELECT * FROM t")]);
        return Response.json({ failed, rows: fine[1].results })`),
      { enableDatabase: true },
    );
    expect((await call(slug)).body).toEqual({ failed: true, rows: [{ a: 2 }] });
  });

  test('loses no row of fifty parallel writers', async () => {
    const slug = await deploy(
      handler('return Response.json(await env.DB.prepare("INSERT INTO t (a) VALUES (?)").bind(1).run())'),
      {
        enableDatabase: true,
      },
    );
    await sql(slug, { sql: 'CREATE TABLE t (id INTEGER PRIMARY KEY, a)' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => call(slug)));
    expect(answers.every(({ body }) => body.success)).toBe(true);
    expect((await sql(slug, { sql: 'SELECT count(*) n FROM t' })).body.results).toEqual([{ n: 50 }]);
  });

  test('can be exported as SQL text and imported, completely or not at all', async () => {
    const slug = await deploy(ECHO, { enableDatabase: true });
    await sql(slug, { sql: 'CREATE TABLE "odd ""name" (id INTEGER PRIMARY KEY, t TEXT, b BLOB, r REAL)' });
    await sql(slug, { sql: 'CREATE INDEX i ON "odd ""name" (t)' });
    await sql(slug, {
      sql: 'INSERT INTO "odd ""name" (t, b, r) VALUES (?, ?, ?)',
      params: ["it's; \n", [0, 255], 1.5],
    });
    const dump = await owner.call('GET', `/api/functions/${slug}/database/export`);
    expect(dump.headers.get('content-type')).toStartWith('application/sql');
    const other = await deploy(ECHO, { enableDatabase: true });
    const load = (script: string) =>
      quire.request(`/api/functions/${other}/database/import`, {
        method: 'POST',
        headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/sql' },
        body: script,
      });
    const broken = await load(
      `CREATE TABLE half (a);\n-- next;\n\nINSERT INTO missing\n VALUES (1); ${dump.body};`,
    );
    expect([broken.status, await broken.text()]).toEqual([
      400,
      expect.stringContaining('no such table: missing (statement 2, line 4)'),
    ]);
    expect((await load(`CREATE TABLE half (a); ${dump.body}; INSERT INTO missing VALUES (1);`)).status).toBe(
      400,
    );
    expect(
      (await sql(other, { sql: "SELECT count(*) n FROM sqlite_master WHERE name = 'half'" })).body.results,
    ).toEqual([{ n: 0 }]);
    expect((await load(dump.body)).status).toBe(200);
    expect((await sql(other, { sql: 'SELECT * FROM "odd ""name"' })).body.results).toEqual([
      { id: 1, t: "it's; \n", b: [0, 255], r: 1.5 },
    ]);
    expect((await owner.call('GET', `/api/functions/${other}/database/export`)).body).toBe(dump.body);
  });
});
