import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { PASSWORD, type TestApp, testApp } from '../../support/app.ts';
import { promote } from '../../support/backup.ts';

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp();
});
afterAll(() => quire.stop());

describe('a login', () => {
  test('sets a cookie that scripts cannot read and other sites cannot send', async () => {
    await quire.user('anna');
    const answer = await quire.call('POST', '/api/auth/login', {
      body: { username: 'anna', password: PASSWORD },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.user).toEqual({ id: expect.any(Number), username: 'anna', credits: 20 });
    const cookie = answer.headers.get('set-cookie') ?? '';
    for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=2592000'])
      expect(cookie).toContain(part);
    expect(cookie).not.toContain('Domain');
    expect(cookie).not.toContain('Secure');
  });

  test('leaves no token, cookie or password in the files of the database', async () => {
    const user = await quire.user('amy');
    const cookie = await user.login();
    const { body } = await user.call('POST', '/api/auth/tokens', {
      body: { name: 'ci', scopes: ['pages:read'] },
    });
    const secrets = [user.token, user.refreshToken, cookie.split('=')[1], body.token, PASSWORD];
    const stored = await Promise.all(
      ['quire.db', 'quire.db-wal'].map((name) => Bun.file(join(quire.dataFolder, name)).text()),
    );
    expect(stored.join()).toContain('amy@example.com');
    for (const secret of secrets) {
      expect(secret?.length).toBeGreaterThan(8);
      expect(stored.filter((text) => text.includes(secret ?? ''))).toEqual([]);
    }
  });

  test('on HTTPS sets a Secure cookie with the __Host- prefix', async () => {
    const https = await testApp({ QUIRE_BASE_URL: 'https://quire.example.com' });
    await https.user('anna');
    const answer = await https.call('POST', '/api/auth/login', {
      body: { username: 'anna', password: PASSWORD },
    });
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toStartWith('__Host-quire_session=');
    expect(cookie).toContain('Secure');
    const plainName = cookie.split(';')[0]?.replace('__Host-', '') ?? '';
    expect((await https.call('GET', '/api/auth/me', { cookie: plainName })).status).toBe(401);
    expect((await https.call('GET', '/api/auth/me', { cookie: cookie.split(';')[0] ?? '' })).status).toBe(
      200,
    );
    await https.stop();
  });

  test('from another origin is refused, so that no site can log a visitor in as someone else', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const answer = await quire.call('POST', '/api/auth/login', {
        body: { username: 'anna', password: PASSWORD },
        headers: headers as unknown as Record<string, string>,
      });
      expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });
});

describe('sessions', () => {
  test('can be listed, and ended one by one or all others together', async () => {
    const bea = await quire.user('bea');
    const [first, second, third] = [await bea.login(), await bea.login(), await bea.login()];
    const list = await quire.call('GET', '/api/auth/sessions', { cookie: first });
    expect(list.body.sessions.length).toBe(3);
    expect(list.body.sessions.filter((session: { current: boolean }) => session.current).length).toBe(1);
    const own = await quire.call('GET', '/api/auth/sessions', { cookie: second });
    const secondId = own.body.sessions.find((session: { current: boolean }) => session.current).id;
    expect((await quire.call('DELETE', `/api/auth/sessions/${secondId}`, { cookie: first })).status).toBe(
      204,
    );
    expect((await quire.call('GET', '/api/auth/me', { cookie: second })).status).toBe(401);
    expect((await quire.call('DELETE', `/api/auth/sessions/${secondId}`, { cookie: first })).status).toBe(
      404,
    );
    expect((await quire.call('DELETE', '/api/auth/sessions', { cookie: first })).status).toBe(204);
    expect((await quire.call('GET', '/api/auth/me', { cookie: third })).status).toBe(401);
    expect((await quire.call('GET', '/api/auth/me', { cookie: first })).status).toBe(200);
  });

  test('cannot be ended by someone else', async () => {
    const cleo = await quire.user('cleo');
    const dan = await quire.user('dan');
    const cookie = await cleo.login();
    const { id } = (await quire.call('GET', '/api/auth/sessions', { cookie })).body.sessions[0];
    expect(
      (await quire.call('DELETE', `/api/auth/sessions/${id}`, { cookie: await dan.login() })).status,
    ).toBe(404);
    expect((await quire.call('GET', '/api/auth/me', { cookie })).status).toBe(200);
  });

  test('end with a logout, together with their dashboard token', async () => {
    const eva = await quire.user('eva');
    const cookie = await eva.login();
    const dashboard = await quire.call('POST', '/api/auth/session-token', { cookie });
    expect(dashboard.body).toMatchObject({ expiresIn: 600, tokenType: 'Bearer' });
    expect((await quire.call('GET', '/api/pages', { token: dashboard.body.accessToken })).status).toBe(200);
    const out = await quire.call('POST', '/api/auth/logout', { cookie });
    expect(out.status).toBe(200);
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await quire.call('GET', '/api/auth/me', { cookie })).status).toBe(401);
    expect((await quire.call('GET', '/api/pages', { token: dashboard.body.accessToken })).status).toBe(401);
  });

  test('cannot be used with a bearer token', async () => {
    const finn = await quire.user('finn');
    for (const [method, path] of [
      ['GET', '/api/auth/sessions'],
      ['POST', '/api/auth/session-token'],
    ] as const) {
      const answer = await finn.call(method, path);
      expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHORIZED']);
    }
  });
});

describe('a password change', () => {
  test('needs the old password, and ends other sessions, refresh families and their tokens', async () => {
    const gus = await quire.user('gus');
    const [here, elsewhere] = [await gus.login(), await gus.login()];
    const personal = await gus.call('POST', '/api/auth/tokens', {
      body: { name: 'ci', scopes: ['pages:read'] },
    });
    const change = (current: string, next: string) =>
      quire.call('POST', '/api/auth/password', { cookie: here, body: { current, next } });
    expect(await change('wrong password', 'a whole new one')).toMatchObject({
      status: 401,
      body: { code: 'INVALID_CREDENTIALS', error: 'The current password is wrong. Check it and try again.' },
    });
    expect((await change(PASSWORD, 'short')).status).toBe(400);
    expect((await change(PASSWORD, 'a whole new one')).status).toBe(200);
    expect((await quire.call('GET', '/api/auth/me', { cookie: here })).status).toBe(200);
    expect((await quire.call('GET', '/api/auth/me', { cookie: elsewhere })).status).toBe(401);
    const refresh = { refreshToken: gus.refreshToken };
    expect((await quire.call('POST', '/api/auth/token/refresh', { body: refresh })).status).toBe(401);
    expect((await gus.call('GET', '/api/pages')).status).toBe(401);
    expect((await quire.call('GET', '/api/pages', { token: personal.body.token })).status).toBe(401);
    const login = (password: string) =>
      quire.call('POST', '/api/auth/login', { body: { username: 'gus', password } });
    expect((await login(PASSWORD)).status).toBe(401);
    expect((await login('a whole new one')).status).toBe(200);
  });
});

describe('limits on login attempts', () => {
  const tryLogin = (app: TestApp, username: string, password: string, peer: string) =>
    app.call('POST', '/api/auth/token', { body: { username, password }, peer });

  test('allow ten failures for a username, also in parallel and from many addresses', async () => {
    await quire.user('hana');
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, i) => tryLogin(quire, 'hana', 'wrong password', `10.1.0.${i}`)),
    );
    expect(answers.filter(({ status }) => status === 401).length).toBe(10);
    expect(answers.filter(({ status }) => status === 429).length).toBe(15);
    const refused = await tryLogin(quire, 'hana', PASSWORD, '10.1.0.99');
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-limit')).toBe('10');
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(refused.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
  });

  test('count failures only: fifteen correct passwords at once succeed', async () => {
    await quire.user('ivan');
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => tryLogin(quire, 'ivan', PASSWORD, '10.2.0.1')),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(200));
  });

  test('count by address, IPv6 by /64, and ignore a forwarded address from a stranger', async () => {
    const app = await testApp({ QUIRE_LOGIN_FAILURES_PER_ADDRESS: '3' });
    const from = (peer: string, headers: Record<string, string> = {}) =>
      app.call('POST', '/api/auth/token', {
        body: { username: Bun.randomUUIDv7(), password: 'x' },
        peer,
        headers,
      });
    const statuses = async (peers: string[]) => {
      const found: number[] = [];
      for (const peer of peers) found.push((await from(peer)).status);
      return found;
    };
    expect(await statuses(['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::3', '2001:db8::4'])).toEqual([
      401, 401, 401, 429,
    ]);
    expect(await statuses(['2001:db8:0:1::1'])).toEqual([401]);
    for (let i = 0; i < 3; i++) await from('10.3.0.1', { 'x-forwarded-for': `8.8.8.${i}` });
    expect((await from('10.3.0.1', { 'x-forwarded-for': '9.9.9.9' })).status).toBe(429);
    await app.stop();
  });

  test('use a forwarded address from a trusted proxy, and only its last entries', async () => {
    const app = await testApp({ QUIRE_LOGIN_FAILURES_PER_ADDRESS: '2', QUIRE_TRUSTED_PROXIES: '10.0.0.0/8' });
    const through = (forwarded: string) =>
      app.call('POST', '/api/auth/token', {
        body: { username: Bun.randomUUIDv7(), password: 'x' },
        peer: '10.0.0.1',
        headers: { 'x-forwarded-for': forwarded },
      });
    expect((await through('1.1.1.1, 7.7.7.7, 10.0.0.2')).status).toBe(401);
    expect((await through('2.2.2.2, 7.7.7.7, 10.0.0.2')).status).toBe(401);
    expect((await through('3.3.3.3, 7.7.7.7, 10.0.0.2')).status).toBe(429);
    expect((await through('7.7.7.7, 8.8.8.8')).status).toBe(401);
    await app.stop();
  });

  test('allow twenty registrations an hour from one address', async () => {
    const app = await testApp({ QUIRE_REGISTRATIONS_PER_HOUR: '20' });
    const register = (i: number, peer: string) =>
      app.call('POST', '/api/auth/register', {
        body: { username: `many${i}`, email: `many${i}@example.com`, password: PASSWORD },
        peer,
      });
    const answers = await Promise.all(Array.from({ length: 22 }, (_, i) => register(i, '10.4.0.1')));
    expect(answers.filter(({ status }) => status === 201).length).toBe(20);
    expect(answers.filter(({ status }) => status === 429).length).toBe(2);
    expect((await register(99, '10.4.0.2')).status).toBe(201);
    await app.stop();
  });
});

describe('the administrator', () => {
  test('can have a name that nobody can register with, also after a change', async () => {
    const own = await testApp();
    const code = new URL((await own.app.makeSetupLink()) ?? '').searchParams.get('code') ?? '';
    const made = await own.request('/setup', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        ...{ code, username: 'admin', email: 'admin@example.com', password: PASSWORD },
      }).toString(),
    });
    expect(made.status).toBe(303);
    const cookie = (made.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const rename = async (username: string) =>
      (await own.call('POST', '/api/auth/username', { cookie, body: { username } })).status;
    expect([await rename('root'), await rename('system')]).toEqual([200, 409]);
    await own.stop();
  });

  test('is created with a link that works once', async () => {
    const link = (await quire.app.makeSetupLink()) ?? '';
    const code = new URL(link).searchParams.get('code') ?? '';
    const send = (fields: Record<string, string>) =>
      quire.request('/setup', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ code, ...fields }).toString(),
      });
    expect((await quire.request('/setup?code=wrong')).status).toBe(404);
    expect((await quire.request(`/setup?code=${code}`)).status).toBe(200);
    const early = await quire.user('june');
    expect((await send({ username: 'june', password: 'not the password' })).status).toBe(401);
    expect((await send({ username: 'june', password: PASSWORD })).status).toBe(303);
    expect((await send({ username: 'june', password: PASSWORD })).status).toBe(404);
    expect((await quire.request(`/setup?code=${code}`)).status).toBe(404);
    expect(await quire.app.makeSetupLink()).toBeUndefined();

    expect((await early.call('GET', '/api/admin/users')).body.code).toBe('INSUFFICIENT_SCOPE');
    const token = await quire.call('POST', '/api/auth/token', {
      body: { username: 'june', password: PASSWORD, scopes: ['admin'] },
    });
    const users = await quire.call('GET', '/api/admin/users?limit=2', { token: token.body.accessToken });
    expect(users.status).toBe(200);
    expect(users.body.users.length).toBe(2);
    expect(users.body.total).toBeGreaterThan(2);
    const health = await quire.call('GET', '/api/admin/health', { token: token.body.accessToken });
    expect(health.body.status).toBe('ok');
    const readSize = (name: string) => Bun.file(join(quire.dataFolder, name)).size;
    const onDisk = quire.databaseUrl ? null : readSize('quire.db') + readSize('quire.db-wal');
    expect(health.body.disk.databaseBytes).toBe(onDisk);
  });

  test('cannot be created with a link of another node after there is one', async () => {
    const app = await testApp();
    await app.user('ann');
    await app.user('eve');
    const code = new URL((await app.app.makeSetupLink()) ?? '').searchParams.get('code') ?? '';
    await promote(app, 'ann');
    expect((await app.request(`/setup?code=${code}`)).status).toBe(404);
    const sent = await app.request('/setup', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ code, username: 'eve', password: PASSWORD }).toString(),
    });
    expect(sent.status).toBe(404);
    await app.stop();
  });

  test('can be any logged-in user, with one button, only from our own screens', async () => {
    const app = await testApp();
    const cookie = await (await app.user('kim')).login();
    const code = new URL((await app.app.makeSetupLink()) ?? '').searchParams.get('code') ?? '';
    const look = async (path: string) => {
      const response = await app.request(path, { headers: { cookie } });
      return [response.status, await response.text()] as const;
    };
    expect((await look(`/setup?code=${code}`))[1]).toContain('Become administrator as kim');
    expect((await look(`/setup?code=${code}`))[1]).not.toContain('name="password"');
    expect((await look(`/setup?code=${code}&other=yes`))[1]).toContain('name="password"');
    const press = (headers: Record<string, string>) =>
      app.request('/setup', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ code, as: 'me' }).toString(),
      });
    expect((await press({ cookie, origin: 'http://p1.pages.localhost' })).status).toBe(403);
    expect(await (await press({})).text()).toContain('name="password"');
    expect((await look('/setup/done'))[0]).toBe(303);
    const done = await press({ cookie, origin: app.baseUrl });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/setup/done']);
    expect((await look('/setup/done'))[1]).toContain('You are now an administrator');
    expect((await press({ cookie })).status).toBe(404);
    const wanted = { username: 'kim', password: PASSWORD, scopes: ['admin'] };
    expect((await app.call('POST', '/api/auth/token', { body: wanted })).status).toBe(200);
    await app.stop();
  });

  test('can be a new account, also while registration is closed', async () => {
    const app = await testApp({ QUIRE_REGISTRATION: 'closed' });
    const body = { username: 'nobody', email: 'n@example.com', password: PASSWORD };
    const refused = await app.call('POST', '/api/auth/register', { body });
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
    expect((await app.request('/register')).status).toBe(403);
    const code = new URL((await app.app.makeSetupLink()) ?? '').searchParams.get('code') ?? '';
    const form = new URLSearchParams({
      code,
      username: 'root-user',
      email: 'r@example.com',
      password: PASSWORD,
    });
    const response = await app.request('/setup', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
    expect(response.status).toBe(303);
    const wanted = { username: 'root-user', password: PASSWORD, scopes: ['admin'] };
    expect((await app.call('POST', '/api/auth/token', { body: wanted })).status).toBe(200);
    await app.stop();
  });
});
