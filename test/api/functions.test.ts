import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Answer, type TestApp, type TestUser, testApp } from '../support/app.ts';
import { waitUntil } from '../support/server.ts';

let quire: TestApp;
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  quire = await testApp({ QUIRE_FUNCTION_CALLS_PER_MINUTE: '0', QUIRE_EGRESS_ALLOW: '127.0.0.1/32' });
  owner = await quire.user('owner');
  stranger = await quire.user('stranger');
});
afterAll(() => quire.stop());

const ECHO = `export default {
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    return Response.json({ success: true, data: {
      body: await request.text(), method: request.method, path: pathname + search,
      headers: Object.fromEntries(request.headers), env: Object.keys(env) } });
  },
};`;

let count = 0;
async function deploy(code: string, fields: Record<string, unknown> = {}, as = owner): Promise<string> {
  const slug = `fn-${++count}`;
  const answer = await as.call('POST', '/api/functions', { body: { slug, code, ...fields } });
  if (answer.status !== 201)
    throw new Error(`deploying failed: ${answer.status} ${JSON.stringify(answer.body)}`);
  return slug;
}
/** A function whose handler has this body. */
const handler = (body: string) => `export default { async fetch(request, env) { ${body} } };`;
const call = (slug: string, body: unknown = {}, as: { call: TestApp['call'] } = quire): Promise<Answer> =>
  as.call('POST', `/api/functions/${slug}`, { body });
const sql = (slug: string, query: unknown, as = owner) =>
  as.call('POST', `/api/functions/${slug}/database`, { body: query });

describe('deploying', () => {
  test('gives an endpoint that anybody can call', async () => {
    const answer = await owner.call('POST', '/api/functions', {
      body: { slug: 'hello-1', code: ECHO, displayName: 'Hello', description: 'Says it' },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      slug: 'hello-1',
      displayName: 'Hello',
      description: 'Says it',
      workerUrl: expect.stringMatching(/^http:\/\/f\d+\.functions\.localhost:3000\/$/),
      isPublic: true,
      hasDatabase: false,
      createdAt: expect.stringMatching(/Z$/),
    });
    const called = await call('hello-1', { a: 1 });
    expect([called.status, called.body.data.body]).toEqual([200, '{"a":1}']);
  });

  test('is seen in the list and by its slug', async () => {
    const slug = await deploy(ECHO, { displayName: 'Listed' });
    const { body } = await quire.call('GET', '/api/functions');
    const item = body.functions.find((found: { slug: string }) => found.slug === slug);
    expect(Object.keys(item).sort()).toEqual(
      ['createdAt', 'description', 'displayName', 'hasDatabase', 'owner', 'slug', 'updatedAt'].sort(),
    );
    expect(item.owner).toBe('owner');
    const detail = await quire.call('GET', `/api/functions/${slug}`, { token: 'a bad token is ignored' });
    expect(detail.body).toMatchObject({
      slug,
      isPublic: true,
      workerUrl: expect.any(String),
      owner: 'owner',
    });
    expect((await quire.call('GET', '/api/functions/no-such-function')).status).toBe(404);
  });

  const broken: Array<[string, string, RegExp]> = [
    [
      'a syntax error',
      'export default {\n  fetch() { return 1 +; }\n}',
      /Unexpected token ';' \(line 2, column 23\)/,
    ],
    ['an exception at load', '\nthrow new Error("at load")', /at load \(line 2, column \d+\)/],
    ['no default export', 'export const x = 1', /no default export/],
    ['a default export without fetch', 'export default { hello() {} }', /no fetch function/],
    ['a fetch that is no function', 'export default { fetch: 5 }', /no fetch function/],
    ['nothing at all', '', /no default export/],
    ['an import of nothing', 'import x from "nope"; export default x', /No such module "nope"/],
    [
      'a promise that never settles',
      'await new Promise(() => {}); export default { fetch() {} }',
      /unsettled/,
    ],
  ];
  test.each(broken)('refuses %s, and makes nothing', async (_, code, message) => {
    const slug = `broken-${++count}`;
    const answer = await owner.call('POST', '/api/functions', { body: { slug, code } });
    expect([answer.status, answer.body.code]).toEqual([422, 'DEPLOY_FAILED']);
    expect(answer.body.error).toMatch(message);
    expect(answer.body.error).toMatch(/\(line \d+, column \d+\)$/);
    expect((await quire.call('GET', `/api/functions/${slug}`)).status).toBe(404);
  });

  test('refuses a module that spins while it loads, within its time', async () => {
    const answer = await owner.call('POST', '/api/functions', {
      body: { slug: 'spinner', code: 'while (true);' },
    });
    expect([answer.status, answer.body.code]).toEqual([422, 'DEPLOY_FAILED']);
    expect(answer.body.error).toContain('5 seconds');
  });

  const good = { slug: 'good', code: ECHO };
  test.each([
    ['a slug in capitals', { ...good, slug: 'Good' }],
    ['a slug with an underscore', { ...good, slug: 'a_b' }],
    ['a slug that begins with a hyphen', { ...good, slug: '-a' }],
    ['a slug that ends with a hyphen', { ...good, slug: 'a-' }],
    ['an empty slug', { ...good, slug: '' }],
    ['a slug of 101 characters', { ...good, slug: 'a'.repeat(101) }],
    ['no code', { slug: 'good' }],
    ['a number as code', { ...good, code: 1 }],
    ['a display name of 201 characters', { ...good, displayName: 'd'.repeat(201) }],
    ['a description of 2,001 characters', { ...good, description: 'd'.repeat(2001) }],
    ['an unknown field', { ...good, public: true }],
    ['both kinds of database', { ...good, enableDatabase: true, useDatabase: 'x' }],
    ['the database of an unknown function', { ...good, useDatabase: 'no-such-function' }],
  ])('refuses %s', async (what, body) => {
    const answer = await owner.call('POST', '/api/functions', { body });
    expect([answer.status, answer.body.code]).toEqual([
      400,
      what.includes('slug') ? 'INVALID_SLUG' : 'BAD_REQUEST',
    ]);
    expect((await quire.call('GET', '/api/functions/good')).status).toBe(404);
  });

  test('takes a slug of 100 characters and code of exactly 1 MiB, and not a byte more', async () => {
    const sized = (bytes: number) => `${ECHO}//`.padEnd(bytes, 'x');
    const fits = { slug: 'l'.repeat(100), code: sized(1024 * 1024) };
    expect((await owner.call('POST', '/api/functions', { body: fits })).status).toBe(201);
    expect((await call(fits.slug)).status).toBe(200);
    const over = await owner.call('POST', '/api/functions', {
      body: { slug: 'over', code: sized(1024 * 1024 + 1) },
    });
    expect([over.status, over.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test('under one slug by ten at once makes one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        owner.call('POST', '/api/functions', { body: { slug: 'raced', code: ECHO } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('SLUG_TAKEN');
    expect((await call('raced')).status).toBe(200);
  });

  test('needs a token with the scope', async () => {
    expect((await quire.call('POST', '/api/functions', { body: good })).status).toBe(401);
    const { body } = await owner.call('POST', '/api/auth/tokens', {
      body: { name: 'r', scopes: ['functions:read'] },
    });
    const answer = await quire.call('POST', '/api/functions', { token: body.token, body: good });
    expect([answer.status, answer.body.code, answer.body.scope]).toEqual([
      403,
      'INSUFFICIENT_SCOPE',
      'functions:write',
    ]);
  });
});

describe('changing a function', () => {
  test('deploys new code, keeps the old one when that fails, and answers with its fields', async () => {
    const slug = await deploy(handler('return new Response("one")'));
    const patch = (body: unknown) => owner.call('PATCH', `/api/functions/${slug}`, { body });
    const text = async () => (await quire.request(`/api/functions/${slug}`, { method: 'POST' })).text();
    expect(await text()).toBe('one');
    expect((await patch({ code: 'export default {' })).body.code).toBe('DEPLOY_FAILED');
    expect(await text()).toBe('one');
    const answer = await patch({ code: handler('return new Response("two")'), description: 'new' });
    expect(answer.body).toMatchObject({
      slug,
      description: 'new',
      updatedAt: expect.any(String),
      isPublic: true,
    });
    expect(await text()).toBe('two');
    const code = await owner.call('GET', `/api/functions/${slug}/code`);
    expect(code.body).toEqual({ code: handler('return new Response("two")'), version: 2 });
    await patch({ displayName: 'Named' });
    expect((await quire.call('GET', `/api/functions/${slug}`)).body.displayName).toBe('Named');
  });

  test('is for its owner: others hear so, and of a private one nothing at all', async () => {
    const slug = await deploy(ECHO);
    for (const [method, path, body] of [
      ['PATCH', '', { description: 'mine' }],
      ['DELETE', '', undefined],
      ['GET', '/code', undefined],
      ['GET', '/logs', undefined],
      ['GET', '/stats', undefined],
      ['GET', '/secrets', undefined],
      ['PUT', '/secrets/KEY', { value: 'x' }],
      ['DELETE', '/secrets/KEY', undefined],
      ['POST', '/database', { sql: 'SELECT 1' }],
      ['GET', '/database/export', undefined],
    ] as const) {
      const ask = () =>
        stranger.call(method, `/api/functions/${slug}${path}`, body === undefined ? {} : { body });
      expect([method, path, (await ask()).status]).toEqual([method, path, 403]);
      await owner.call('PATCH', `/api/functions/${slug}`, { body: { isPublic: false } });
      expect([method, path, (await ask()).status]).toEqual([method, path, 404]);
      await owner.call('PATCH', `/api/functions/${slug}`, { body: { isPublic: true } });
    }
  });

  test('to private hides it from everybody but its owner', async () => {
    const slug = await deploy(ECHO, { isPublic: false });
    const listed = async (path: string, as: { call: TestApp['call'] }) =>
      (await as.call('GET', path)).body.functions.some((found: { slug: string }) => found.slug === slug);
    expect(await listed('/api/functions', owner)).toBe(false);
    expect(await listed('/api/functions?mine=true', owner)).toBe(true);
    expect(await listed('/api/functions?mine=true', stranger)).toBe(false);
    for (const [as, status] of [
      [quire, 404],
      [stranger, 404],
      [owner, 200],
    ] as const) {
      expect((await call(slug, {}, as)).status).toBe(status);
      expect((await as.call('GET', `/api/functions/${slug}`)).status).toBe(status);
    }
    const { workerUrl } = (await owner.call('GET', `/api/functions/${slug}`)).body;
    expect((await quire.request(workerUrl)).status).toBe(404);
    expect((await owner.call('GET', workerUrl)).status).toBe(200);
  });
});

describe('calling', () => {
  test('passes body and query on, and the caller’s address, but no cookies or credentials', async () => {
    const slug = await deploy(ECHO);
    const response = await quire.request(`/api/functions/${slug}?a=1&b=%20`, {
      method: 'POST',
      headers: {
        'content-type': 'text/csv',
        accept: 'application/json',
        'accept-language': 'de',
        'user-agent': 'test',
        cookie: 'quire_session=secret',
        authorization: `Bearer ${owner.token}`,
        'x-forwarded-for': '6.6.6.6',
        'x-other': 'x',
      },
      body: 'a,b',
      peer: '203.0.113.9',
    });
    const { data } = (await response.json()) as {
      data: { headers: Record<string, string>; body: string; path: string };
    };
    expect([data.body, data.path]).toEqual(['a,b', '/?a=1&b=%20']);
    expect(data.headers).toMatchObject({
      'content-type': 'text/csv',
      accept: 'application/json',
      'accept-language': 'de',
      'user-agent': 'test',
      'x-forwarded-for': '203.0.113.9',
    });
    for (const name of ['cookie', 'authorization', 'x-other']) expect(data.headers[name]).toBeUndefined();
  });

  test('brings status, body and headers back, but nothing that could act on our origin', async () => {
    const slug = await deploy(
      handler(`return new Response("made", { status: 201, headers: [["x-own", "1"], ["content-type", "text/html"],
        ["set-cookie", "a=b"], ["clear-site-data", "*"], ["refresh", "0;url=/"], ["service-worker-allowed", "/"],
        ["access-control-allow-origin", "https://evil.example"], ["access-control-allow-credentials", "true"],
        ["content-security-policy", "default-src *"], ["strict-transport-security", "max-age=1"]] })`),
    );
    const response = await quire.request(`/api/functions/${slug}`, { method: 'POST' });
    expect([response.status, await response.text(), response.headers.get('x-own')]).toEqual([
      201,
      'made',
      '1',
    ]);
    expect(response.headers.get('content-security-policy')).toBe('sandbox');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    for (const name of [
      'set-cookie',
      'clear-site-data',
      'refresh',
      'service-worker-allowed',
      'access-control-allow-credentials',
      'strict-transport-security',
    ]) {
      expect(response.headers.get(name)).toBeNull();
    }
    expect(response.headers.get('x-request-id')).not.toBeNull();
  });

  test('passes redirects, empty answers and binary through as they are', async () => {
    const redirecting = await deploy(handler('return Response.redirect("https://example.com/x", 302)'));
    const redirected = await quire.request(`/api/functions/${redirecting}`, { method: 'POST' });
    expect([redirected.status, redirected.headers.get('location')]).toEqual([302, 'https://example.com/x']);
    const empty = await deploy(handler('return new Response(null, { status: 204 })'));
    expect((await quire.request(`/api/functions/${empty}`, { method: 'POST' })).status).toBe(204);
    const binary = await deploy(handler('return new Response(new Uint8Array([0, 255, 128]))'));
    const bytes = await (await quire.request(`/api/functions/${binary}`, { method: 'POST' })).arrayBuffer();
    expect([...new Uint8Array(bytes)]).toEqual([0, 255, 128]);
  });

  test('streams', async () => {
    const slug = await deploy(
      handler(`const { readable, writable } = new TransformStream();
        (async () => { const w = writable.getWriter(); for (let i = 0; i < 3; i++) { await w.write(new TextEncoder().encode("part" + i)); } await w.close(); })();
        return new Response(readable)`),
    );
    const response = await quire.request(`/api/functions/${slug}`, { method: 'POST' });
    expect(await response.text()).toBe('part0part1part2');
  });

  test('takes a body of 10 MiB and refuses a byte more', async () => {
    const slug = await deploy(handler('return Response.json((await request.arrayBuffer()).byteLength)'));
    const send = (bytes: number) =>
      quire.request(`/api/functions/${slug}`, { method: 'POST', body: new Uint8Array(bytes) });
    expect(await (await send(10 * 1024 * 1024)).json()).toBe(10 * 1024 * 1024);
    const over = await send(10 * 1024 * 1024 + 1);
    expect(over.status).toBe(413);
    expect(await over.json()).toEqual({ success: false, error: expect.any(String) });
  });

  test('of a function that throws says so, and leaves the rest to its owner’s log', async () => {
    const slug = await deploy(handler('console.log("before", { a: 1 }); throw new Error("private details")'));
    const answer = await call(slug);
    expect([answer.status, answer.body]).toEqual([
      500,
      { success: false, error: 'The function threw an exception' },
    ]);
    const read = async () => (await owner.call('GET', `/api/functions/${slug}/logs`)).body.logs;
    await waitUntil(async () => (await read()).length >= 3);
    const logs = await read();
    expect(logs.map((entry: { kind: string }) => entry.kind).sort()).toEqual([
      'call',
      'console',
      'exception',
    ]);
    const exception = logs.find((entry: { kind: string }) => entry.kind === 'exception');
    expect(exception.message).toMatch(/private details[\s\S]*function\.js:1:/);
    expect(logs.find((entry: { kind: string }) => entry.kind === 'call').status).toBe(500);
  });

  test.each([
    ['undefined', 'return undefined'],
    ['text', 'return "text"'],
    ['an impossible status', 'return new Response("x", { status: 999 })'],
  ])('of a function that returns %s is an exception of its own', async (_, body) => {
    expect((await call(await deploy(handler(body)))).status).toBe(500);
  });

  test('at its own host reaches any path by any method, and lets it set its own headers', async () => {
    const slug = await deploy(
      handler(
        'const { pathname } = new URL(request.url); return new Response(request.method + pathname, { headers: { "access-control-allow-origin": "https://x.example", "set-cookie": "a=b" } })',
      ),
    );
    const { workerUrl } = (await quire.call('GET', `/api/functions/${slug}`)).body;
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await quire.request(`${workerUrl}deep/path?x=1`, { method });
      expect(await response.text()).toBe(`${method}/deep/path`);
      expect(response.headers.get('access-control-allow-origin')).toBe('https://x.example');
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(response.headers.get('content-security-policy')).toBeNull();
    }
    expect((await quire.request('http://f999999.functions.localhost:3000/')).status).toBe(404);
  });

  test('an unknown function is 404 in the shape of calls', async () => {
    const answer = await call('no-such-function');
    expect([answer.status, answer.body.success, typeof answer.body.error]).toEqual([404, false, 'string']);
  });
});

describe('the limit on calls', () => {
  test('lets exactly 60 of 100 at once through, over all functions, and believes no forwarded address', async () => {
    const app = await testApp();
    const user = await app.user();
    for (const slug of ['one', 'two']) {
      await user.call('POST', '/api/functions', {
        body: { slug, code: handler('return new Response("ok")') },
      });
    }
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        app.call('POST', `/api/functions/${i % 2 ? 'one' : 'two'}`, {
          headers: { 'x-forwarded-for': `9.9.9.${i}` },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBe(60);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ success: false, error: 'rate_limited' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused?.headers.get('ratelimit-limit')).toBe('60');
    const { workerUrl } = (await app.call('GET', '/api/functions/one')).body;
    expect((await app.request(workerUrl)).status).toBe(200);
    expect((await app.call('POST', '/api/functions/one', { peer: '10.9.9.9' })).status).toBe(200);
    await app.stop();
  });
});

describe('secrets', () => {
  test('are in env at the next call, and never come back', async () => {
    const slug = await deploy(handler('return Response.json({ key: env.API_KEY ?? null })'));
    const put = (name: string, value: unknown) =>
      owner.call('PUT', `/api/functions/${slug}/secrets/${name}`, { body: { value } });
    const key = async () => (await call(slug)).body.key;
    expect(await key()).toBeNull();
    const value = ['line one', 'line "two" \\ 😀', '$', '{x}'].join('\n');
    expect((await put('API_KEY', value)).status).toBe(204);
    expect(await key()).toBe(value);
    await put('API_KEY', 'second');
    expect(await key()).toBe('second');
    expect((await owner.call('GET', `/api/functions/${slug}/secrets`)).body).toEqual({
      secrets: [{ name: 'API_KEY' }],
    });
    expect((await owner.call('DELETE', `/api/functions/${slug}/secrets/API_KEY`)).status).toBe(204);
    expect(await key()).toBeNull();
    expect((await owner.call('DELETE', `/api/functions/${slug}/secrets/API_KEY`)).status).toBe(404);
  });

  test.each(['DB', 'lower', '1ST', 'A-B', '_A', 'Ä'])('cannot be named %s', async (name) => {
    const slug = await deploy(ECHO);
    const answer = await owner.call('PUT', `/api/functions/${slug}/secrets/${encodeURIComponent(name)}`, {
      body: { value: 'x' },
    });
    expect(answer.status).toBe(400);
  });
});

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

  test('can be shared, outlives the function that made it, and goes with the last one', async () => {
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

  test('without one, SQL is refused', async () => {
    const answer = await sql(await deploy(ECHO), { sql: 'SELECT 1' });
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
  });

  test('takes one statement, told by SQL’s own rules', async () => {
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

  test('takes parameters of every kind, and refuses too few, too many and others', async () => {
    const slug = await deploy(ECHO, { enableDatabase: true });
    const types = await sql(slug, {
      sql: 'SELECT typeof(?) a, typeof(?) b, typeof(?) c, typeof(?) d, typeof(?) e',
      params: ['x', 1.5, null, true, [1, 2]],
    });
    expect(types.body.results[0]).toEqual({
      a: 'text',
      b: 'real',
      c: 'null',
      d: expect.any(String),
      e: 'blob',
    });
    for (const params of [[], [1, 2], [{ a: 1 }]]) {
      expect((await sql(slug, { sql: 'SELECT ?', params })).body.code).toBe('INVALID_SQL');
    }
    expect(
      (await sql(slug, { sql: 'SELECT ?2 AS b, ?1 AS a', params: ['one', 'two'] })).body.results,
    ).toEqual([{ b: 'two', a: 'one' }]);
  });

  test('takes a statement of 100 KiB and refuses a byte more; a result too large is refused clearly', async () => {
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

  test('speaks D1 as it is documented', async () => {
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

  test('rolls a batch back whole', async () => {
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

  test('by fifty writers at once loses none of their rows', async () => {
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

  test('is exported as SQL text and taken back, whole or not at all', async () => {
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

describe('deleting', () => {
  test('removes the function and gives its place in the quota back', async () => {
    const app = await testApp({ QUIRE_QUOTA_FUNCTIONS: '1' });
    const user = await app.user();
    const make = (slug: string) => user.call('POST', '/api/functions', { body: { slug, code: ECHO } });
    expect((await make('first')).status).toBe(201);
    expect((await make('second')).body.code).toBe('QUOTA_EXCEEDED');
    expect((await user.call('DELETE', '/api/functions/first')).status).toBe(204);
    expect((await app.call('POST', '/api/functions/first')).status).toBe(404);
    expect((await make('second')).status).toBe(201);
    await app.stop();
  });

  test('of a function of the platform is nobody’s business', async () => {
    const { body } = await quire.call('GET', '/api/functions/unfurl-url');
    expect(body.owner).toBe('system');
    expect((await owner.call('DELETE', '/api/functions/unfurl-url')).status).toBe(403);
    expect((await owner.call('PATCH', '/api/functions/unfurl-url', { body: { code: ECHO } })).status).toBe(
      403,
    );
  });
});
