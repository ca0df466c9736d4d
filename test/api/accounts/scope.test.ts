import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PASSWORD, type TestApp, testApp } from '../../support/app.ts';

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp();
});
afterAll(() => quire.stop());

const DAY_MS = 24 * 3600 * 1000;
const iso = (moment: number) => new Date(moment).toISOString();

async function tokenFor(username: string, scopes?: string[]) {
  const body = { username, password: PASSWORD, ...(scopes && { scopes }) };
  return (await quire.call('POST', '/api/auth/token', { body })).body;
}

const make = (token: string, fields: object = {}) =>
  quire.call('POST', '/api/auth/tokens', {
    token,
    body: { name: 'ci', scopes: ['pages:read'], ...fields },
  });
const use = async (token: string) => (await quire.call('GET', '/api/pages', { token })).status;
const list = async (token: string) => (await quire.call('GET', '/api/auth/tokens', { token })).body.tokens;
const refresh = (refreshToken: string) =>
  quire.call('POST', '/api/auth/token/refresh', { body: { refreshToken } });
async function dashboardToken(cookie: string): Promise<string> {
  return (await quire.call('POST', '/api/auth/session-token', { cookie })).body.accessToken;
}

/** A body that is sent when the service already waits for it, which it does only for callers whom it has let in. */
function lateBody(content: object) {
  const [awaited, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const body = new ReadableStream(
    {
      async pull(controller) {
        awaited.resolve();
        await sent.promise;
        controller.enqueue(new TextEncoder().encode(JSON.stringify(content)));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, isAwaited: awaited.promise, send: sent.resolve };
}

describe('the account scope', () => {
  test('comes with a password login, unless fewer scopes are requested', async () => {
    const anna = await quire.user('anna');
    expect((await make(anna.token)).status).toBe(201);
    expect((await tokenFor('anna')).scopes).toContain('account');
    expect((await tokenFor('anna')).scopes).not.toContain('admin');
    const small = await tokenFor('anna', ['pages:read', 'account']);
    expect(small.scopes).toEqual(['pages:read', 'account']);
    expect((await make(small.accessToken)).status).toBe(201);
    expect((await refresh(small.refreshToken)).body.scopes).toEqual(['pages:read', 'account']);
  });

  test.each([
    ['POST', '/api/auth/tokens', { name: 'x', scopes: ['pages:read'] }],
    ['GET', '/api/auth/tokens', undefined],
    ['DELETE', '/api/auth/tokens/1', undefined],
  ] as const)('is required for %s %s', async (method, path, body) => {
    const bert = await quire.user();
    const { accessToken } = await tokenFor(bert.username, ['pages:read']);
    const personal = (await make(bert.token)).body.token;
    for (const token of [accessToken, personal]) {
      const refused = await quire.call(method, path, { token, ...(body && { body }) });
      expect(refused).toMatchObject({ status: 403, body: { code: 'INSUFFICIENT_SCOPE', scope: 'account' } });
    }
  });

  test('is never given to a personal token', async () => {
    const carl = await quire.user('carl');
    const refused = await make(carl.token, { scopes: ['pages:read', 'account'] });
    expect(refused.status).toBe(400);
    expect(refused.body.error).toContain('personal tokens');
    expect(await list(carl.token)).toEqual([]);
  });

  test('grants nothing that the token itself lacks', async () => {
    const dora = await quire.user('dora');
    const { accessToken } = await tokenFor('dora', ['pages:read', 'account']);
    const refused = await make(accessToken, { scopes: ['pages:read', 'pages:write'] });
    expect(refused).toMatchObject({ status: 403, body: { code: 'INSUFFICIENT_SCOPE' } });
    expect(await list(dora.token)).toEqual([]);
  });
});

describe('a personal token made with a token pair', () => {
  test('expires with the pair at the latest, and the pair stays valid while it is refreshed', async () => {
    const emil = await quire.user('emil');
    const start = Date.now();
    const made = await make(emil.token, { expiresAt: iso(start + 365 * DAY_MS) });
    const short = await make(emil.token, { expiresAt: iso(start + 3 * DAY_MS) });
    const open = await make(emil.token);
    const ends = Date.parse(made.body.expiresAt);
    expect(ends).toBeGreaterThan(start + 6 * DAY_MS);
    expect(ends).toBeLessThanOrEqual(Date.now() + 7 * DAY_MS);
    expect(short.body.expiresAt).toBe(iso(start + 3 * DAY_MS));
    expect(Date.parse(open.body.expiresAt)).toBeLessThanOrEqual(Date.now() + 7 * DAY_MS);

    quire.advance(5 * DAY_MS);
    expect(await use(short.body.token)).toBe(401);
    const next = (await refresh(emil.refreshToken)).body;
    quire.advance(5 * DAY_MS);
    expect(await use(made.body.token)).toBe(200);
    expect(await use(open.body.token)).toBe(200);
    expect(await use(short.body.token)).toBe(401);
    const after = (await refresh(next.refreshToken)).body;
    expect(await list(after.accessToken)).toHaveLength(2);
    quire.advance(8 * DAY_MS);
    expect(await use(made.body.token)).toBe(401);
    expect(await use(open.body.token)).toBe(401);
    quire.advance(-18 * DAY_MS);
  });

  test('is revoked with the pair when a refresh token is used twice', async () => {
    const fred = await quire.user('fred');
    const other = await tokenFor('fred');
    const [mine, others] = [(await make(fred.token)).body.token, (await make(other.accessToken)).body.token];
    await refresh(fred.refreshToken);
    expect(await use(mine)).toBe(200);
    expect((await refresh(fred.refreshToken)).status).toBe(401);
    expect(await use(mine)).toBe(401);
    expect(await use(others)).toBe(200);
  });

  test('is not created if its login is revoked after the request was let in', async () => {
    const gina = await quire.user();
    await refresh(gina.refreshToken);
    const { body, isAwaited, send } = lateBody({ name: 'ci', scopes: ['pages:read'] });
    const creating = quire.request('/api/auth/tokens', {
      method: 'POST',
      headers: { authorization: `Bearer ${gina.token}`, 'content-type': 'application/json' },
      body,
    });
    await isAwaited;
    expect((await refresh(gina.refreshToken)).status).toBe(401);
    send();
    const refused = await creating;
    expect(refused.status).toBe(401);
    expect(await list((await tokenFor(gina.username)).accessToken)).toEqual([]);
  });

  test('does not outlive a login that is revoked at the same time', async () => {
    let created = 0;
    for (let round = 0; round < 5; round++) {
      const gina = await quire.user();
      await refresh(gina.refreshToken);
      const making = Array.from({ length: 8 }, () => make(gina.token));
      // The first tokens exist when the login ends, and the last are being created.
      await making[round];
      await refresh(gina.refreshToken);
      for (const { status, body } of await Promise.all(making)) {
        if (status !== 201) continue;
        created++;
        expect(await use(body.token)).toBe(401);
      }
    }
    expect(created).toBeGreaterThan(0);
  });
});

describe('a personal token made in the dashboard', () => {
  test('stays valid while its login session is used, and ends with it', async () => {
    const hugo = await quire.user('hugo');
    const cookie = await hugo.login();
    const { token, expiresAt } = (await make(await dashboardToken(cookie))).body;
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 30 * DAY_MS);
    quire.advance(25 * DAY_MS);
    expect((await quire.call('GET', '/api/auth/me', { cookie })).status).toBe(200);
    quire.advance(25 * DAY_MS);
    expect(await use(token)).toBe(200);
    quire.advance(6 * DAY_MS);
    expect(await use(token)).toBe(401);
    quire.advance(-56 * DAY_MS);
  });

  test('can be listed and revoked there, and ends with the session', async () => {
    const ida = await quire.user('ida');
    const [here, there] = [await ida.login(), await ida.login()];
    const dashboard = await dashboardToken(here);
    const first = (await make(dashboard)).body;
    const second = (await make(dashboard)).body;
    const elsewhere = (await make(await dashboardToken(there))).body;
    expect(await list(dashboard)).toHaveLength(3);
    const revoke = { token: dashboard };
    expect((await quire.call('DELETE', `/api/auth/tokens/${first.id}`, revoke)).status).toBe(204);
    expect(await use(first.token)).toBe(401);
    await quire.call('POST', '/api/auth/logout', { cookie: here });
    expect(await use(second.token)).toBe(401);
    expect(await use(elsewhere.token)).toBe(200);
  });

  test('survives a password change only if the change is made in the same session', async () => {
    const jan = await quire.user('jan');
    const [here, there] = [await jan.login(), await jan.login()];
    const kept = (await make(await dashboardToken(here))).body.token;
    const ended = [
      (await make(await dashboardToken(there))).body.token,
      (await make(jan.token)).body.token,
      await dashboardToken(here),
    ];
    const body = { current: PASSWORD, next: 'a whole new one' };
    expect((await quire.call('POST', '/api/auth/password', { cookie: here, body })).status).toBe(200);
    expect(await use(kept)).toBe(200);
    for (const token of ended) expect(await use(token)).toBe(401);
  });
});
