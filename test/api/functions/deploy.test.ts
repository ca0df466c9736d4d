import { afterAll, describe, expect, test } from 'bun:test';
import { type TestApp, testApp } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';
import { ECHO, functionApp, handler } from '../../support/functions/app.ts';

const { quire, owner, stranger, deploy, call } = await functionApp();
afterAll(() => quire.stop());

describe('deploying a function', () => {
  test('creates an endpoint that anyone can call', async () => {
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
      schedules: [],
      on: [],
      hasDatabase: false,
      version: 1,
      createdAt: expect.stringMatching(/Z$/),
    });
    const called = await call('hello-1', { a: 1 });
    expect([called.status, called.body.data.body]).toEqual([200, '{"a":1}']);
  });

  test('adds it to the list, and it can be read by its slug', async () => {
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

  test('adds it to the list without a limit parameter, next to hundreds of others', async () => {
    const columns =
      'owner_id, slug, display_name, description, code, version, secrets_revision, is_public, created_at, updated_at';
    const rows = Array.from(
      { length: 400 },
      (_, n) => `(${owner.id}, 'beside-${n}', '', '', '', 1, 0, 1, 1, 1)`,
    );
    await runSql(quire, `insert into functions (${columns}) values ${rows}`);
    const slug = await deploy(ECHO, {}, stranger);
    const { body } = await quire.call('GET', '/api/functions');
    await runSql(quire, "delete from functions where slug like 'beside-%'");
    const slugs = body.functions.map((found: { slug: string }) => found.slug);
    expect(slugs).toEqual(expect.arrayContaining([slug, 'unfurl-url']));
    expect(slugs).toHaveLength(body.total);
  });

  test('adds it to a paginated list, sorted by slug, that can be searched', async () => {
    for (const slug of ['paged-a', 'paged-b', 'paged-c'])
      await deploy(ECHO, { slug, description: 'Paged_50%' });
    const list = async (query: string, mine = '&mine=true') => {
      const { status, body } = await owner.call('GET', `/api/functions?${query}${mine}`);
      expect(status).toBe(200);
      const { functions, ...about } = body;
      return [functions.map(({ slug }: { slug: string }) => slug), about];
    };
    const word = `q=${encodeURIComponent('paged_50%')}`;
    expect(await list(word)).toEqual([
      ['paged-a', 'paged-b', 'paged-c'],
      { total: 3, limit: 500, offset: 0 },
    ]);
    expect(await list(word, '')).toEqual(await list(word));
    expect(await list(`${word}&limit=2`)).toEqual([
      ['paged-a', 'paged-b'],
      { total: 3, limit: 2, offset: 0 },
    ]);
    expect(await list(`${word}&limit=2&offset=2`)).toEqual([['paged-c'], { total: 3, limit: 2, offset: 2 }]);
    expect(await list(`${word}&offset=3`)).toEqual([[], { total: 3, limit: 500, offset: 3 }]);
    await owner.call('PATCH', '/api/functions/paged-b', { body: { code: ECHO } });
    const [latest] = await list(`${word}&order=updated&limit=1`);
    expect(latest).toEqual(['paged-b']);
    for (const bad of ['order=size', 'limit=0', 'limit=501', 'limit=x', 'offset=-1']) {
      expect((await quire.call('GET', `/api/functions?${bad}`)).status).toBe(400);
    }
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
    ['a fetch that is not a function', 'export default { fetch: 5 }', /no fetch function/],
    ['an empty module', '', /no default export/],
    ['an import of an unknown module', 'import x from "nope"; export default x', /No such module "nope"/],
    [
      'a promise that never settles',
      'await new Promise(() => {}); export default { fetch() {} }',
      /unsettled/,
    ],
  ];
  let count = 0;
  test.each(broken)('refuses %s, and creates nothing', async (_, code, message) => {
    const slug = `broken-${++count}`;
    const answer = await owner.call('POST', '/api/functions', { body: { slug, code } });
    expect([answer.status, answer.body.code]).toEqual([422, 'DEPLOY_FAILED']);
    expect(answer.body.error).toMatch(message);
    expect(answer.body.error).toMatch(/\(line \d+, column \d+\)$/);
    expect((await quire.call('GET', `/api/functions/${slug}`)).status).toBe(404);
  });

  test('refuses a module that loops while it loads, within its time limit', async () => {
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
    expect(answer.body.details).toHaveLength(1);
    expect((await quire.call('GET', '/api/functions/good')).status).toBe(404);
  });

  test('accepts a slug of 100 characters and code of exactly 1 MiB, and not a byte more', async () => {
    const sized = (bytes: number) => `${ECHO}//`.padEnd(bytes, 'x');
    const fits = { slug: 'l'.repeat(100), code: sized(1024 * 1024) };
    expect((await owner.call('POST', '/api/functions', { body: fits })).status).toBe(201);
    expect((await call(fits.slug)).status).toBe(200);
    const over = await owner.call('POST', '/api/functions', {
      body: { slug: 'over', code: sized(1024 * 1024 + 1) },
    });
    expect([over.status, over.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test('with the same slug, ten times at once, creates one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        owner.call('POST', '/api/functions', { body: { slug: 'raced', code: ECHO } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('SLUG_TAKEN');
    expect((await call('raced')).status).toBe(200);
    const again = await owner.call('POST', '/api/functions', { body: { slug: 'raced', code: ECHO } });
    expect(again.body.error).toContain('one of your functions. Update it with PATCH /api/functions/raced.');
    const others = (await quire.user()).call('POST', '/api/functions', {
      body: { slug: 'raced', code: ECHO },
    });
    expect((await others).body.error).toContain('taken by another function');
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
  test('deploys new code, keeps the old code if that fails, and returns the fields', async () => {
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
    expect(code.body).toEqual({
      code: handler('return new Response("two")'),
      files: {},
      version: 2,
      folderSeal: expect.any(String),
    });
    await patch({ displayName: 'Named' });
    expect((await quire.call('GET', `/api/functions/${slug}`)).body.displayName).toBe('Named');
  });

  test('needs its owner: others get 403, or 404 if it is private', async () => {
    const slug = await deploy(ECHO);
    for (const [method, path, body] of [
      ['PATCH', '', { description: 'mine' }],
      ['DELETE', '', undefined],
      ['GET', '/code', undefined],
      ['GET', '/logs', undefined],
      ['GET', '/stats', undefined],
      ['GET', '/versions', undefined],
      ['GET', '/versions/1', undefined],
      ['POST', '/versions/1/restore', {}],
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

  test('to private hides it from everyone except its owner', async () => {
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

describe('deleting a function', () => {
  test('removes it and frees its quota', async () => {
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

  test('of the platform is not possible', async () => {
    const { body } = await quire.call('GET', '/api/functions/unfurl-url');
    expect(body.owner).toBe('system');
    expect((await owner.call('DELETE', '/api/functions/unfurl-url')).status).toBe(403);
    expect((await owner.call('PATCH', '/api/functions/unfurl-url', { body: { code: ECHO } })).status).toBe(
      403,
    );
  });
});
