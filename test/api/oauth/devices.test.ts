import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DEVICE_CODE_GRANT } from '../../../contract/oauth/protocol.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import {
  hiddenFields,
  newAddress,
  postForm,
  registerClient,
  shownPresets,
  shownScopes,
  token,
} from '../../support/oauth.ts';

/** Programs without a browser: a person types the code that the program shows. */

let quire: TestApp;
let user: TestUser;
let cookie: string;
beforeAll(async () => {
  quire = await testApp();
  user = await quire.user('typist');
  cookie = await user.login();
});
afterAll(() => quire.stop());

const CLI = 'quire-cli';
const start = (form: Record<string, string> = {}, peer = newAddress()) =>
  postForm(quire, '/oauth/device_authorization', { client_id: CLI, ...form }, { peer });
const poll = (device_code: string, client_id = CLI) =>
  token(quire, { grant_type: DEVICE_CODE_GRANT, client_id, device_code });
const type = (user_code: string, who = cookie, peer = newAddress()) =>
  postForm(quire, '/device', { user_code }, { cookie: who, peer });
const answer = (screen: string, form: object = {}, who = cookie, headers: Record<string, string> = {}) =>
  postForm(
    quire,
    '/device',
    {
      ...hiddenFields(screen),
      preset: 'own',
      scope: shownScopes(screen).ticked,
      sure: 'yes',
      answer: 'allow',
      ...form,
    },
    { cookie: who, peer: newAddress(), headers },
  );
/** The program waits as long as it was told. */
const wait = () => quire.advance(5_001);

describe('a program without a browser', () => {
  test('gets tokens when the person has typed its code and allowed it', async () => {
    const { body } = await start({ scope: 'pages:read pages:write' });
    expect(body).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
      verification_uri: `${quire.baseUrl}/device`,
      verification_uri_complete: `${quire.baseUrl}/device?user_code=${body.user_code}`,
      expires_in: 900,
      interval: 5,
    });
    expect((await poll(body.device_code)).body.error).toBe('authorization_pending');
    const screen = await type(body.user_code);
    expect(screen.status).toBe(200);
    expect(screen.body).toContain('Quire command line');
    expect(shownScopes(screen.body)).toEqual({
      offered: ['pages:read', 'pages:write'],
      ticked: ['pages:read'],
    });
    const done = await answer(screen.body, { scope: ['pages:read', 'pages:write'] });
    expect(done.body).toContain('Connected');
    wait();
    const { status, body: given } = await poll(body.device_code);
    expect(status).toBe(200);
    expect(given.scope).toBe('pages:read pages:write');
    expect((await quire.call('GET', '/api/pages', { token: given.access_token })).status).toBe(200);
    wait();
    expect((await poll(body.device_code)).body.error).toBe('invalid_grant');
  });

  test('that asks for everything gets what the chosen preset says', async () => {
    const { body } = await start();
    const screen = (await type(body.user_code)).body;
    expect(shownPresets(screen)).toEqual({
      offered: ['look', 'build', 'everything', 'own'],
      chosen: undefined,
    });
    expect((await answer(screen, { preset: undefined })).status).toBe(400);
    expect((await answer(screen, { preset: 'build' })).body).toContain('Connected');
    const { scope } = (await poll(body.device_code)).body;
    expect(scope.split(' ').filter((each: string) => each.endsWith(':write'))).toEqual([
      'pages:write',
      'functions:write',
    ]);
  });

  test('learns that the person did not allow it', async () => {
    const { body } = await start();
    const screen = await type(body.user_code);
    expect((await answer(screen.body, { answer: 'deny' })).body).toContain('Not allowed');
    expect((await poll(body.device_code)).body.error).toBe('access_denied');
    expect((await type(body.user_code)).status).toBe(404);
  });

  test('gets nothing for a page whose address another page has by now', async () => {
    const page = await user.publish({ name: 'Meant' });
    const other = await user.publish({ name: 'Another' });
    const { body } = await start({ resource: `${quire.baseUrl}/p/meant/mcp` });
    expect((await type(body.user_code)).body).toContain('Meant');
    await user.call('PATCH', `/api/pages/${page.id}`, { body: { slug: 'not-meant' } });
    await user.call('PATCH', `/api/pages/${other.id}`, { body: { slug: 'meant' } });
    const screen = await type(body.user_code);
    expect([screen.status, screen.body.includes('a page that no longer exists')]).toEqual([404, true]);
  });

  test('must not ask too often', async () => {
    const { body } = await start();
    expect((await poll(body.device_code)).body.error).toBe('authorization_pending');
    expect((await poll(body.device_code)).body.error).toBe('slow_down');
    quire.advance(5_001);
    expect((await poll(body.device_code)).body.error).toBe('slow_down');
    quire.advance(15_001);
    expect((await poll(body.device_code)).body.error).toBe('authorization_pending');
  });

  test('has to wait a minute at most, however often it asks', async () => {
    const { body } = await start();
    for (let asked = 0; asked < 20; asked++) await poll(body.device_code);
    expect((await poll(body.device_code)).body.error_description).toBe('Ask every 60 seconds.');
    quire.advance(59_000);
    expect((await poll(body.device_code)).body.error).toBe('slow_down');
    quire.advance(1_001);
    expect((await poll(body.device_code)).body.error).toBe('authorization_pending');
  });

  test('has 15 minutes', async () => {
    const { body } = await start();
    const screen = await type(body.user_code);
    quire.advance(900_001);
    expect((await poll(body.device_code)).body.error).toBe('expired_token');
    expect((await type(body.user_code)).status).toBe(404);
    expect((await answer(screen.body)).status).toBe(404);
    quire.advance(-900_001);
  });

  test('can be a registered app, and an unknown one gets no code', async () => {
    const clientId = await registerClient(quire, {
      grant_types: [DEVICE_CODE_GRANT],
      redirect_uris: undefined,
    });
    expect((await start({ client_id: clientId })).status).toBe(200);
    expect(await start({ client_id: 'qrc_nothing' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    expect((await start({ scope: 'admin' })).body.error).toBe('invalid_scope');
    expect((await start({ resource: 'https://other.example' })).body.error).toBe('invalid_target');
  });

  test('gets 60 codes an hour for one address, and there are 10,000 at a time', async () => {
    const peer = newAddress();
    for (let n = 0; n < 60; n++) expect((await start({}, peer)).status).toBe(200);
    expect(await start({}, peer)).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
    await runSql(quire, 'delete from oauth_device_codes');
    const rows = Array.from(
      { length: 10_000 },
      (_, n) => `('d${n}', 'u${n}', 'x', 'x', 'x', 0, 'x', 'x', 'x', 'pending', 0, ${Date.now() + n}, 5)`,
    );
    const columns =
      'code_hash, user_code, client_id, name, origin, is_verified, resource, scopes, address, status, created_at, expires_at, interval_seconds';
    await runSql(quire, `insert into oauth_device_codes (${columns}) values ${rows}`);
    expect((await start()).status).toBe(200);
    const left = await readSql<{ code_hash: string }>(quire, 'select code_hash from oauth_device_codes');
    expect(left).toHaveLength(10_000);
    expect(left.map(({ code_hash }) => code_hash)).not.toContain('d0');
    await runSql(quire, 'delete from oauth_device_codes');
  });
});

describe('an attack with a code', () => {
  test('of another app gets nothing', async () => {
    const other = await registerClient(quire);
    const { body } = await start();
    await answer((await type(body.user_code)).body);
    expect((await poll(body.device_code, other)).body.error).toBe('invalid_grant');
    expect((await poll('x'.repeat(43))).body.error).toBe('invalid_grant');
    expect((await poll('')).body.error).toBe('invalid_grant');
    expect((await poll(body.device_code)).status).toBe(200);
  });

  test('guesses ten times in 15 minutes, and a right code does not count', async () => {
    const guesser = await quire.user();
    const who = await guesser.login();
    const { body } = await start();
    for (let n = 0; n < 3; n++) expect((await type(body.user_code, who)).status).toBe(200);
    for (let n = 0; n < 10; n++) expect((await type('BBBB-BBBB', who)).status).toBe(404);
    const refused = await type(body.user_code, who);
    expect(refused.status).toBe(429);
    expect(refused.body).not.toContain('name="proof"');
    expect((await type(body.user_code)).status).toBe(200);
  });

  test('guesses with many accounts from one address', async () => {
    const peer = newAddress();
    const logins = await Promise.all(Array.from({ length: 6 }, async () => (await quire.user()).login()));
    const statuses: number[] = [];
    for (const who of logins)
      for (let n = 0; n < 9; n++) statuses.push((await type('BBBB-BBBB', who, peer)).status);
    expect(statuses.slice(0, 50).every((status) => status === 404)).toBe(true);
    expect(statuses.slice(50).every((status) => status === 429)).toBe(true);
  });

  test('that is sent to somebody is not allowed by opening the link', async () => {
    const { body } = await start();
    const path = new URL(body.verification_uri_complete);
    const opened = await quire.request(path.pathname + path.search, {
      headers: { cookie, 'sec-fetch-mode': 'navigate' },
    });
    const screen = await opened.text();
    expect(screen).toContain(`value="${body.user_code}"`);
    expect(screen).toContain('Never type a code that somebody sent you.');
    expect(screen).not.toContain('name="proof"');
    expect(opened.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect((await poll(body.device_code)).body.error).toBe('authorization_pending');
  });

  test('shows where the program is, if it is not where the person is', async () => {
    const { body } = await start({}, '203.0.113.7');
    const far = await type(body.user_code, cookie, '198.51.100.1');
    expect(far.body).toContain('203.0.113.7');
    expect(far.body).toContain('Yours is 198.51.100.1');
    expect(far.body).toContain(body.user_code);
    const near = await type(body.user_code, cookie, '203.0.113.7');
    expect(near.body).toContain('your own network address');
    const { body: local } = await start({}, '127.0.0.1');
    expect((await type(local.user_code, cookie, '::1')).body).toContain('your own network address');
  });

  test('from another site, of another login, or for another code is not an answer', async () => {
    const { body } = await start();
    const { body: second } = await start();
    const screen = (await type(body.user_code)).body;
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await answer(screen, {}, cookie, headers)).status).toBe(403);
    expect((await answer(screen, {}, await user.login())).status).toBe(400);
    expect((await answer(screen, { about: second.user_code })).status).toBe(400);
    expect((await answer(screen, { proof: '' })).status).toBe(400);
    expect((await answer(screen, { sure: undefined })).status).toBe(400);
    expect((await answer(screen, { scope: [] })).status).toBe(400);
    for (const each of [body, second])
      expect((await poll(each.device_code)).body.error).toBe('authorization_pending');
  });

  test('that was answered cannot be answered again by somebody else', async () => {
    const { body } = await start();
    const other = await quire.user();
    const theirs = await other.login();
    const [mine, their] = [(await type(body.user_code)).body, (await type(body.user_code, theirs)).body];
    await answer(mine, { answer: 'deny' });
    expect((await answer(their, {}, theirs)).status).toBe(404);
    expect((await poll(body.device_code)).body.error).toBe('access_denied');
  });

  test('that was allowed before a password change gets nothing after it', async () => {
    const ada = await quire.user();
    const who = await ada.login();
    const { body } = await start();
    await answer((await type(body.user_code, who)).body, {}, who);
    const change = { current: ada.password, next: 'a whole new password' };
    await quire.call('POST', '/api/auth/password', { cookie: who, body: change });
    expect((await poll(body.device_code)).body.error).toBe('invalid_grant');
  });
});

test('a code can be typed in any case and with any separators', async () => {
  const { body } = await start();
  for (const typed of [
    body.user_code.toLowerCase(),
    body.user_code.replace('-', ''),
    ` ${body.user_code.replace('-', ' ')} `,
  ])
    expect((await type(typed)).status).toBe(200);
  for (const typed of ['', 'BBBB', 'AEIO-UAEI', 'x'.repeat(100), '<b>'])
    expect([typed, (await type(typed)).status]).toEqual([typed, 404]);
});

test('the screen needs a login, which leads back to the code', async () => {
  const opened = await quire.request('/device?user_code=BCDF-GHJK', {
    headers: { 'sec-fetch-mode': 'navigate' },
  });
  expect(opened.headers.get('location')).toBe(
    `/login?next=${encodeURIComponent('/device?user_code=BCDF-GHJK')}`,
  );
  const hostile = await quire.request('/device?user_code=//evil.example', {
    headers: { 'sec-fetch-mode': 'navigate' },
  });
  expect(hostile.headers.get('location')).toBe('/login?next=%2Fdevice');
});
