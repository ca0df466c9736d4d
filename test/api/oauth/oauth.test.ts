import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { APP_SCOPES } from '../../../contract/scopes.ts';
import { ServiceKey } from '../../../server/lib/secrets.ts';
import { createLimits } from '../../../server/platform/coordination/limits/index.ts';
import { startStorage } from '../../../server/platform/storage/index.ts';
import { createOAuth } from '../../../server/product/oauth/index.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import {
  authorizeQuery,
  connect,
  getCode,
  newAddress,
  openConsent,
  pkce,
  REDIRECT,
  refreshWith,
  registerClient,
  shownPresets,
  shownScopes,
  token,
} from '../../support/oauth.ts';

/** What apps can rely on. What they must not be able to do is in `attacks.test.ts`. */

const DAY_MS = 24 * 3600 * 1000;

let quire: TestApp;
let user: TestUser;
beforeAll(async () => {
  quire = await testApp();
  user = await quire.user('ada');
});
afterAll(() => quire.stop());

const challenge = async (method: string, path: string, options: object = {}) => {
  const { status, headers } = await quire.call(method, path, options);
  return [status, headers.get('www-authenticate')];
};
const metadataAt = (path: string) =>
  `resource_metadata="${quire.baseUrl}/.well-known/oauth-protected-resource${path}"`;

describe('discovery', () => {
  test('the authorization server says what it can do', async () => {
    const { status, body } = await quire.call('GET', '/.well-known/oauth-authorization-server');
    expect(status).toBe(200);
    const at = (path: string) => `${quire.baseUrl}${path}`;
    expect(body).toMatchObject({
      issuer: quire.baseUrl,
      authorization_endpoint: at('/oauth/authorize'),
      token_endpoint: at('/oauth/token'),
      registration_endpoint: at('/oauth/register'),
      revocation_endpoint: at('/oauth/revoke'),
      device_authorization_endpoint: at('/oauth/device_authorization'),
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: APP_SCOPES,
    });
    expect(body.scopes_supported).not.toContain('account');
  });

  test.each([
    ['', ''],
    ['/mcp', '/mcp'],
  ])('the resource at %j names its authorization server', async (suffix, resource) => {
    const { status, body } = await quire.call('GET', `/.well-known/oauth-protected-resource${suffix}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      resource: quire.baseUrl + resource,
      authorization_servers: [quire.baseUrl],
      scopes_supported: APP_SCOPES,
      bearer_methods_supported: ['header'],
    });
  });

  test('a page is a resource of its own, also on its own host', async () => {
    const page = await user.publish({ name: 'Own resource', storage_mode: 'solo_app' });
    const draft = await user.publish({ name: 'Draft resource', is_published: false });
    const base = await quire.call('GET', `/.well-known/oauth-protected-resource/p/${page.slug}/mcp`);
    expect(base.body).toMatchObject({
      resource: `${quire.baseUrl}/p/${page.slug}/mcp`,
      resource_name: 'Own resource',
      scopes_supported: ['solo-data:read', 'solo-data:write'],
    });
    const host = `http://p${page.id}.pages.localhost:3000`;
    const own = await quire.call('GET', `${host}/.well-known/oauth-protected-resource/mcp`);
    expect(own.body).toMatchObject({ resource: `${host}/mcp`, authorization_servers: [quire.baseUrl] });
    for (const slug of [draft.slug, 'nothing'])
      expect((await quire.call('GET', `/.well-known/oauth-protected-resource/p/${slug}/mcp`)).status).toBe(
        404,
      );
  });

  test('a page’s own host has no endpoints for apps', async () => {
    const page = await user.publish();
    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/oauth/token',
      '/oauth/register',
      '/device',
    ])
      expect((await quire.request(`http://p${page.id}.pages.localhost:3000${path}`)).status).not.toBe(200);
  });

  test('apps in a browser can read all of it, and exchange codes', async () => {
    const headers = { origin: 'https://app.example' };
    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource/mcp',
    ])
      expect((await quire.call('GET', path, { headers })).headers.get('access-control-allow-origin')).toBe(
        '*',
      );
    for (const path of ['/oauth/token', '/oauth/register', '/oauth/revoke', '/oauth/device_authorization']) {
      const asked = await quire.request(path, {
        method: 'OPTIONS',
        headers: { ...headers, 'access-control-request-method': 'POST' },
      });
      expect([path, asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([
        path,
        204,
        '*',
      ]);
    }
    const answer = await quire.call('GET', '/api/pages', { headers });
    expect(answer.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  });
});

describe('a refused request says which token is missing', () => {
  test('without a token', async () => {
    expect(await challenge('GET', '/api/pages')).toEqual([401, `Bearer ${metadataAt('')}`]);
    expect(await challenge('POST', '/mcp', { body: {} })).toEqual([401, `Bearer ${metadataAt('/mcp')}`]);
    const page = await user.publish({ storage_mode: 'solo_app' });
    const [status, header] = await challenge('GET', `/api/pages/${page.id}/solo-data/notes`);
    expect([status, header]).toEqual([401, `Bearer ${metadataAt('')}`]);
  });

  test('with a wrong token', async () => {
    const expected = `Bearer error="invalid_token", ${metadataAt('')}`;
    expect(await challenge('GET', '/api/pages', { token: 'qr_wrong' })).toEqual([401, expected]);
  });

  test('without a scope', async () => {
    const app = await connect(quire, user, ['functions:read']);
    const expected = `Bearer error="insufficient_scope", scope="pages:read", ${metadataAt('')}`;
    expect(await challenge('GET', '/api/pages', { token: app.access })).toEqual([403, expected]);
  });

  test('without the scope of a tool, and nothing of the message runs', async () => {
    const app = await connect(quire, user, ['pages:read', 'pages:write']);
    const call = (name: string, input: object) => ({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: input },
    });
    const send = (body: unknown) => challenge('POST', '/mcp', { token: app.access, body });
    const create = call('create_page', { name: 'Never made', html_content: 'x' });
    const read = { id: '1', type: 'social-data', collection: 'notes' };
    const lacks = (scope: string) =>
      `Bearer error="insufficient_scope", scope="${scope}", ${metadataAt('/mcp')}`;
    expect(await send(call('list_secrets', { slug: 'x' }))).toEqual([403, lacks('functions:read')]);
    expect(await send([create, call('query_records', read)])).toEqual([403, lacks('social-data:read')]);
    expect((await user.call('GET', '/api/pages?q=Never+made')).body.total).toBe(0);
    expect(await send(call('query_records', { ...read, type: 'nonsense' }))).toEqual([200, null]);
  });

  test('with a wrong password', async () => {
    const body = { username: 'ada', password: 'wrong' };
    expect((await challenge('POST', '/api/auth/token', { body }))[1]).toBe(`Bearer ${metadataAt('')}`);
  });

  test('but a request that is refused for another reason does not', async () => {
    for (const path of ['/api/nothing', '/api/pages?x=1'])
      expect((await challenge('GET', path, { token: user.token }))[1]).toBeNull();
  });
});

describe('an app', () => {
  test('that registers and is allowed can do what the person ticked', async () => {
    const app = await connect(quire, user, ['pages:read', 'pages:write']);
    expect(app.scope).toBe('pages:read pages:write');
    const page = { name: 'By an app', html_content: '<p>Hello' };
    expect((await quire.call('POST', '/api/pages', { token: app.access, body: page })).status).toBe(201);
    const { access } = (await quire.call('GET', '/api/auth/me', { token: app.access })).body;
    expect(access.missing).toEqual(APP_SCOPES.filter((scope) => !scope.startsWith('pages:')));
    expect(access.more).toContain('your client then asks your user');
    const login = await quire.call('GET', '/api/auth/me', { cookie: await user.login() });
    expect(login.body.access).toBeUndefined();
    const next = await refreshWith(quire, app.clientId, app.refresh);
    expect(next.body).toEqual({
      access_token: expect.stringMatching(/^qra_/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^qrr_/),
      scope: 'pages:read pages:write',
    });
    expect(next.headers.get('cache-control')).toContain('no-store');
  });

  test('that names no scopes is asked about all of them, and unknown ones are ignored', async () => {
    const clientId = await registerClient(quire);
    const cookie = await user.login();
    const offered = async (scope?: string) => {
      const query = authorizeQuery({ client_id: clientId, ...pkce(), more: { scope } });
      return shownScopes((await openConsent(quire, query, cookie)).body).offered;
    };
    for (const none of [undefined, ''])
      expect((await offered(none)).toSorted()).toEqual(APP_SCOPES.toSorted());
    expect(await offered('openid pages:read offline_access')).toEqual(['pages:read']);
  });

  test('on the computer of a person is named in their language', async () => {
    const redirect_uri = 'http://127.0.0.1:7000/cb';
    const client_id = await registerClient(quire, { redirect_uris: [redirect_uri] });
    const cookie = await user.login();
    const open = async (asked: object, language: string) => {
      const query = authorizeQuery({ client_id, redirect_uri, ...asked });
      return String((await openConsent(quire, query, cookie, language)).body);
    };
    expect(await open(pkce(), 'en')).toContain(
      '<strong>a program on your computer (127.0.0.1:7000)</strong>',
    );
    expect(await open(pkce(), 'de')).toContain(
      '<strong>einem Programm auf deinem Computer (127.0.0.1:7000)<',
    );
    const refused = await open({ more: { code_challenge: undefined } }, 'de');
    expect(refused).toContain('Zurück zu einem Programm auf deinem Computer');
  });

  test('that a person gives a preset gets what its sentence says', async () => {
    const reading = APP_SCOPES.filter((scope) => scope.endsWith(':read'));
    const presets = [
      ['look', reading],
      ['build', APP_SCOPES.filter((scope) => scope.endsWith(':read') || /^(pages|functions):/.test(scope))],
      ['everything', APP_SCOPES],
    ] as const;
    for (const [preset, scopes] of presets) {
      const clientId = await registerClient(quire);
      const { verifier, challenge } = pkce();
      const asked = { client_id: clientId, challenge };
      // The ticks of the form are only for those who choose them.
      const form = { preset, scope: ['pages:read', 'social-data:write'] };
      const { code } = await getCode(quire, await user.login(), asked, form);
      const exchange = { grant_type: 'authorization_code', client_id: clientId, code };
      expect((await token(quire, { ...exchange, code_verifier: verifier })).body.scope).toBe(
        scopes.join(' '),
      );
    }
  });

  test('that asks for a few scopes is not offered presets, which would promise more', async () => {
    const clientId = await registerClient(quire);
    const cookie = await user.login();
    const shown = async (scope: string) => {
      const query = authorizeQuery({ client_id: clientId, ...pkce(), more: { scope } });
      return shownPresets((await openConsent(quire, query, cookie)).body).offered;
    };
    expect(await shown('pages:read pages:write')).toEqual([]);
    const reading = APP_SCOPES.filter((scope) => scope.endsWith(':read'));
    expect(await shown([...reading, 'pages:write'].join(' '))).toEqual([]);
    const more = [...reading, 'pages:write', 'functions:write', 'social-data:write'];
    expect(await shown(more.join(' '))).toEqual([]);
    expect(await shown([...reading, 'pages:write', 'functions:write'].join(' '))).toEqual([
      'look',
      'build',
      'own',
    ]);
  });

  test('can name the service in any of its ways', async () => {
    for (const resource of ['', '/', '/mcp', '/mcp/', '/api']) {
      const app = await connect(quire, user, ['pages:read'], { resource: quire.baseUrl + resource });
      expect((await quire.call('GET', '/api/pages', { token: app.access })).status).toBe(200);
    }
  });

  test('is forgotten 30 days after it registered, or a year after somebody last connected it', async () => {
    const now = Date.now() + 1_000 * DAY_MS;
    const rows = [
      `('unused-29', 'x', '[]', ${now - 30 * DAY_MS}, null)`,
      `('unused-31', 'x', '[]', ${now - 30 * DAY_MS - 1}, null)`,
      `('used-year', 'x', '[]', 0, ${now - 365 * DAY_MS})`,
      `('used-more', 'x', '[]', 0, ${now - 365 * DAY_MS - 1})`,
    ];
    const columns = 'client_id, name, redirect_uris, created_at, used_at';
    await runSql(quire, `insert into oauth_clients (${columns}) values ${rows}`);
    const storage = await startStorage(quire);
    const { purge } = createOAuth({
      ...{ db: storage.db, now: () => now, key: new ServiceKey(Buffer.alloc(32)), limits: createLimits() },
      ...{ logins: unused(), pages: unused(), fetchExternal: unused(), onConnected: unused() },
      loginsEnded: unused(),
      config: { baseUrl: quire.baseUrl, pagesHost: undefined, functionsHost: undefined },
    });
    await purge();
    await storage.stop();
    const left = await readSql<{ client_id: string }>(quire, 'select client_id from oauth_clients');
    expect(left.map(({ client_id }) => client_id).sort()).toEqual(['unused-29', 'used-year']);
    for (const table of ['oauth_codes', 'oauth_device_codes', 'oauth_grants'])
      expect(await readSql(quire, `select * from ${table}`)).toEqual([]);
  });

  test('can be connected 100 times; after that the least recently used one ends', async () => {
    const many = await quire.user();
    const first = await connect(quire, many);
    const rows = Array.from(
      { length: 99 },
      (_, n) =>
        `(${many.id}, 'c', 'x', 'x', 0, 'x', 'pages:read', ${n}, ${Date.now() + 60_000}, 9999999999999)`,
    );
    const columns =
      'user_id, client_id, name, origin, is_verified, resource, scopes, created_at, used_at, expires_at';
    await runSql(quire, `insert into oauth_grants (${columns}) values ${rows}`);
    const list = async () => (await many.call('GET', '/api/auth/apps')).body.apps;
    expect(await list()).toHaveLength(100);
    expect((await quire.call('GET', '/api/pages', { token: first.access })).status).toBe(200);
    quire.advance(120_000);
    const last = await connect(quire, many);
    quire.advance(-120_000);
    expect(await list()).toHaveLength(100);
    expect((await quire.call('GET', '/api/pages', { token: first.access })).status).toBe(401);
    expect((await quire.call('GET', '/api/pages', { token: last.access })).status).toBe(200);
  });
});

/** A part that purging does not use. */
const unused = <T>() => undefined as T;

describe('a grant for one page', () => {
  test('works for visitors of that page only', async () => {
    const owner = await quire.user();
    const fields = { storage_mode: 'solo_app' };
    const [page, other] = [await owner.publish(fields), await owner.publish(fields)];
    const visitor = await quire.user();
    const resource = `${quire.baseUrl}/p/${page.slug}/mcp`;
    const app = await connect(quire, visitor, ['solo-data:read', 'solo-data:write', 'pages:read'], {
      resource,
    });
    expect(app.scope).toBe('solo-data:read solo-data:write');
    const as = { token: app.access };
    const at = (id: number) => `/api/pages/${id}/solo-data/notes`;
    expect((await quire.call('POST', at(page.id), { ...as, body: { data: { a: 1 } } })).status).toBe(201);
    expect((await quire.call('GET', at(page.id), as)).body.records).toHaveLength(1);
    expect((await quire.call('GET', at(other.id), as)).body.code).toBe('INVALID_TOKEN');
    for (const path of ['/api/pages', '/api/auth/me', '/api/auth/apps', `/api/pages/${page.id}`])
      expect([path, (await quire.call('GET', path, as)).status]).toEqual([path, 401]);
    expect((await quire.call('POST', '/mcp', { ...as, body: {} })).status).toBe(401);
    const next = await refreshWith(quire, app.clientId, app.refresh);
    expect((await quire.call('GET', at(other.id), { token: next.body.access_token })).status).toBe(401);
    expect((await quire.call('GET', at(page.id), { token: next.body.access_token })).status).toBe(200);
  });

  test('does not call the private functions of its person', async () => {
    const owner = await quire.user();
    const page = await owner.publish({ storage_mode: 'solo_app' });
    const code = 'export default { fetch: () => Response.json({ success: true }) };';
    const body = { slug: 'private-of-page-owner', code, isPublic: false };
    expect((await owner.call('POST', '/api/functions', { body })).status).toBe(201);
    const path = `/api/functions/${body.slug}`;
    const resource = `${quire.baseUrl}/p/${page.slug}/mcp`;
    const { access } = await connect(quire, owner, ['solo-data:read'], { resource });
    const called = async (token: string) => (await quire.call('POST', path, { token, body: {} })).status;
    expect(await called(access)).toBe(404);
    // Neither does an app without a limit, unless the person has allowed calls.
    expect(await called((await connect(quire, owner, ['functions:read'])).access)).toBe(404);
    expect(await called((await connect(quire, owner, ['functions:write'])).access)).toBe(200);
    expect((await owner.call('POST', path, { body: {} })).status).toBe(200);
  });

  test('asks only for what the page can use', async () => {
    const cookie = await user.login();
    const asks = async (fields: Record<string, unknown>, agentFunctions: object[] = []) => {
      const page = await user.publish(fields);
      await user.call('PATCH', `/api/pages/${page.id}`, { body: { agent_functions: agentFunctions } });
      const resource = `${quire.baseUrl}/p/${page.slug}/mcp`;
      const query = authorizeQuery({ client_id: await registerClient(quire), ...pkce(), more: { resource } });
      const { body } = await openConsent(quire, query, cookie);
      const path = `/.well-known/oauth-protected-resource/p/${page.slug}/mcp`;
      const { scopes_supported = [] } = (await quire.call('GET', path)).body;
      expect(scopes_supported).toEqual(shownScopes(body).offered);
      return { scopes: scopes_supported, body };
    };
    const nothing = await asks({ name: 'Nothing' });
    expect(nothing.scopes).toEqual([]);
    expect(nothing.body).toContain('Open this page as you.');
    const code = 'export default { fetch: () => Response.json({}) };';
    await user.call('POST', '/api/functions', { body: { slug: 'of-the-page', code } });
    const named = { slug: 'of-the-page', description: 'x', inputSchema: { type: 'object' } };
    expect((await asks({ name: 'Solo', storage_mode: 'solo_app' })).scopes).toEqual([
      'solo-data:read',
      'solo-data:write',
    ]);
    expect((await asks({ name: 'AI', page_api_ai_enabled: true })).scopes).toEqual(['features']);
    expect((await asks({ name: 'Calls' }, [named])).scopes).toEqual(['functions:call']);
    const all = { name: 'All', storage_mode: 'social_app', page_api_ai_enabled: true };
    expect((await asks(all, [named])).scopes).toEqual([
      'social-data:read',
      'social-data:write',
      'features',
      'functions:call',
    ]);
  });

  test('can be for a page that has nothing to allow, which the app then opens as the person', async () => {
    const owner = await quire.user();
    const reader = await quire.user('page-reader');
    const page = await owner.publish({ access: { mode: 'people', people: ['page-reader'] } });
    const resource = `${quire.baseUrl}/p/${page.slug}/mcp`;
    const app = await connect(quire, reader, [], { resource, scope: 'solo-data:read' });
    expect(app.scope).toBe('');
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const list = (token?: string) =>
      quire.call('POST', `/p/${page.slug}/mcp`, { body, ...(token && { token }) });
    expect((await list()).status).toBe(401);
    expect((await list(app.access)).body.result.tools).toHaveLength(1);
    const next = await refreshWith(quire, app.clientId, app.refresh);
    expect((await list(next.body.access_token)).status).toBe(200);
    expect((await reader.call('GET', '/api/auth/apps')).body.apps[0].scopes).toEqual([]);
  });

  test('asks only for what visitors can do, and names the page', async () => {
    const page = await user.publish({ name: 'Team <wall>', storage_mode: 'team_app' });
    const cookie = await user.login();
    for (const resource of [
      `${quire.baseUrl}/p/${page.slug}/mcp`,
      `http://p${page.id}.pages.localhost:3000/mcp`,
    ]) {
      const query = authorizeQuery({ client_id: await registerClient(quire), ...pkce(), more: { resource } });
      const screen = await openConsent(quire, query, cookie);
      expect(shownScopes(screen.body).offered).toEqual(['team-data:read', 'team-data:write']);
      expect(screen.body).toContain('Team &lt;wall&gt;');
      expect(screen.body).toContain('and nothing else');
    }
  });

  test('cannot be for a draft of somebody else, and can be for one’s own', async () => {
    const draft = await user.publish({ is_published: false });
    const other = await quire.user();
    const resource = `${quire.baseUrl}/p/${draft.slug}/mcp`;
    const query = authorizeQuery({ client_id: await registerClient(quire), ...pkce(), more: { resource } });
    expect((await openConsent(quire, query, await other.login())).status).toBe(400);
    expect((await openConsent(quire, query, await user.login())).status).toBe(200);
  });

  test('ends with the page', async () => {
    const owner = await quire.user();
    const page = await owner.publish({ storage_mode: 'solo_app' });
    const resource = `${quire.baseUrl}/p/${page.slug}/mcp`;
    const app = await connect(quire, owner, ['solo-data:read'], { resource });
    const { apps } = (await owner.call('GET', '/api/auth/apps')).body;
    expect(apps).toMatchObject([{ page: { id: page.id, name: 'A page', slug: page.slug } }]);
    expect((await owner.call('DELETE', `/api/pages/${page.id}`)).status).toBe(200);
    expect((await owner.call('GET', '/api/auth/apps')).body.apps).toEqual([]);
    expect((await refreshWith(quire, app.clientId, app.refresh)).status).toBe(400);
  });
});

describe('connected apps', () => {
  test('are listed with what they can do, the last used one first', async () => {
    const owner = await quire.user();
    await connect(quire, owner, ['pages:read']);
    quire.advance(60_000);
    const second = await connect(quire, owner, ['functions:read', 'functions:write']);
    const { apps } = (await owner.call('GET', '/api/auth/apps')).body;
    quire.advance(-60_000);
    expect(apps).toHaveLength(2);
    expect(apps[0]).toEqual({
      branches_only: false,
      id: expect.any(Number),
      name: 'Test app',
      origin: new URL(REDIRECT).host,
      isVerified: false,
      scopes: ['functions:read', 'functions:write'],
      page: null,
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(JSON.stringify(apps)).not.toContain(second.access);
  });

  test('need the scope account', async () => {
    const { body } = await quire.call('POST', '/api/auth/token', {
      body: { username: 'ada', password: user.password, scopes: ['pages:read'] },
    });
    const answer = await quire.call('GET', '/api/auth/apps', { token: body.accessToken });
    expect(answer).toMatchObject({ status: 403, body: { scope: 'account' } });
    const cookie = await user.login();
    const { accessToken } = (await quire.call('POST', '/api/auth/session-token', { cookie })).body;
    expect((await quire.call('GET', '/api/auth/apps', { token: accessToken })).status).toBe(200);
  });
});

test('a name that is registered is shown as people can read it', async () => {
  const register = async (client_name?: string) =>
    (
      await quire.call('POST', '/oauth/register', {
        body: { client_name, redirect_uris: [REDIRECT] },
        peer: newAddress(),
      })
    ).body.client_name;
  expect(await register('  My\u200b   agent ')).toBe('My agent');
  expect(await register()).toBe('Unnamed app');
  expect(await register('\u202e')).toBe('Unnamed app');
  expect([...(await register('x'.repeat(500)))]).toHaveLength(60);
});
