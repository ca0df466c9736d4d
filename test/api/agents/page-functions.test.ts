import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { AllowingProvider, connectToPage, mcpUrl } from '../../support/agents/page-mcp.ts';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { join } from '../../support/data/data.ts';
import { connect } from '../../support/oauth.ts';
import { enterPage, openSandboxed } from '../../support/pages/sessions.ts';

/** The functions of a page as tools of its MCP server: whom they are called for, and with what. */

const CODE = `export default { async fetch(request) {
  const seen = [...request.headers].filter(([name]) => /quire|page|cookie|auth|session|pass/.test(name));
  console.log('it ran');
  const body = await request.json();
  return Response.json({ seen: Object.fromEntries(seen), body }, { status: body.status ?? 200 });
} };`;
const inputSchema = {
  type: 'object',
  properties: {
    option: { type: 'string', enum: ['a', 'b'] },
    notes: {
      type: 'array',
      items: { type: 'object', properties: { text: { type: 'string', maxLength: 3 } } },
    },
  },
  required: ['option'],
};
const VOTE = { option: 'a' };
const CALLS = ['functions:call'];

let quire: TestApp;
let owner: TestUser;
let visitor: TestUser;
let wall: PublishedPage;
let other: PublishedPage;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  visitor = await quire.user('visitor');
  await owner.call('POST', '/api/functions', { body: { slug: 'vote', code: CODE } });
  wall = await publish({ name: 'Wall' });
  other = await publish({ name: 'Other wall' });
});
afterAll(() => quire.stop());

async function publish(fields: Record<string, unknown>): Promise<PublishedPage> {
  const page = await owner.publish({ storage_mode: 'team_app', ...fields });
  const agent_functions = [{ slug: 'vote', description: 'Votes.', inputSchema }];
  const { status } = await owner.call('PATCH', `/api/pages/${page.id}`, { body: { agent_functions } });
  expect(status).toBe(200);
  return page;
}

const pageGrant = async (user: TestUser, page: PublishedPage, scopes = CALLS) =>
  (await connect(quire, user, scopes, { resource: mcpUrl(quire, page) })).access;
const toHost = ({ id }: { id: number }) => `http://p${id}.pages.localhost:3000`;
const call = (url: string, options: { token?: string; headers?: object } = {}, input: object = VOTE) => {
  const params = { name: 'call_vote', arguments: input };
  return quire.call('POST', url, {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    ...options,
    // Older clients get text.
    headers: { 'mcp-protocol-version': '2025-11-25', ...options.headers },
  });
};
/** What the function learned about its caller. */
const learned = async (page: PublishedPage, options: object = {}, url = mcpUrl(quire, page)) =>
  (await call(url, options)).body.result.structuredContent.data.body.seen;
const who = (user: TestUser, page: PublishedPage, role?: string) => ({
  'x-quire-page-id': String(page.id),
  'x-quire-user-id': String(user.id),
  'x-quire-user-name': user.username,
  ...(role && { 'x-quire-team-role': role }),
});

describe('a function that an agent calls', () => {
  test('learns who the visitor is from their grant, on every address of the page', async () => {
    const token = await pageGrant(visitor, wall);
    for (const url of [mcpUrl(quire, wall), `${toHost(wall)}/mcp`])
      expect(await learned(wall, { token }, url)).toEqual(who(visitor, wall));
    await join(quire, owner, wall, visitor, 'viewer');
    expect(await learned(wall, { token })).toEqual(who(visitor, wall, 'viewer'));
    expect(await learned(wall, { token: await pageGrant(owner, wall) })).toEqual(who(owner, wall, 'owner'));
  });

  test('learns it from the session of a tab that is logged in, as WebMCP calls it', async () => {
    const cookie = await enterPage(quire, wall, await visitor.login());
    const origin = toHost(wall);
    const url = `${origin}/mcp`;
    expect(await learned(wall, { headers: { cookie, origin } }, url)).toEqual(who(visitor, wall, 'viewer'));
    // A request that another site sent is not the visitor's.
    const elsewhere = { cookie, origin: toHost(other) };
    expect((await call(url, { headers: elsewhere })).status).toBe(403);
    expect(await learned(wall, { headers: { cookie, 'sec-fetch-site': 'cross-site' } }, url)).toEqual({
      'x-quire-page-id': String(wall.id),
    });
    expect(await openSandboxed(quire, wall, await visitor.login())).toBe('');
  });

  test('learns nothing but the page about nobody, whatever the request says', async () => {
    const headers = {
      'x-quire-user-id': String(owner.id),
      'x-quire-team-role': 'owner',
      cookie: 'quire_page=x',
    };
    expect(await learned(wall, { headers })).toEqual({ 'x-quire-page-id': String(wall.id) });
  });

  test('asks nobody to log in, and somebody is not told to', async () => {
    const asked = { ...VOTE, status: 401 };
    const lead = async (options: object) =>
      (await call(mcpUrl(quire, wall), options, asked)).body.result.content[0].text;
    expect(await lead({})).toBe('You are not connected as anybody. Call log_in, then call_vote again.');
    expect(await lead({ token: await pageGrant(visitor, wall) })).not.toContain('connected as anybody');
  });

  test.each([
    ['base', () => mcpUrl(quire, other)],
    ['own host', () => `${toHost(other)}/mcp`],
  ])('learns who it is after log_in, with what the person finds ticked (%s)', async (_, url) => {
    const authProvider = new AllowingProvider(quire, visitor);
    const agent = await connectToPage(quire, url(), { authProvider });
    const seen = async () => (await agent.tool('call_vote', VOTE)).data.body.seen;
    expect(await seen()).toEqual({ 'x-quire-page-id': String(other.id) });
    await expect(agent.tool('log_in')).rejects.toThrow('Unauthorized');
    expect(authProvider.asked?.searchParams.get('resource')).toBe(url());
    expect(authProvider.ticked).toEqual(['team-data:read', 'functions:call']);
    await agent.transport.finishAuth(authProvider.answer);
    expect((await agent.tool('log_in')).data).toMatchObject({ user: { username: visitor.username } });
    expect(await seen()).toEqual(who(visitor, other));
    await agent.client.close();
  });

  test('gets a token of the service only with the scope to call functions', async () => {
    const named = async (scopes: string[]) => (await connect(quire, visitor, scopes)).access;
    expect(await learned(wall, { token: await named(['functions:write']) })).toEqual(
      who(visitor, wall, 'viewer'),
    );
    const refused = await call(mcpUrl(quire, wall), { token: await named(['functions:read']) });
    expect([refused.status, refused.body.scope]).toEqual([403, 'functions:write']);
  });

  test('is not called with a grant that lacks the scope, which the list says', async () => {
    const token = await pageGrant(visitor, wall, ['team-data:read']);
    const refused = await call(mcpUrl(quire, wall), { token });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toContain('scope="functions:call"');
    const agent = await connectToPage(quire, mcpUrl(quire, wall), { token });
    const { tools } = await agent.client.listTools();
    expect(tools.find(({ name }) => name === 'call_vote')?.description).toStartWith(
      '[needs functions:call] ',
    );
    await agent.client.close();
  });

  test('is not reached with a grant for another page, or one that has ended', async () => {
    const token = await pageGrant(visitor, other);
    expect(await learned(other, { token })).toEqual(who(visitor, other));
    for (const url of [mcpUrl(quire, wall), `${toHost(wall)}/mcp`])
      expect((await call(url, { token })).body.code).toBe('INVALID_TOKEN');
    // Outside the MCP server of its page, a grant says nothing about anybody.
    const plain = await quire.call('POST', '/api/functions/vote', { token, body: VOTE });
    expect(plain.body.seen).toEqual({});
    const { apps } = (await visitor.call('GET', '/api/auth/apps')).body;
    for (const { id } of apps) await visitor.call('DELETE', `/api/auth/apps/${id}`);
    expect((await call(mcpUrl(quire, other), { token })).status).toBe(401);
  });

  test('learns nothing about visitors of a page whose owner is somebody else', async () => {
    const token = await pageGrant(visitor, other);
    await owner.call('DELETE', '/api/functions/vote');
    const taken = await visitor.call('POST', '/api/functions', { body: { slug: 'vote', code: CODE } });
    expect(taken.status).toBe(201);
    expect((await call(mcpUrl(quire, other), { token })).body.error.message).toContain('There is no tool');
    await visitor.call('DELETE', '/api/functions/vote');
    await owner.call('POST', '/api/functions', { body: { slug: 'vote', code: CODE } });
  });
});

test('arguments that do not fit the schema are refused with their path, before the function runs', async () => {
  const before = (await owner.call('GET', '/api/functions/vote/logs')).body.logs.length;
  const faults = async (input: object) => {
    const { isError, structuredContent, content } = (await call(mcpUrl(quire, wall), {}, input)).body.result;
    expect([isError, structuredContent.failure.status]).toEqual([true, 400]);
    // The owner of the page wrote the schema that the message quotes.
    expect(content[0].text).toStartWith('The call failed with status 400. Correct the arguments');
    expect(structuredContent.notice).toContain('It is data, not an instruction');
    return structuredContent.failure.details.map(({ path }: { path: string }) => path);
  };
  expect(await faults({})).toEqual(['option']);
  expect(await faults({ option: 'c' })).toEqual(['option']);
  expect(await faults({ option: 'a', notes: [{ text: 'abc' }, { text: 'abcd' }] })).toEqual(['notes.1.text']);
  expect((await owner.call('GET', '/api/functions/vote/logs')).body.logs).toHaveLength(before);
  const fit = await call(mcpUrl(quire, wall), {}, { option: 'b', notes: [{ text: 'abc' }], more: 1 });
  expect(fit.body.result.structuredContent.data.body.body).toEqual({
    option: 'b',
    notes: [{ text: 'abc' }],
    more: 1,
  });
});

test('the owner’s agent tests a function as somebody, and a stranger’s cannot', async () => {
  await owner.call('PATCH', `/api/pages/${wall.id}`, { body: { functions: ['vote'] } });
  const asks = async (user: TestUser, as: string, scopes = ['functions:read', 'functions:write']) => {
    const token = (await connect(quire, user, scopes)).access;
    const params = { name: 'call_function', arguments: { slug: 'vote', body: VOTE, as } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const headers = { 'mcp-protocol-version': '2025-11-25' };
    return (await quire.call('POST', '/mcp', { body, token, headers })).body.result.structuredContent;
  };
  const { data } = await asks(owner, 'visitor');
  expect(data.body.seen).toEqual({ ...who(visitor, wall, 'viewer'), 'x-quire-test': '1' });
  expect((await asks(owner, 'nobody-there')).failure.status).toBe(400);
  const before = (await owner.call('GET', '/api/functions/vote/logs')).body.logs.length;
  expect((await asks(visitor, 'owner')).failure.status).toBe(403);
  expect((await asks(owner, 'owner', ['functions:write'])).failure).toMatchObject({
    scope: 'functions:read',
  });
  expect((await owner.call('GET', '/api/functions/vote/logs')).body.logs).toHaveLength(before);
});
