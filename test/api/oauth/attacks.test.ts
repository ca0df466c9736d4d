import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { createLog } from '../../../server/platform/http/index.ts';
import { Mail } from '../../../server/platform/mail/index.ts';
import { startStorage } from '../../../server/platform/storage/index.ts';
import { createOperator } from '../../../server/product/accounts/index.ts';
import { disconnectApps } from '../../../server/product/oauth/index.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import {
  answerConsent,
  authorizeQuery,
  connect,
  getCode,
  hiddenFields,
  newAddress,
  openConsent,
  type Pkce,
  pkce,
  postForm,
  REDIRECT,
  readRedirect,
  refreshWith,
  registerClient,
  shownPresets,
  shownScopes,
  token,
} from '../../support/oauth.ts';

/** What a hostile app, a hostile site and a thief try, and that none of it works. */

const HOUR_MS = 3600 * 1000;

let quire: TestApp;
let user: TestUser;
let cookie: string;
let clientId: string;
beforeAll(async () => {
  quire = await testApp();
  user = await quire.user('victim');
  cookie = await user.login();
  clientId = await registerClient(quire);
});
afterAll(() => quire.stop());

const use = async (access: string) => (await quire.call('GET', '/api/pages', { token: access })).status;
const apps = async (of = user) => (await of.call('GET', '/api/auth/apps')).body.apps;

/** A code for the app, and what is needed to exchange it. */
async function aCode(): Promise<{ code: string; verifier: string }> {
  const { verifier, challenge } = pkce();
  const { code } = await getCode(quire, cookie, { client_id: clientId, challenge });
  return { code, verifier };
}

const exchange = (form: Record<string, string | undefined>) =>
  token(quire, { grant_type: 'authorization_code', client_id: clientId, ...form });

const REFUSED = { status: 400, body: { error: 'invalid_grant' } };

describe('the address to return to', () => {
  test.each([
    'https://app.example/callback/',
    'https://app.example/callback?x=1',
    'https://app.example/callback#x',
    'https://app.example/callback/../other',
    'https://app.example/Callback',
    'https://app.example/%63allback',
    'https://app.example:8443/callback',
    'https://app.example:443/callback',
    'https://user@app.example/callback',
    'https://app.example@evil.example/callback',
    'https://app.example.evil.example/callback',
    'https://app.example\\.evil.example/callback',
    'HTTPS://app.example/callback',
    'http://app.example/callback',
    '//app.example/callback',
    'javascript:alert(1)//https://app.example/callback',
    'data:text/html,https://app.example/callback',
    '',
  ])('cannot be %j, and nobody is sent there', async (redirect_uri) => {
    const query = authorizeQuery({ client_id: clientId, redirect_uri, challenge: pkce().challenge });
    const screen = await openConsent(quire, query, cookie);
    expect(screen.status).toBe(400);
    expect(screen.headers.get('location')).toBeNull();
    expect(screen.body).toContain('not registered');
    for (const text of ['app.example', 'evil.example', 'javascript:'])
      expect(screen.body).not.toContain(text);
  });

  test('can have another port on a loopback address only', async () => {
    const local = await registerClient(quire, {
      redirect_uris: ['http://127.0.0.1/cb', 'http://[::1]:5000/cb', 'http://localhost:1/cb'],
    });
    const statusFor = async (redirect_uri: string) =>
      (await openConsent(quire, authorizeQuery({ client_id: local, redirect_uri, ...pkce() }), cookie))
        .status;
    for (const uri of ['http://127.0.0.1:49152/cb', 'http://[::1]:1/cb', 'http://localhost/cb'])
      expect([uri, await statusFor(uri)]).toEqual([uri, 200]);
    for (const uri of [
      'http://127.0.0.1:49152/cb/evil',
      'http://127.0.0.1:1@evil.example/cb',
      'http://127.0.0.1.evil.example/cb',
      'http://127.0.0.2/cb',
      'http://localhost.evil.example:1/cb',
      'https://127.0.0.1/cb',
    ])
      expect([uri, await statusFor(uri)]).toEqual([uri, 400]);
  });

  test.each([
    'http://evil.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://evil.example/#x',
    'https://a:b@evil.example/',
    'file:///etc/passwd',
    'myapp',
  ])('%j cannot be registered', async (uri) => {
    const answer = await quire.call('POST', '/oauth/register', {
      body: { redirect_uris: [uri] },
      peer: newAddress(),
    });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } });
  });

  test('must be the one of the request when the code is exchanged', async () => {
    const { code, verifier } = await aCode();
    expect(
      await exchange({ code, code_verifier: verifier, redirect_uri: 'https://evil.example/' }),
    ).toMatchObject(REFUSED);
  });
});

describe('a broken request', () => {
  const broken: Array<[what: string, error: string, more: Record<string, string | undefined>]> = [
    ['without PKCE', 'invalid_request', { code_challenge: undefined, code_challenge_method: undefined }],
    ['with a plain challenge', 'invalid_request', { code_challenge_method: 'plain' }],
    ['without a method, which means plain', 'invalid_request', { code_challenge_method: undefined }],
    ['with a short challenge', 'invalid_request', { code_challenge: 'short' }],
    ['for a token instead of a code', 'unsupported_response_type', { response_type: 'token' }],
    ['for both', 'unsupported_response_type', { response_type: 'code token' }],
    ['for another service', 'invalid_target', { resource: 'https://other.example/mcp' }],
    ['for a page that does not exist', 'invalid_target', { resource: 'http://localhost:3000/p/nothing/mcp' }],
    ['for scopes that do not exist', 'invalid_scope', { scope: 'openid profile' }],
    ['for the administration', 'invalid_scope', { scope: 'admin account' }],
  ];
  test.each(broken)('%s sends nobody anywhere, but the person can return', async (_, error, more) => {
    const query = authorizeQuery({ client_id: clientId, ...pkce(), more });
    const screen = await openConsent(quire, query, cookie);
    expect(screen.status).toBe(400);
    expect(screen.headers.get('location')).toBeNull();
    const back = new URL(
      /href="(https:\/\/app\.example[^"]+)"/.exec(screen.body)?.[1]?.replaceAll('&amp;', '&') ?? '',
    );
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error,
      state: 'a state',
      iss: quire.baseUrl,
    });
    expect(screen.body).not.toContain('name="proof"');
  });

  test.each(['redirect_uri=https://evil.example/', 'state=another', 'resource=x&resource=y'])(
    'with a parameter that appears twice is refused: %s',
    async (more) => {
      const query = `${authorizeQuery({ client_id: clientId, ...pkce() })}&${more}`;
      const screen = await openConsent(quire, query, cookie);
      expect([screen.status, screen.headers.get('location')]).toEqual([400, null]);
      for (const text of ['evil.example', 'app.example', 'name="proof"'])
        expect(screen.body).not.toContain(text);
    },
  );

  test('of an unknown app is refused', async () => {
    for (const id of ['', 'qrc_nothing', "x' or 1=1", 'null']) {
      const screen = await openConsent(quire, authorizeQuery({ client_id: id, ...pkce() }), cookie);
      expect([id, screen.status]).toEqual([id, 400]);
    }
  });

  test('that is too long is refused before and after the login', async () => {
    const query = authorizeQuery({ client_id: clientId, ...pkce(), more: { state: 'x'.repeat(3_500) } });
    for (const who of [cookie, undefined]) expect((await openConsent(quire, query, who)).status).toBe(400);
  });
});

describe('mix-up', () => {
  test('every answer names the issuer and keeps the state unchanged', async () => {
    const state = 'ä&=#%20"<x>';
    const { params } = await getCode(quire, cookie, { client_id: clientId, ...pkce(), more: { state } });
    expect(params).toEqual({ code: expect.any(String), state, iss: quire.baseUrl });
    const screen = await openConsent(quire, authorizeQuery({ client_id: clientId, ...pkce() }), cookie);
    const { uri, params: denied } = readRedirect(
      await answerConsent(quire, screen, cookie, { answer: 'deny' }),
    );
    expect(uri).toBe(REDIRECT);
    expect(denied).toMatchObject({ error: 'access_denied', state: 'a state', iss: quire.baseUrl });
    expect(denied).not.toHaveProperty('code');
  });
});

describe('a code', () => {
  test('is useless without its verifier, and is used up by the attempt', async () => {
    for (const wrong of [undefined, '', 'x'.repeat(43), pkce().verifier, 'x'.repeat(129)]) {
      const { code, verifier } = await aCode();
      expect(await exchange({ code, code_verifier: wrong })).toMatchObject(REFUSED);
      expect(await exchange({ code, code_verifier: verifier })).toMatchObject(REFUSED);
    }
  });

  test('is not accepted if its challenge is given as the verifier', async () => {
    const { challenge } = pkce();
    const { code } = await getCode(quire, cookie, { client_id: clientId, challenge });
    expect(await exchange({ code, code_verifier: challenge })).toMatchObject(REFUSED);
  });

  test('of one app is refused for another', async () => {
    const other = await registerClient(quire);
    const { code, verifier } = await aCode();
    expect(await exchange({ client_id: other, code, code_verifier: verifier })).toMatchObject(REFUSED);
  });

  test('works once; the second use ends what the first one got', async () => {
    const { code, verifier } = await aCode();
    const { body } = await exchange({ code, code_verifier: verifier });
    expect(await use(body.access_token)).toBe(200);
    expect(await exchange({ code, code_verifier: verifier })).toMatchObject(REFUSED);
    expect(await use(body.access_token)).toBe(401);
    expect(await refreshWith(quire, clientId, body.refresh_token)).toMatchObject(REFUSED);
  });

  test('works once even if it is used many times at the same moment', async () => {
    const { code, verifier } = await aCode();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => exchange({ code, code_verifier: verifier })),
    );
    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(1);
    for (const { body } of given) expect(await use(body.access_token)).toBe(401);
  });

  test('expires after five minutes', async () => {
    const [early, late] = [await aCode(), await aCode()];
    quire.advance(5 * 60_000 - 5_000);
    expect((await exchange({ code: early.code, code_verifier: early.verifier })).status).toBe(200);
    quire.advance(10_000);
    expect(await exchange({ code: late.code, code_verifier: late.verifier })).toMatchObject(REFUSED);
    quire.advance(-5 * 60_000 - 5_000);
  });

  test('is for the resource that the person was asked about', async () => {
    const { verifier, challenge } = pkce();
    const resource = `${quire.baseUrl}/mcp`;
    const { code } = await getCode(quire, cookie, { client_id: clientId, challenge, more: { resource } });
    const answer = await exchange({ code, code_verifier: verifier, resource: 'https://other.example' });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  });
});

describe('a refresh token', () => {
  test('works once; the second use ends the connection', async () => {
    const app = await connect(quire, user);
    const { body } = await refreshWith(quire, app.clientId, app.refresh);
    expect([await use(app.access), await use(body.access_token)]).toEqual([200, 200]);
    const before = (await apps()).length;
    expect(await refreshWith(quire, app.clientId, app.refresh)).toMatchObject(REFUSED);
    for (const access of [app.access, body.access_token]) expect(await use(access)).toBe(401);
    expect(await refreshWith(quire, app.clientId, body.refresh_token)).toMatchObject(REFUSED);
    expect(await apps()).toHaveLength(before - 1);
  });

  test('of one app is refused for another, and stays valid', async () => {
    const app = await connect(quire, user);
    for (const id of [clientId, '', 'quire-cli']) {
      const answer = await refreshWith(quire, id, app.refresh);
      expect([400, 401]).toContain(answer.status);
    }
    expect((await refreshWith(quire, app.clientId, app.refresh)).status).toBe(200);
  });

  test('cannot be used at the endpoint for passwords, and theirs not here', async () => {
    const app = await connect(quire, user);
    const body = { refreshToken: app.refresh };
    expect((await quire.call('POST', '/api/auth/token/refresh', { body })).status).toBe(401);
    expect(await refreshWith(quire, app.clientId, user.refreshToken)).toMatchObject(REFUSED);
    expect((await refreshWith(quire, app.clientId, app.refresh)).status).toBe(200);
  });

  test('is not a bearer token', async () => {
    const app = await connect(quire, user);
    expect(await use(app.refresh)).toBe(401);
  });

  test('gives fewer scopes if the app asks for fewer, and never more', async () => {
    const app = await connect(quire, user, ['pages:read', 'functions:read']);
    const more = await refreshWith(quire, app.clientId, app.refresh, { scope: 'pages:read pages:write' });
    expect(more).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
    for (const scope of ['admin', 'account', 'pages:read account'])
      expect((await refreshWith(quire, app.clientId, app.refresh, { scope })).status).toBe(400);
    const fewer = await refreshWith(quire, app.clientId, app.refresh, { scope: 'functions:read' });
    expect(fewer.body.scope).toBe('functions:read');
    expect(await use(fewer.body.access_token)).toBe(403);
    const all = await refreshWith(quire, app.clientId, fewer.body.refresh_token);
    expect(all.body.scope).toBe('pages:read functions:read');
  });

  test('does not change the resource', async () => {
    const app = await connect(quire, user);
    const answer = await refreshWith(quire, app.clientId, app.refresh, {
      resource: `${quire.baseUrl}/p/x/mcp`,
    });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  });

  test('ends after 30 days without use; an access token after an hour', async () => {
    const app = await connect(quire, user);
    quire.advance(HOUR_MS + 1_000);
    expect(await use(app.access)).toBe(401);
    quire.advance(29 * 24 * HOUR_MS);
    const { body } = await refreshWith(quire, app.clientId, app.refresh);
    quire.advance(29 * 24 * HOUR_MS);
    const next = await refreshWith(quire, app.clientId, body.refresh_token);
    expect(next.status).toBe(200);
    quire.advance(30 * 24 * HOUR_MS + 1_000);
    expect(await refreshWith(quire, app.clientId, next.body.refresh_token)).toMatchObject(REFUSED);
    quire.advance(-(88 * 24 * HOUR_MS + HOUR_MS + 2_000));
  });

  test('used very often does not end other logins of the person', async () => {
    const busy = await quire.user();
    const app = await connect(quire, busy);
    let { refresh } = app;
    for (let round = 0; round < 55; round++)
      refresh = (await refreshWith(quire, app.clientId, refresh)).body.refresh_token;
    const kept = () =>
      readSql(
        quire,
        `select id from tokens where user_id = ${busy.id} and kind = 'refresh' and spent_at is not null`,
      );
    expect(await kept()).toHaveLength(49);
    const rows = Array.from(
      { length: 1_000 },
      (_, n) =>
        `(${busy.id}, 'refresh', 'many${n}', '', 'pages:read', 'client-${1e9 + n}', 1, 9999999999999)`,
    );
    const columns = 'user_id, kind, secret_hash, name, scopes, family, created_at, expires_at';
    await runSql(quire, `insert into tokens (${columns}) values ${rows}`);
    const body = { username: busy.username, password: busy.password };
    expect((await quire.call('POST', '/api/auth/token', { body })).status).toBe(200);
    const first = { refreshToken: busy.refreshToken };
    expect((await quire.call('POST', '/api/auth/token/refresh', { body: first })).status).toBe(200);
    expect((await refreshWith(quire, app.clientId, refresh)).status).toBe(200);
  });
});

describe('the consent screen', () => {
  let screen: Awaited<ReturnType<typeof openConsent>>;
  let keys: Pkce;
  beforeEach(async () => {
    keys = pkce();
    screen = await openConsent(quire, authorizeQuery({ client_id: clientId, ...keys }), cookie);
  });

  test('cannot be framed, has no script, and is not stored', () => {
    expect(screen.status).toBe(200);
    const policy = screen.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self' https:");
    expect(screen.headers.get('x-frame-options')).toBe('DENY');
    expect(screen.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(screen.headers.get('cache-control')).toContain('no-store');
    expect(screen.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('offers no scope that manages the account, and ticks nothing that writes', () => {
    const { offered, ticked } = shownScopes(screen.body);
    expect(offered).not.toContain('account');
    expect(offered).not.toContain('admin');
    expect(ticked.filter((scope) => !scope.endsWith(':read'))).toEqual([]);
    expect(shownPresets(screen.body)).toEqual({
      offered: ['look', 'build', 'everything', 'own'],
      chosen: undefined,
    });
  });

  test('without a preset, or with an unknown one, is asked again, and keeps what was chosen', async () => {
    for (const preset of [undefined, '', 'all', 'constructor'])
      expect((await answerConsent(quire, screen, cookie, { preset })).body).toContain(
        'Choose what the app can do',
      );
    const unsure = await answerConsent(quire, screen, cookie, { preset: 'build', sure: undefined });
    expect([unsure.status, shownPresets(unsure.body).chosen]).toEqual([400, 'build']);
  });

  test.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a page of this service', { origin: 'http://p1.pages.localhost:3000', 'sec-fetch-site': 'same-site' }],
    ['a sandboxed page', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ])('is not answered by a form of %s', async (_, headers) => {
    const answer = await answerConsent(
      quire,
      screen,
      cookie,
      {},
      headers as unknown as Record<string, string>,
    );
    expect(answer.status).toBe(403);
    expect(answer.headers.get('location')).toBeNull();
  });

  test('is answered only by the login that was asked', async () => {
    const other = await quire.user();
    for (const who of [await other.login(), await user.login()]) {
      const answer = await answerConsent(quire, screen, who);
      expect(answer.status).toBe(400);
      expect(answer.body).toContain('Answer it again');
    }
    expect((await answerConsent(quire, screen, '')).headers.get('location')).toStartWith('/login');
    expect(readRedirect(await answerConsent(quire, screen, cookie)).params).toHaveProperty('code');
  });

  test('is answered for what it asked, and not for anything else', async () => {
    const { about = '' } = hiddenFields(screen.body);
    const other = await registerClient(quire, { client_name: 'Another' });
    for (const changed of [
      about.replace(clientId, other),
      about.replace(keys.challenge, pkce().challenge),
      `${about}&scope=pages:write`,
      about.replace('state=a+state', 'state=b'),
    ]) {
      expect(changed).not.toBe(about);
      const answer = await answerConsent(quire, screen, cookie, { about: changed });
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    }
    for (const proof of ['', 'x', 'x.y', hiddenFields(screen.body).proof?.slice(0, -2)])
      expect((await answerConsent(quire, screen, cookie, { proof })).status).toBe(400);
  });

  test('is asked again if another page has the address by now', async () => {
    const shown = await user.publish({ name: 'Swapped' });
    const other = await user.publish({ name: 'Other' });
    const resource = `${quire.baseUrl}/p/swapped/mcp`;
    const query = authorizeQuery({ client_id: clientId, challenge: keys.challenge, more: { resource } });
    const first = await openConsent(quire, query, cookie);
    expect(first.body).toContain('Swapped');
    await user.call('PATCH', `/api/pages/${shown.id}`, { body: { slug: 'elsewhere' } });
    await user.call('PATCH', `/api/pages/${other.id}`, { body: { slug: 'swapped' } });
    const again = await answerConsent(quire, first, cookie);
    expect([again.status, again.headers.get('location')]).toEqual([400, null]);
    expect(again.body).toContain('Other');
    expect(readRedirect(await answerConsent(quire, again, cookie)).params).toHaveProperty('code');
  });

  test('expires', async () => {
    quire.advance(15 * 60_000 + 1_000);
    expect((await answerConsent(quire, screen, cookie)).status).toBe(400);
    quire.advance(-(15 * 60_000 + 1_000));
  });

  test('gives nothing without the confirmation, without a scope, and on no clear answer', async () => {
    for (const form of [
      { sure: undefined },
      { sure: 'no' },
      { scope: [] },
      { scope: ['account', 'nothing'] },
    ]) {
      const answer = await answerConsent(quire, screen, cookie, form);
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    }
    for (const unclear of [undefined, '', 'yes', 'ALLOW'])
      expect(readRedirect(await answerConsent(quire, screen, cookie, { answer: unclear })).params.error).toBe(
        'access_denied',
      );
  });

  test('gives no more than the app asked for, whatever the form says', async () => {
    const query = authorizeQuery({ client_id: clientId, ...keys, more: { scope: 'pages:read' } });
    const small = await openConsent(quire, query, cookie);
    expect(shownScopes(small.body).offered).toEqual(['pages:read']);
    const scope = ['pages:read', 'pages:write', 'account', 'admin'];
    const { params } = readRedirect(await answerConsent(quire, small, cookie, { scope }));
    const { body } = await exchange({ code: params.code, code_verifier: keys.verifier });
    expect(body.scope).toBe('pages:read');
  });

  test('shows the name of an app as text, and never as anything else', async () => {
    const hostile = await registerClient(quire, {
      client_name: '<img src=x onerror=alert(1)>\u202e"Quire\u200b" </strong>',
      logo_uri: 'https://evil.example/logo.png',
    });
    const shown = await openConsent(quire, authorizeQuery({ client_id: hostile, ...pkce() }), cookie);
    expect(shown.body).toContain('&lt;img src=x onerror=alert(1)&gt;');
    for (const text of ['<img', '\u202e', '\u200b', 'evil.example']) expect(shown.body).not.toContain(text);
    expect(shown.body).toContain('The app chose this name itself.');
  });

  test('says where the person returns to', () => {
    expect(screen.body).toContain('You then return to <strong>app.example</strong>');
  });

  test('needs a login, which leads back to it', async () => {
    const query = authorizeQuery({ client_id: clientId, ...keys });
    const answer = await openConsent(quire, query);
    const { uri, params } = readRedirect(answer);
    expect(uri).toBe('/login');
    expect(params.next).toBe(`/oauth/authorize?${query}`);
  });

  test('does not show itself to scripts of other origins as the person', async () => {
    const query = authorizeQuery({ client_id: clientId, ...keys });
    const headers = {
      cookie,
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'cors',
    };
    const answer = await quire.request(`/oauth/authorize?${query}`, { headers });
    expect(answer.headers.get('location')).toStartWith('/login');
  });

  test('limits the answers of one person', async () => {
    const busy = await quire.user();
    const who = await busy.login();
    const asked = await openConsent(quire, authorizeQuery({ client_id: clientId, ...pkce() }), who);
    const answers = [];
    for (let n = 0; n < 61; n++)
      answers.push((await answerConsent(quire, asked, who, { answer: 'deny' })).status);
    expect(answers.slice(0, 60).every((status) => status === 303)).toBe(true);
    expect(answers[60]).toBe(429);
  });
});

describe('a token of an app', () => {
  test('does what its scopes say, and nothing else', async () => {
    const app = await connect(quire, user, ['pages:read']);
    expect(await use(app.access)).toBe(200);
    const write = await quire.call('POST', '/api/pages', {
      token: app.access,
      body: { name: 'x', html_content: 'x' },
    });
    expect(write).toMatchObject({ status: 403, body: { code: 'INSUFFICIENT_SCOPE', scope: 'pages:write' } });
    for (const [method, path] of [
      ['GET', '/api/auth/tokens'],
      ['POST', '/api/auth/tokens'],
      ['GET', '/api/auth/apps'],
      ['DELETE', '/api/auth/apps/1'],
      ['GET', '/api/admin/users'],
    ] as const)
      expect([path, (await quire.call(method, path, { token: app.access })).status]).toEqual([path, 403]);
    for (const path of ['/api/auth/sessions', '/api/credits'])
      expect((await quire.call('GET', path, { token: app.access })).status).toBe(401);
  });

  test('is not accepted from a sandboxed page, even if the app returns to an address without an origin', async () => {
    const redirect_uri = 'myapp://callback/';
    const installed = await registerClient(quire, { redirect_uris: [redirect_uri] });
    const { verifier, challenge } = pkce();
    const { code } = await getCode(quire, cookie, { client_id: installed, redirect_uri, challenge });
    const { body } = await exchange({ client_id: installed, code, code_verifier: verifier });
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const from = async (headers: Record<string, string>) =>
      (await quire.call('POST', '/mcp', { token: body.access_token, body: ping, headers })).status;
    expect(await from({ origin: 'null' })).toBe(403);
    expect(await from({ origin: 'https://evil.example' })).toBe(403);
    expect(await from({ accept: 'application/json, text/event-stream' })).toBe(200);
  });

  test('of an administrator is not one of an administrator', async () => {
    const admin = await quire.user();
    await runSql(quire, `update users set is_admin = 1 where id = ${admin.id}`);
    const app = await connect(quire, admin, ['pages:read', 'admin', 'account']);
    expect(app.scope).toBe('pages:read');
    expect((await quire.call('GET', '/api/admin/users', { token: app.access })).status).toBe(403);
  });

  test('ends when the person changes the password, and so do codes that were not used yet', async () => {
    const ada = await quire.user();
    const who = await ada.login();
    const app = await connect(quire, ada);
    const { verifier, challenge } = pkce();
    const { code } = await getCode(quire, who, { client_id: clientId, challenge });
    const body = { current: ada.password, next: 'a whole new password' };
    expect((await quire.call('POST', '/api/auth/password', { cookie: who, body })).status).toBe(200);
    expect(await use(app.access)).toBe(401);
    expect(await refreshWith(quire, app.clientId, app.refresh)).toMatchObject(REFUSED);
    expect(await exchange({ code, code_verifier: verifier })).toMatchObject(REFUSED);
  });

  test('ends when the operator sets a new password', async () => {
    const ada = await quire.user();
    const app = await connect(quire, ada);
    const storage = await startStorage(quire);
    const openCredits = async () => undefined;
    const { baseUrl } = quire;
    const { db } = storage;
    const mail = new Mail({ db, baseUrl, mail: undefined, now: Date.now, log: createLog('silent') });
    const operator = createOperator({ db, now: Date.now, openCredits, disconnectApps, mail, baseUrl });
    await operator.resetPassword(ada.username, 'a whole new password');
    await storage.stop();
    expect(await use(app.access)).toBe(401);
    const left = await readSql(quire, `select id from oauth_grants where user_id = ${ada.id}`);
    expect(left).toEqual([]);
  });

  test('ends with a password change even if the app is connected at that moment', async () => {
    for (let round = 0; round < 3; round++) {
      const ada = await quire.user();
      const [thief, owner] = [await ada.login(), await ada.login()];
      const keys = Array.from({ length: 6 }, () => pkce());
      const screens = await Promise.all(
        keys.map((key) => openConsent(quire, authorizeQuery({ client_id: clientId, ...key }), thief)),
      );
      const body = { current: ada.password, next: 'a whole new password' };
      const [, ...answers] = await Promise.all([
        quire.call('POST', '/api/auth/password', { cookie: owner, body }),
        ...screens.map((screen) => answerConsent(quire, screen, thief)),
      ]);
      for (const [index, answer] of answers.entries()) {
        const code = new URLSearchParams(answer.headers.get('location')?.split('?')[1]).get('code');
        if (!code) continue;
        expect(await exchange({ code, code_verifier: keys[index]?.verifier })).toMatchObject(REFUSED);
      }
    }
  });

  test('ends with the account', async () => {
    const gone = await quire.user();
    const app = await connect(quire, gone);
    const isSqlite = quire.databaseUrl === undefined;
    await runSql(
      quire,
      ...(isSqlite ? ['pragma foreign_keys = on'] : []),
      `delete from users where id = ${gone.id}`,
    );
    expect(await use(app.access)).toBe(401);
    expect(await refreshWith(quire, app.clientId, app.refresh)).toMatchObject(REFUSED);
  });

  test('is revoked by its app, and by no other', async () => {
    const app = await connect(quire, user);
    const revoke = (client_id: string | undefined, what: string) =>
      postForm(quire, '/oauth/revoke', { client_id, token: what });
    expect(await revoke(clientId, app.access)).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client' },
    });
    expect((await revoke(undefined, app.access)).status).toBe(401);
    expect(await use(app.access)).toBe(200);
    for (const unknown of ['', 'qra_x', user.token, user.refreshToken, 'x'.repeat(200)])
      expect((await revoke(app.clientId, unknown)).status).toBe(200);
    expect(await use(user.token)).toBe(200);
    expect((await revoke(app.clientId, app.refresh)).status).toBe(200);
    expect(await use(app.access)).toBe(401);
    expect((await revoke(app.clientId, app.refresh)).status).toBe(200);
  });

  test('can be disconnected by its person only', async () => {
    const owner = await quire.user();
    const app = await connect(quire, owner);
    const [{ id }] = await apps(owner);
    expect((await user.call('DELETE', `/api/auth/apps/${id}`)).status).toBe(404);
    expect(await use(app.access)).toBe(200);
    expect((await owner.call('DELETE', `/api/auth/apps/${id}`)).status).toBe(204);
    expect(await use(app.access)).toBe(401);
    expect(await refreshWith(quire, app.clientId, app.refresh)).toMatchObject(REFUSED);
    expect((await owner.call('DELETE', `/api/auth/apps/${id}`)).status).toBe(404);
  });
});

describe('open registration', () => {
  const register = (body: unknown, peer = newAddress()) =>
    quire.call('POST', '/oauth/register', { body, peer });
  const metadata = { client_name: 'x', redirect_uris: [REDIRECT] };

  test('is limited by address', async () => {
    const peer = newAddress();
    for (let n = 0; n < 20; n++) expect((await register(metadata, peer)).status).toBe(201);
    const refused = await register(metadata, peer);
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'temporarily_unavailable', retryAfter: expect.any(Number) },
    });
    expect(refused.headers.get('retry-after')).toBeString();
    expect((await register(metadata)).status).toBe(201);
  });

  test('is limited in total: apps that nobody uses make room, the oldest first', async () => {
    const used = await connect(quire, user);
    await runSql(quire, 'delete from oauth_clients where used_at is null');
    const rows = Array.from({ length: 10_000 }, (_, n) => `('c${n}', 'x', '[]', ${n})`);
    await runSql(
      quire,
      `insert into oauth_clients (client_id, name, redirect_uris, created_at) values ${rows}`,
    );
    const { body } = await register(metadata);
    const left = await readSql<{ client_id: string }>(quire, 'select client_id from oauth_clients');
    const ids = left.map(({ client_id }) => client_id);
    expect(ids.length).toBeLessThanOrEqual(10_000);
    expect(ids).toContain(body.client_id);
    expect(ids).toContain(used.clientId);
    expect(ids).not.toContain('c0');
    expect(ids).toContain('c9999');
    await runSql(quire, "delete from oauth_clients where client_id like 'c%'");
    clientId = await registerClient(quire);
  });

  test.each([
    ['no redirect URI', {}],
    ['11 redirect URIs', { redirect_uris: Array.from({ length: 11 }, (_, n) => `https://a.example/${n}`) }],
    ['a long redirect URI', { redirect_uris: [`https://a.example/${'x'.repeat(500)}`] }],
    ['only refreshing', { redirect_uris: [REDIRECT], grant_types: ['refresh_token'] }],
    ['a password', { redirect_uris: [REDIRECT], grant_types: ['password'] }],
    ['an implicit grant', { redirect_uris: [REDIRECT], response_types: ['token'] }],
    ['a number as its name', { redirect_uris: [REDIRECT], client_name: 5 }],
    ['a list', []],
  ])('refuses %s', async (_, body) => {
    const answer = await register(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: expect.any(String), error_description: expect.any(String) });
  });

  test.each(['Quire', 'Quire command line', 'QU1RE', 'Q\u200buіrе', 'Official Quire'])(
    'refuses the name %j',
    async (client_name) => {
      const body = { client_name, redirect_uris: [REDIRECT] };
      expect(await quire.call('POST', '/oauth/register', { body, peer: newAddress() })).toMatchObject({
        status: 400,
        body: {
          error: 'invalid_client_metadata',
          error_description: expect.stringContaining('another name'),
        },
      });
    },
  );

  test('before such names were refused connects nobody new', async () => {
    const client_id = await registerClient(quire, { client_name: 'Claude Code (quire)' });
    const ask = async () => {
      const query = authorizeQuery({ client_id, ...pkce() });
      return (await openConsent(quire, query, await user.login())).status;
    };
    expect(await ask()).toBe(200);
    await runSql(quire, `update oauth_clients set name = 'Quire' where client_id = '${client_id}'`);
    expect(await ask()).toBe(400);
  });

  test('refuses what is larger than 16 KB', async () => {
    expect((await register({ ...metadata, x: 'x'.repeat(17_000) })).status).toBe(413);
  });

  test('gives no secret, even to an app that wants one', async () => {
    const { body } = await register({ ...metadata, token_endpoint_auth_method: 'client_secret_basic' });
    expect(body.token_endpoint_auth_method).toBe('none');
    expect(body).not.toHaveProperty('client_secret');
    const basic = (secret: string) => `Basic ${btoa(`${body.client_id}:${secret}`)}`;
    const ask = (authorization: string) =>
      token(quire, { grant_type: 'refresh_token', refresh_token: 'x' }, { headers: { authorization } });
    expect((await ask(basic(''))).body.error).toBe('invalid_grant');
    expect(await ask(basic('guess'))).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});
