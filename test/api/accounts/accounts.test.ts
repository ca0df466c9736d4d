import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PASSWORD, type TestApp, testApp } from '../../support/app.ts';

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp();
});
afterAll(() => quire.stop());

const register = (body: unknown, peer?: string) =>
  quire.call('POST', '/api/auth/register', { body, ...(peer && { peer }) });

describe('registration', () => {
  test('creates an account and a pair of tokens', async () => {
    const { status, body } = await register({
      username: 'Ada_1',
      email: 'Ada@Example.com',
      password: PASSWORD,
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      success: true,
      userId: expect.any(Number),
      username: 'ada_1',
      accessToken: expect.stringMatching(/^qra_/),
      refreshToken: expect.stringMatching(/^qrr_/),
      expiresIn: 3600,
      tokenType: 'Bearer',
    });
    expect(Number.isInteger(body.userId)).toBe(true);
  });

  test('refuses names of people who speak for the server, and what looks like them', async () => {
    const register = (username: string) =>
      quire.call('POST', '/api/auth/register', {
        body: { username, email: `${username}@example.com`, password: PASSWORD },
      });
    for (const name of ['system', 'System', 'admin', 'quire', 'support', 'root', 'Adm1n', 'admin-2']) {
      const { status, body } = await register(name);
      expect([name, status, body.code]).toEqual([name, 409, 'CONFLICT']);
      expect(body.error).toContain('is reserved. Choose another.');
    }
    expect((await register('systems')).status).toBe(201);
  });

  test('refuses a taken username or e-mail address, regardless of case', async () => {
    await register({ username: 'bob', email: 'bob@example.com', password: PASSWORD });
    const sameName = await register({ username: 'BOB', email: 'other@example.com', password: PASSWORD });
    const sameMail = await register({ username: 'bobby', email: 'BOB@example.com', password: PASSWORD });
    expect([sameName.status, sameName.body.code]).toEqual([409, 'CONFLICT']);
    expect([sameMail.status, sameMail.body.code]).toEqual([409, 'CONFLICT']);
  });

  const good = { username: 'carol', email: 'carol@example.com', password: PASSWORD };
  const bad: Array<[string, unknown]> = [
    ['a username of 2 characters', { ...good, username: 'ab' }],
    ['a username of 33 characters', { ...good, username: 'a'.repeat(33) }],
    ['a username with a space', { ...good, username: 'a b c' }],
    ['a username with a non-ASCII letter', { ...good, username: 'añb' }],
    ['a password of 7 characters', { ...good, password: '1234567' }],
    ['a password of 201 characters', { ...good, password: 'x'.repeat(201) }],
    ['a password of 4 emoji (8 UTF-16 units)', { ...good, password: '😀'.repeat(4) }],
    ['a password with a NUL', { ...good, password: 'abcdefgh\0' }],
    ['no e-mail address', { username: 'carol', password: PASSWORD }],
    ['something that is not an e-mail address', { ...good, email: 'carol' }],
    ['an unknown field', { ...good, admin: true }],
    ['a number as the username', { ...good, username: 123 }],
    ['a list', [good]],
    ['null', null],
  ];
  test.each(bad)('refuses %s', async (_, body) => {
    const answer = await register(body);
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.details.length).toBeGreaterThan(0);
  });

  test('accepts names and passwords at their limits', async () => {
    const long = { username: 'l'.repeat(32), email: 'long@example.com', password: 'p'.repeat(200) };
    const short = { username: 'abc', email: 'short@example.com', password: '12345678' };
    expect((await register(long)).status).toBe(201);
    expect((await register(short)).status).toBe(201);
  });

  test('of one name, ten times at once, creates one account', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        register({ username: 'racer', email: `racer${i}@example.com`, password: PASSWORD }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });
});

describe('a token request', () => {
  const ask = (body: unknown) => quire.call('POST', '/api/auth/token', { body });

  test('grants all scopes except admin unless fewer are requested', async () => {
    const dora = await quire.user('dora');
    const all = await ask({ username: 'DORA', password: dora.password });
    expect(all.status).toBe(200);
    expect(all.body.expiresIn).toBe(3600);
    expect(all.body.tokenType).toBe('Bearer');
    expect(all.body.scopes).toContain('functions:write');
    expect(all.body.scopes).not.toContain('admin');
    const few = await ask({ username: 'dora', password: dora.password, scopes: ['pages:read'] });
    expect(few.body.scopes).toEqual(['pages:read']);
  });

  test('accepts a form or JSON', async () => {
    await quire.user('form-user');
    const response = await quire.request('/api/auth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        username: 'form-user',
        password: PASSWORD,
        scopes: 'pages:read pages:write',
      }).toString(),
    });
    expect(response.status).toBe(200);
    expect(((await response.json()) as { scopes: string[] }).scopes).toEqual(['pages:read', 'pages:write']);
  });

  test('accepts scopes in JSON only as an array', async () => {
    const answer = await ask({ username: 'dora', password: PASSWORD, scopes: 'pages:read pages:write' });
    expect([answer.status, answer.body.details[0].path]).toEqual([400, 'scopes']);
  });

  test('refuses an unknown scope and lists the known ones', async () => {
    const answer = await ask({ username: 'dora', password: PASSWORD, scopes: ['pages:admin'] });
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.error).toContain('social-data:write');
  });

  test('refuses the admin scope to anyone who is not an administrator', async () => {
    const answer = await ask({ username: 'dora', password: PASSWORD, scopes: ['admin'] });
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
  });

  test('responds in the same way to a wrong password and an unknown user', async () => {
    const wrong = await ask({ username: 'dora', password: 'not it at all' });
    const unknown = await ask({ username: 'nobody-here', password: 'not it at all' });
    expect([wrong.status, wrong.body.code]).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(unknown.body).toEqual(wrong.body);
  });
});

describe('refreshing a token', () => {
  const refresh = (refreshToken: unknown) =>
    quire.call('POST', '/api/auth/token/refresh', { body: { refreshToken } });

  test('returns a new pair with the same scopes each time', async () => {
    await quire.user('erin');
    const first = await quire.call('POST', '/api/auth/token', {
      body: { username: 'erin', password: PASSWORD, scopes: ['pages:read'] },
    });
    const second = await refresh(first.body.refreshToken);
    expect(second.status).toBe(200);
    expect(second.body.scopes).toEqual(['pages:read']);
    const third = await refresh(second.body.refreshToken);
    expect(third.status).toBe(200);
    expect((await quire.call('GET', '/api/pages', { token: third.body.accessToken })).status).toBe(200);
  });

  test('that was already used revokes its whole family', async () => {
    const frank = await quire.user('frank');
    const second = await refresh(frank.refreshToken);
    const replay = await refresh(frank.refreshToken);
    expect([replay.status, replay.body.code]).toEqual([401, 'INVALID_TOKEN']);
    expect((await refresh(second.body.refreshToken)).status).toBe(401);
    const answer = await quire.call('GET', '/api/pages', { token: second.body.accessToken });
    expect([answer.status, answer.body.code]).toEqual([401, 'INVALID_TOKEN']);
    expect((await frank.call('GET', '/api/pages')).status).toBe(401);
  });

  test('ten times at once succeeds once and then revokes the family', async () => {
    const gina = await quire.user('gina');
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(gina.refreshToken)));
    expect(answers.filter(({ status }) => status === 200).length).toBe(1);
    const winner = answers.find(({ status }) => status === 200);
    expect((await refresh(winner?.body.refreshToken)).status).toBe(401);
  });

  test('is refused for an access token, an unknown token or an invalid one', async () => {
    const henry = await quire.user('henry');
    expect((await refresh(henry.token)).status).toBe(401);
    expect((await refresh('qrr_unknown')).status).toBe(401);
    expect((await refresh(12)).status).toBe(400);
  });
});

describe('personal tokens', () => {
  test('are shown once, listed without their secret, and can be revoked', async () => {
    const iris = await quire.user('iris');
    const made = await iris.call('POST', '/api/auth/tokens', {
      body: { name: 'laptop', scopes: ['pages:read'] },
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      branches_only: false,
      creditLimit: null,
      id: expect.any(Number),
      name: 'laptop',
      token: expect.stringMatching(/^qr_/),
      scopes: ['pages:read'],
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const list = await iris.call('GET', '/api/auth/tokens');
    expect(list.body.tokens.map((token: { id: number }) => token.id)).toEqual([made.body.id]);
    expect(JSON.stringify(list.body)).not.toContain(made.body.token);
    expect((await quire.call('GET', '/api/pages', { token: made.body.token })).status).toBe(200);
    const write = await quire.call('POST', '/api/pages', { token: made.body.token, body: {} });
    expect([write.status, write.body.code, write.body.scope]).toEqual([
      403,
      'INSUFFICIENT_SCOPE',
      'pages:write',
    ]);
    expect(write.body.error).toContain('pages:write');

    expect((await iris.call('DELETE', `/api/auth/tokens/${made.body.id}`)).status).toBe(204);
    expect((await quire.call('GET', '/api/pages', { token: made.body.token })).body.code).toBe(
      'INVALID_TOKEN',
    );
    expect((await iris.call('DELETE', `/api/auth/tokens/${made.body.id}`)).status).toBe(404);
  });

  test('cannot grant more than the token that creates them', async () => {
    const judy = await quire.user('judy');
    const small = await judy.call('POST', '/api/auth/tokens', {
      body: { name: 'small', scopes: ['pages:read'] },
    });
    const answer = await quire.call('POST', '/api/auth/tokens', {
      token: small.body.token,
      body: { name: 'big', scopes: ['pages:read', 'pages:write'] },
    });
    expect([answer.status, answer.body.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  });

  test('cannot be revoked by someone else', async () => {
    const kate = await quire.user('kate');
    const liam = await quire.user('liam');
    const made = await kate.call('POST', '/api/auth/tokens', { body: { name: 'x', scopes: ['pages:read'] } });
    expect((await liam.call('DELETE', `/api/auth/tokens/${made.body.id}`)).status).toBe(404);
    expect((await quire.call('GET', '/api/pages', { token: made.body.token })).status).toBe(200);
  });

  test('end at their expiry, which must be in the future', async () => {
    const mona = await quire.user('mona');
    const past = { name: 'x', scopes: ['pages:read'], expiresAt: '2001-01-01T00:00:00Z' };
    expect((await mona.call('POST', '/api/auth/tokens', { body: past })).status).toBe(400);
    const ahead = { ...past, expiresAt: new Date(Date.now() + 3600_000).toISOString() };
    expect((await mona.call('POST', '/api/auth/tokens', { body: ahead })).status).toBe(201);
  });
});

describe('GET /api/auth/me', () => {
  test('returns the user and their credits for a token or a cookie', async () => {
    const nora = await quire.user('nora');
    const expected = { user: { id: nora.id, username: 'nora', credits: 20 } };
    expect((await nora.call('GET', '/api/auth/me')).body).toEqual(expected);
    expect((await quire.call('GET', '/api/auth/me', { cookie: await nora.login() })).body).toEqual(expected);
    expect((await quire.call('GET', '/api/auth/me')).status).toBe(401);
  });
});

describe('expiry', () => {
  test('ends access after an hour and refreshing after seven days', async () => {
    const late = await testApp();
    const olga = await late.user('olga');
    const cookie = await olga.login();
    late.advance(3600_000 + 1000);
    expect((await olga.call('GET', '/api/pages')).body.code).toBe('INVALID_TOKEN');
    late.advance(7 * 24 * 3600_000);
    const body = { refreshToken: olga.refreshToken };
    expect((await late.call('POST', '/api/auth/token/refresh', { body })).body.code).toBe('INVALID_TOKEN');
    // The login was used 7 days ago. It expires 30 days after its last use, not its first.
    expect((await late.call('GET', '/api/auth/me', { cookie })).headers.get('set-cookie')).toContain(
      'Max-Age=2592000',
    );
    late.advance(29 * 24 * 3600_000);
    expect((await late.call('GET', '/api/auth/me', { cookie })).status).toBe(200);
    late.advance(31 * 24 * 3600_000);
    expect((await late.call('GET', '/api/auth/me', { cookie })).status).toBe(401);
    await late.stop();
  });
});
