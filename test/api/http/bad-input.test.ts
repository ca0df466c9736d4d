import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';

let quire: TestApp;
let user: TestUser;
beforeAll(async () => {
  quire = await testApp();
  user = await quire.user();
});
afterAll(() => quire.stop());

const send = (body: RequestInit['body'], headers: Record<string, string> = {}, path = '/api/pages') =>
  quire.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json', ...headers },
    body,
  });
const outcome = async (response: Response) => [
  response.status,
  ((await response.json()) as { code: string }).code,
];

describe('a body', () => {
  const malformed: Array<[string, RequestInit['body']]> = [
    ['nothing', ''],
    ['half an object', '{"name":'],
    ['two values', '{} {}'],
    ['a trailing comma', '{"name":"x",}'],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['NaN', 'NaN'],
    ['a string', '"x"'],
    ['a million open brackets', '['.repeat(1_000_000)],
    ['a million nested lists', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
  ];
  test.each(malformed)('of %s gets 400', async (_, body) => {
    expect(await outcome(await send(body))).toEqual([400, 'BAD_REQUEST']);
  });

  test('that is optional can be omitted even with a content type', async () => {
    const { id } = await user.publish({ name: 'Left out', storage_mode: 'team_app' });
    for (const [path, status] of [
      ['generate-preview-image', 200],
      ['versions/1/restore', 200],
      ['team/invite', 200],
      ['fork', 201],
    ] as const) {
      for (const body of [undefined, '', '{}']) {
        expect((await send(body, {}, `/api/pages/${id}/${path}`)).status, path).toBe(status);
      }
      expect((await send('{', {}, `/api/pages/${id}/${path}`)).status, path).toBe(400);
    }
  });

  test.each([
    'text/plain',
    'text/html',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    '',
  ])('of type %j gets 415', async (type) => {
    expect(await outcome(await send('{"name":"x","html_content":"x"}', { 'content-type': type }))).toEqual([
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ]);
  });

  test('that is compressed gets 415, and no file takes its bytes for the content', async () => {
    const page = JSON.stringify({ name: 'Packed', html_content: 'x' });
    for (const encoding of ['gzip', 'GZIP', 'br', 'identity, gzip'])
      expect(await outcome(await send(Bun.gzipSync(page), { 'content-encoding': encoding }))).toEqual([
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ]);
    expect((await send(page, { 'content-encoding': 'identity' })).status).toBe(201);
    const { id } = await user.publish();
    for (const [path, type] of [
      ['files/a.txt', 'text/plain'],
      ['files', 'application/zip'],
    ]) {
      const response = await quire.request(`/api/pages/${id}/${path}`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${user.token}`,
          'content-type': type as string,
          'content-encoding': 'gzip',
        },
        body: Bun.gzipSync('text'),
      });
      expect(await outcome(response), path).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  test('can have a charset, and a content type in any case', async () => {
    const response = await send('{"name":"x","html_content":"x"}', {
      'content-type': 'Application/JSON; charset=utf-8',
    });
    expect(response.status).toBe(201);
  });

  test('with a Content-Length above the limit is refused before it is read', async () => {
    let pulled = 0;
    const stream = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(1024));
      },
    });
    expect(await outcome(await send(stream, { 'content-length': '999999999' }))).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ]);
    expect(pulled * 1024).toBeLessThan(10_000_000);
  });

  test('that never ends is refused at the limit', async () => {
    let sent = 0;
    const stream = new ReadableStream({
      pull(controller) {
        sent += 64 * 1024;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
    const response = await send(stream, {}, '/api/auth/register');
    expect(await outcome(response)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(sent).toBeLessThan(4 * 1024 * 1024);
  });

  test('with 5 MB of HTML is too large', async () => {
    const body = JSON.stringify({ name: 'Big', html_content: 'x'.repeat(5_000_000) });
    expect(await outcome(await send(body))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });
});

describe('a path', () => {
  test('that does not exist gets 404, as JSON under /api and as a page elsewhere', async () => {
    const api = await quire.call('GET', '/api/nothing');
    expect([api.status, api.body.code]).toEqual([404, 'NOT_FOUND']);
    const page = await quire.call('GET', '/nothing');
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  });

  test.each([
    ['PUT', '/api/pages', 'POST, GET'],
    ['DELETE', '/api/auth/token', 'POST'],
    ['POST', '/api/pages/1', 'GET, PATCH, DELETE'],
    ['PATCH', '/api/pages/1/agent-spec', 'GET, PUT, DELETE'],
    ['GET', '/api/auth/login', 'POST'],
  ])('%s %s gets 405 with the allowed methods', async (method, path, allow) => {
    const answer = await user.call(method, path);
    expect([answer.status, answer.body.code, answer.headers.get('allow')]).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      allow,
    ]);
  });

  test.each([
    '/p/%00',
    '/p/..%2f..',
    '/p/a/b',
    '/p/',
    `/p/${'x'.repeat(5000)}`,
    '/p/%',
    '/p/ä',
    '/api/pages/%F0',
    '/api/pages/lookup?slug=%00',
    '/api/pages/%00/agent-spec',
    '/api/pages?q=%00',
    '/api/pages/1/versions/%00',
  ])('%s gets 400 or 404, not an internal error', async (path) => {
    const { status } = await user.call('GET', path);
    expect([400, 404]).toContain(status);
  });
});

describe('a query parameter', () => {
  test.each([
    ['/api/pages?limt=5', 'limt', 'limit, offset, q'],
    ['/api/functions?mine=true&page=2', 'page', 'mine, limit, offset, q'],
    ['/api/auth/me?x', 'x', 'none'],
    ['/api/auth/tokens?limit=1', 'limit', 'none'],
  ])('that is unknown is refused by name: %s', async (path, name, known) => {
    const answer = await user.call('GET', path);
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.error).toContain(`"${name}"`);
    expect(answer.body.error).toContain(known);
    expect(answer.body.details).toEqual([{ path: name, message: 'is not a known query parameter' }]);
  });

  test('that is repeated is refused by name', async () => {
    const answer = await user.call('GET', '/api/pages?limit=1&limit=2');
    expect([answer.status, answer.body.details[0].path]).toEqual([400, 'limit']);
  });

  test('belongs to the visitor on a page, and to the caller of a function', async () => {
    const { slug } = await user.publish();
    expect((await quire.request(`/p/${slug}?anything=1&anything=2`)).status).toBe(200);
    const called = await quire.call('POST', '/api/functions/unfurl-url?anything=1', { body: {} });
    expect(called.body).toEqual({ success: false, error: expect.stringContaining('url') });
  });

  test('of enormous length is not repeated in the response', async () => {
    const answer = await user.call('GET', `/api/pages?${'x'.repeat(10_000)}=1`);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body).length).toBeLessThan(1_000);
  });
});

test('a username that no engine can store is refused without a lookup', async () => {
  const answer = await quire.call('POST', '/api/auth/token', { body: { username: 'a\0b', password: 'x' } });
  expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
});

describe('an error', () => {
  test('has a message and a code, and never a stack trace', async () => {
    const answer = await user.call('POST', '/api/pages', { body: { nam: 'x' } });
    expect(Object.keys(answer.body).sort()).toEqual(['code', 'details', 'error']);
    expect(answer.body.error).toContain('nam');
    expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|\.ts:/);
  });

  test('is different for missing and for invalid credentials', async () => {
    const none = await quire.call('GET', '/api/pages');
    expect([none.status, none.body.code]).toEqual([401, 'UNAUTHORIZED']);
    for (const token of ['nonsense', `${user.token}x`, user.refreshToken, 'qr_'.padEnd(50, 'a')]) {
      const bad = await quire.call('GET', '/api/pages', { token });
      expect([bad.status, bad.body.code]).toEqual([401, 'INVALID_TOKEN']);
    }
    const cookie = await quire.call('GET', '/api/pages', { cookie: await user.login() });
    expect([cookie.status, cookie.body.code]).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('other origins', () => {
  const from = (path: string, method: string, headers: Record<string, string> = {}) =>
    quire.request(path, { method, headers: { origin: 'https://elsewhere.example', ...headers } });

  test('can read management routes with a token, and nothing with cookies', async () => {
    const response = await from('/api/pages', 'GET', { authorization: `Bearer ${user.token}` });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect((await from('/api/auth/me', 'GET', { cookie: await user.login() })).status).toBe(401);
  });

  test('cannot read accounts or visitors', async () => {
    for (const path of ['/api/auth/sessions', '/api/pages/1/visitor']) {
      expect((await from(path, 'GET')).headers.get('access-control-allow-origin')).toBeNull();
    }
    const asked = await from('/api/auth/login', 'OPTIONS', { 'access-control-request-method': 'POST' });
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each([
    ['POST', '/api/auth/register'],
    ['POST', '/api/auth/token'],
    ['POST', '/api/auth/token/refresh'],
    ['GET', '/api/join/some-code'],
    ['GET', '/api/openapi.json'],
    ['GET', '/healthz'],
    ['GET', '/docs'],
    ['GET', '/api/nothing'],
  ])('cannot read %s %s or pass its preflight', async (method, path) => {
    const body = method === 'POST' ? { body: '{}' } : {};
    const headers = { origin: 'https://elsewhere.example', 'content-type': 'application/json' };
    const answer = await quire.request(path, { method, headers, ...body });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const asked = await from(path, 'OPTIONS', { 'access-control-request-method': method });
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('can read functions and agent specs', async () => {
    const { id } = await user.publish();
    for (const path of ['/api/functions', '/api/functions/unfurl-url', `/api/pages/${id}/agent-spec`]) {
      expect((await from(path, 'GET')).headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  test('can send a preflight before a token', async () => {
    const asked = await from('/api/pages', 'OPTIONS', {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type',
    });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(asked.headers.get('access-control-allow-methods')).toContain('POST');
  });

  test.each([
    ['/mcp', 'GET', '*'],
    ['/oauth/token', 'GET', '*'],
    ['/oauth/authorize', 'DELETE', null],
    ['/api/auth/login', 'GET', null],
  ])('%s: can read that %s is not possible if they can read the rest', async (path, method, allowed) => {
    const answer = await from(path, method);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([405, allowed]);
    const asked = await from(path, 'OPTIONS', { 'access-control-request-method': method });
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, allowed]);
    expect(asked.headers.get('access-control-allow-methods') ?? '').not.toContain(method);
  });

  test('cannot register a response as a service worker', async () => {
    const response = await quire.request('/api/pages', { headers: { 'service-worker': 'script' } });
    expect(response.status).toBe(403);
  });
});

describe('the OpenAPI document', () => {
  test('is OpenAPI 3.1 and names every endpoint with its limits and credentials', async () => {
    const { body } = await quire.call('GET', '/api/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    const create = body.paths['/api/pages'].post;
    const schema = create.requestBody.content['application/json'].schema;
    expect(schema.required.sort()).toEqual(['html_content', 'name']);
    expect(schema.properties.description.maxLength).toBe(500);
    expect(schema.additionalProperties).toBe(false);
    expect(create.security).toEqual([{ bearer: ['pages:write'] }]);
    expect(create.responses['201']).toBeDefined();
    expect(body.paths['/api/pages/{id}'].get.parameters[0]).toMatchObject({
      name: 'id',
      in: 'path',
      required: true,
    });
    for (const path of [
      '/api/auth/token',
      '/api/pages/lookup',
      '/api/pages/{id}/agent-spec',
      '/api/pages/{id}/fork',
    ]) {
      expect(body.paths[path]).toBeDefined();
    }
  });

  test('has pages for people', async () => {
    for (const path of ['/docs/api', '/docs/api/pages']) {
      const { status, body, headers } = await quire.call('GET', path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(body.includes('id="get-pages-by-id-versions"')).toBe(true);
    }
    expect((await quire.call('GET', '/docs/api/nothing')).status).toBe(404);
  });
});

test('the health report says what is embedded and what is external', async () => {
  const { status, body } = await quire.call('GET', '/healthz');
  expect(status).toBe(200);
  expect(body.status).toBe('ok');
  const database = process.env.QUIRE_TEST_ENGINE === 'postgres' ? 'PostgreSQL' : 'SQLite';
  expect([...body.embedded, ...body.external]).toContain(database);
  expect(['bwrap', 'setpriv', 'plain']).toContain(body.sandbox);
});
