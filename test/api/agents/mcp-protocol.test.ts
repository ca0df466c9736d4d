import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { type TestApp, type TestResponse, type TestUser, testApp } from '../../support/app.ts';
import { connect, REDIRECT } from '../../support/oauth.ts';

/** The MCP protocol, message by message, and who has access. */

let quire: TestApp;
let user: TestUser;
beforeAll(async () => {
  quire = await testApp();
  user = await quire.user('ada');
});
afterAll(() => quire.stop());

const rpc = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  method,
  ...(id !== undefined && { id }),
  ...(params !== undefined && { params }),
});
const post = (body: unknown, headers: Record<string, string> = {}) =>
  user.call('POST', '/mcp', { body, headers });
/** The header of clients that read structured results. */
const STRUCTURED = { 'mcp-protocol-version': '2025-11-25' };
const tool = async (name: string, input: unknown) =>
  (await post(rpc('tools/call', { name, arguments: input }), STRUCTURED)).body.result;
const code = ({ body }: TestResponse) => body.error?.code;

const HELLO = { capabilities: {}, clientInfo: { name: 'test', version: '1' } };

test.each([
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2025-06-18'],
  ['2025-03-26', '2025-03-26'],
  [LATEST_PROTOCOL_VERSION, LATEST_PROTOCOL_VERSION],
  ['2024-11-05', '2025-11-25'],
  ['3000-01-01', '2025-11-25'],
])('a client that requests version %s gets %s', async (wanted, given) => {
  const { status, body, headers } = await post(rpc('initialize', { ...HELLO, protocolVersion: wanted }));
  expect(status).toBe(200);
  expect(headers.get('content-type')).toContain('application/json');
  expect(headers.get('mcp-session-id')).toBeNull();
  expect(body).toMatchObject({ jsonrpc: '2.0', id: 1, result: { protocolVersion: given } });
});

test.each<[string, unknown, number, number]>([
  ['no object', 5, 400, -32_600],
  ['null', null, 400, -32_600],
  ['another version of JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32_600],
  ['no method', { jsonrpc: '2.0', id: 1 }, 400, -32_600],
  ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }, 400, -32_600],
  ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32_600],
  ['an id that is a fraction', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, 400, -32_600],
  ['params that are a list', rpc('ping', []), 400, -32_600],
  ['an unknown method', rpc('resources/everything'), 200, -32_601],
  ['a method that needs a session', rpc('resources/subscribe', { uri: 'quire://docs/data' }), 200, -32_601],
  ['a method of Object', rpc('constructor'), 200, -32_601],
  ['initialize without params', rpc('initialize'), 200, -32_603],
  ['tools/list with a cursor', rpc('tools/list', { cursor: 'x' }), 200, -32_602],
  ['tools/call without a name', rpc('tools/call', {}), 200, -32_602],
  ['tools/call with an invalid name', rpc('tools/call', { name: { toString: 1 } }), 200, -32_602],
  ['an unknown tool', rpc('tools/call', { name: 'toString' }), 200, -32_602],
  ['arguments that are not an object', rpc('tools/call', { name: 'whoami', arguments: [] }), 200, -32_602],
])('%s gets a protocol error', async (_, message, status, expected) => {
  const answer = await post(message);
  expect(answer.status).toBe(status);
  expect(code(answer)).toBe(expected);
  expect(answer.body.jsonrpc).toBe('2.0');
  expect(answer.body.error.message).toBeTruthy();
});

test('a response has the id of its request, of any type', async () => {
  for (const id of ['a', '', 0, -1, 7])
    expect((await post(rpc('ping', {}, id))).body).toEqual({ jsonrpc: '2.0', id, result: {} });
});

test('notifications and responses get 202 without a body', async () => {
  const quiet = [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', id: 1, result: {} },
  ];
  for (const message of quiet) {
    const { status, body } = await post(message);
    expect({ status, body }).toEqual({ status: 202, body: '' });
  }
});

test('subscriptions are not offered, and a message is small besides the arguments of its tool', async () => {
  const version = '2026-07-28';
  const headers = { 'mcp-protocol-version': version, 'mcp-method': 'subscriptions/listen' };
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const listen = rpc('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: meta });
  const refused = await post(listen, headers);
  expect([refused.status, code(refused), refused.body.id]).toEqual([404, -32_601, 1]);
  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`x${at}`, 1]));
  for (const message of [
    rpc('ping', many),
    rpc('tools/call', { name: 'whoami', arguments: {}, _meta: many }),
    rpc('tools/call', { name: 'x'.repeat(65_536), arguments: {} }),
    rpc('ping', {}, 'x'.repeat(65_536)),
  ]) {
    const answer = await post(message);
    expect([answer.status, code(answer)]).toEqual([400, -32_600]);
  }
  const input = rpc('tools/call', { name: 'whoami', arguments: many });
  expect((await post(input, STRUCTURED)).body.result.structuredContent.failure.details).toHaveLength(50);
});

describe('batches', () => {
  test('get responses in versions that have them, also if the version is not named', async () => {
    const list = [
      rpc('ping', {}, 1),
      { jsonrpc: '2.0', method: 'notifications/x' },
      rpc('nothing', {}, 2),
      5,
    ];
    for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }]) {
      const { status, body } = await post(list, headers);
      expect(status).toBe(200);
      expect(body.map(({ id, error }: TestResponse['body']) => [id, error?.code])).toEqual([
        [1, undefined],
        [2, -32_601],
        [null, -32_600],
      ]);
    }
    expect((await post([{ jsonrpc: '2.0', method: 'notifications/x' }])).status).toBe(202);
  });

  test('are refused in other versions, and if they are empty or too long', async () => {
    const answer = await post([rpc('ping')], { 'mcp-protocol-version': '2025-06-18' });
    expect([answer.status, code(answer)]).toEqual([400, -32_600]);
    const many = (count: number) => post(Array.from({ length: count }, (_, id) => rpc('ping', {}, id)));
    expect(code(await many(0))).toBe(-32_600);
    expect((await many(50)).body).toHaveLength(50);
    expect(code(await many(51))).toBe(-32_600);
  });

  test('end early if their responses are longer than 2 MB together', async () => {
    const uri = 'quire://docs/openapi.json';
    const list = Array.from({ length: 50 }, (_, id) => rpc('resources/read', { uri }, id));
    const { body } = await post(list);
    const lengths: number[] = body.map((each: object) => JSON.stringify(each).length);
    const refused = body.findIndex(({ error }: TestResponse['body']) => error !== undefined);
    const total = (end: number) => lengths.slice(0, end).reduce((sum, length) => sum + length, 0);
    expect(total(refused)).toBeGreaterThan(2 * 1024 * 1024);
    expect(total(refused - 1)).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect(body.slice(refused).map(({ id }: TestResponse['body']) => id)).toEqual(
      list.slice(refused).map(({ id }) => id),
    );
    expect(body[refused].error.message).toContain('was not handled');
  });

  test('cannot contain initialize', async () => {
    const { body } = await post([rpc('initialize', { ...HELLO, protocolVersion: '2025-03-26' })]);
    expect(body[0].error.code).toBe(-32_600);
  });
});

test('an unsupported version is refused', async () => {
  const answer = await post(rpc('ping'), { 'mcp-protocol-version': '1999-01-01' });
  expect([answer.status, code(answer)]).toEqual([400, -32_000]);
  expect(answer.body.error.message).toContain('2025-11-25, 2025-06-18, 2025-03-26');
});

test('invalid JSON is a parse error', async () => {
  const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' };
  for (const body of [
    '{',
    '',
    'nonsense',
    '\xff',
    '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}',
  ]) {
    const response = await quire.request('/mcp', { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_700 } });
  }
});

test('a body of another type, or too large, gets the usual error', async () => {
  const authorization = `Bearer ${user.token}`;
  const send = (type: string, body: string) =>
    quire.request('/mcp', { method: 'POST', headers: { authorization, 'content-type': type }, body });
  expect((await send('text/plain', '{}')).status).toBe(415);
  const limit = 6 * 4 * 1024 * 1024 + 2 * 64 * 1024;
  const padded = (size: number) => JSON.stringify(rpc('ping')).padEnd(size, ' ');
  expect((await send('application/json', padded(limit))).status).toBe(200);
  expect((await send('application/json', padded(limit + 1))).status).toBe(413);
});

test('GET and DELETE get 405, because there are no streams or sessions', async () => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const { status, headers, body } = await user.call(method, '/mcp');
    expect([status, headers.get('allow'), body.code]).toEqual([405, 'POST', 'METHOD_NOT_ALLOWED']);
  }
});

describe('access to /mcp', () => {
  const ping = { body: rpc('ping') };

  test('needs a token', async () => {
    const none = await quire.call('POST', '/mcp', ping);
    expect([none.status, none.body.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(none.headers.get('www-authenticate')).toStartWith('Bearer resource_metadata=');
    const bad = await quire.call('POST', '/mcp', { ...ping, token: 'qr_nonsense' });
    expect([bad.status, bad.body.code]).toEqual([401, 'INVALID_TOKEN']);
    expect(bad.headers.get('www-authenticate')).toContain('invalid_token');
    const cookie = await quire.call('POST', '/mcp', { ...ping, cookie: await user.login() });
    expect(cookie.status).toBe(401);
    expect((await user.call('POST', '/mcp', ping)).status).toBe(200);
  });

  test('is refused to other sites without a token, even with DNS rebinding', async () => {
    const cookie = await user.login();
    for (const origin of ['https://evil.example', 'null', quire.baseUrl]) {
      const answer = await quire.call('POST', '/mcp', { ...ping, cookie, headers: { origin } });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    }
    const rebound = await quire.request('http://evil.example:3000/mcp', {
      method: 'POST',
      headers: { cookie, origin: 'http://evil.example:3000', 'content-type': 'application/json' },
      body: JSON.stringify(ping.body),
    });
    expect(rebound.status).toBe(421);
  });

  test('is refused to web pages of other origins, even with a token', async () => {
    for (const origin of [
      'https://inspector.example',
      'null',
      'http://localhost:3001',
      'http://localhost',
      '',
    ]) {
      const answer = await post(rpc('ping'), { origin });
      expect({ origin, status: answer.status, code: answer.body.code }).toEqual({
        origin,
        status: 403,
        code: 'FORBIDDEN',
      });
    }
    expect((await post(rpc('ping'), { origin: quire.baseUrl })).status).toBe(200);
  });

  test('is possible for a web page with a token of its own app only', async () => {
    const { access } = await connect(quire, user);
    const origin = new URL(REDIRECT).origin;
    const preflight = await quire.request('/mcp', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    const allowed = preflight.headers.get('access-control-allow-headers');
    for (const name of ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name']) expect(allowed).toContain(name);
    const fetchStatus = async (token: string, from: string) =>
      (await quire.call('POST', '/mcp', { ...ping, token, headers: { origin: from } })).status;
    expect(await fetchStatus(access, origin)).toBe(200);
    expect(await fetchStatus(access, `${origin}:8443`)).toBe(403);
    expect(await fetchStatus(access, 'https://evil.example')).toBe(403);
    expect(await fetchStatus(user.token, origin)).toBe(403);
  });

  test('is not possible on the hosts of pages, where it is the server of that page', async () => {
    const page = await user.publish();
    const response = await quire.request(`http://p${page.id}.pages.localhost:3000/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(rpc('tools/list')),
    });
    const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toEqual(['open_page']);
  });
});

describe('arguments', () => {
  test('that are missing or unknown are named in the error', async () => {
    const { isError, structuredContent } = await tool('get_page', { page: 1, __proto__x: 2 });
    expect(isError).toBe(true);
    expect(structuredContent.failure).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
    expect(structuredContent.failure.details).toEqual([
      { path: 'id', message: 'is required' },
      { path: 'page', message: 'is not a known argument' },
      { path: '__proto__x', message: 'is not a known argument' },
    ]);
    expect(
      (await tool('read_function_logs', { slug: 'x', follow: true })).structuredContent.failure.error,
    ).toContain('follow');
    expect(
      (await tool('query_records', { id: '1', type: 'x', collection: 'y' })).structuredContent.failure.error,
    ).toContain('team-data');
    expect((await tool('get_page', { id: 1, from: -1 })).structuredContent.failure.error).toContain('from');
  });

  test('cannot change the path of the request', async () => {
    const { id } = await user.publish({ storage_mode: 'social_app' });
    const base = { id: String(id), type: 'social-data', collection: 'notes' };
    await user.call('PUT', `/api/pages/${id}/social-data/notes/schema`, { body: { schema: { fields: {} } } });
    for (const recordId of [
      'schema',
      '..',
      '.',
      '',
      '%2e%2e',
      '../../..',
      'x/../schema',
      '\ud800',
      null,
      {},
    ]) {
      const { isError, structuredContent } = await tool('delete_record', { ...base, recordId });
      expect([isError, structuredContent.failure.status]).toEqual([true, 404]);
    }
    for (const slug of ['..', '.', '', 'a/b', 'a?mine=true', 'a#b', '\ud800']) {
      const { isError, structuredContent } = await tool('get_function', { slug });
      expect([isError, structuredContent.failure.status]).toEqual([true, 404]);
    }
    expect((await tool('delete_page', { id: 'lookup' })).structuredContent.failure.status).toBe(404);
    expect((await user.call('GET', `/api/pages/${id}/social-data/notes/schema`)).status).toBe(200);
    expect((await user.call('GET', `/api/pages/${id}`)).status).toBe(200);
  });
});

test('a call and the request it makes have the same id in the log', async () => {
  const { headers } = await post(rpc('tools/call', { name: 'whoami' }));
  const id = headers.get('x-request-id') ?? '';
  const lines = quire.logs.filter((line) => line.includes(id)).map((line) => JSON.parse(line).path);
  expect(lines).toEqual(['/api/auth/me', '/mcp']);
});

test('limits are shared with the API', async () => {
  const limited = await testApp({ QUIRE_FUNCTION_CALLS_PER_MINUTE: '1' });
  const ada = await limited.user('ada');
  const code = 'export default { fetch: () => Response.json(1) };';
  await ada.call('POST', '/api/functions', { body: { slug: 'one', code } });
  const callTool = async (peer: string) => {
    const body = rpc('tools/call', { name: 'call_function', arguments: { slug: 'one' } });
    return (await ada.call('POST', '/mcp', { body, peer, headers: STRUCTURED })).body.result;
  };
  expect((await callTool('192.0.2.1')).structuredContent.data).toMatchObject({ status: 200, body: 1 });
  expect((await ada.call('POST', '/api/functions/one', { peer: '192.0.2.1' })).status).toBe(429);
  const { isError, structuredContent } = await callTool('192.0.2.1');
  expect(isError).toBe(true);
  expect(structuredContent.failure).toMatchObject({ status: 429, retryAfter: expect.any(Number) });
  expect((await callTool('192.0.2.2')).isError).toBeUndefined();
  await limited.stop();
});
