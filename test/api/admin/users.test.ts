import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import { PASSWORD, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';
import { waitUntil } from '../../support/server.ts';

let quire: TestApp;
let boss: Administrator;
beforeAll(async () => {
  quire = await testApp({ QUIRE_QUOTA_PAGES: '2', QUIRE_QUOTA_BYTES: '1000' });
  boss = await administrator(quire, 'boss');
});
afterAll(() => quire.stop());

const users = '/api/admin/users';
const logIn = (user: TestUser) =>
  quire.call('POST', '/api/auth/login', { body: { username: user.username, password: PASSWORD } });
const lastEntry = async () => (await boss.admin('GET', '/api/admin/audit?limit=1')).body.entries[0];

describe('every endpoint of administrators', () => {
  const NAMES: Record<string, string> = {
    '/api/admin/providers/:name/test': '/api/admin/providers/mail/test',
    '/api/admin/providers/:name/connection': '/api/admin/providers/chat/connection',
    '/api/admin/backups/:name': '/api/admin/backups/backup-2026-01-01T00-00-00Z-1.tar.gz',
    '/api/admin/reports/:id/dismiss': '/api/admin/reports/00000000-0000-4000-8000-000000000000/dismiss',
  };
  const endpoints = () =>
    quire.app.routes
      .filter(({ path }) => path.startsWith('/api/admin/'))
      .map(({ method, path }) => ({
        method,
        path: NAMES[path] ?? path.replace(':id', '1').replace(':slug', 'some-slug'),
      }));

  test('is closed to nobody, to users, to cookies, and to administrators without the scope', async () => {
    const user = await quire.user();
    const cookie = await boss.login();
    expect(endpoints().length).toBeGreaterThan(18);
    for (const { method, path } of endpoints()) {
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
      expect((await quire.call(method, path, body)).status, path).toBe(401);
      expect(await user.call(method, path, body), path).toMatchObject({ status: 403 });
      expect(await boss.call(method, path, body), path).toMatchObject({
        status: 403,
        body: { code: 'INSUFFICIENT_SCOPE' },
      });
      expect((await quire.call(method, path, { ...body, cookie })).status, path).toBe(401);
    }
  });

  test('does not exist for what does not exist', async () => {
    for (const [method, path, body] of [
      ['GET', `${users}/999999`],
      ['POST', `${users}/999999/suspend`, { reason: 'x' }],
      ['POST', `${users}/999999/restore`],
      ['POST', `${users}/999999/promote`],
      ['POST', `${users}/999999/demote`],
      ['PUT', `${users}/999999/quota`, { pages: null, functions: null, bytes: null }],
      ['DELETE', `${users}/999999/sessions`],
      ['DELETE', `${users}/999999`],
      ['POST', `${users}/999999/reset`],
      ['POST', `${users}/999999/second-factor/off`],
      ['POST', `${users}/999999/credits`, { credits: 1, reason: 'x' }],
      ['GET', '/api/admin/pages/999999'],
      ['POST', '/api/admin/pages/999999/take-down', { reason: 'x' }],
      ['POST', '/api/admin/pages/999999/restore'],
      ['GET', '/api/admin/functions/not-there'],
      ['POST', '/api/admin/functions/not-there/take-down', { reason: 'x' }],
      ['POST', '/api/admin/functions/not-there/restore'],
    ] as const) {
      expect(await boss.admin(method, path, body), path).toMatchObject({ status: 404 });
    }
  });
});

describe('the list of users', () => {
  let heavy: TestUser;
  let away: TestUser;
  beforeAll(async () => {
    heavy = await quire.user('findme-heavy');
    away = await quire.user('findme-away');
    await heavy.publish({ html_content: 'x'.repeat(500) });
    await boss.admin('POST', `${users}/${away.id}/suspend`, { reason: 'Spam' });
  });
  const names = async (query: string) => {
    const { body } = await boss.admin('GET', `${users}?q=findme&${query}`);
    expect(body.total).toBe(body.users.length);
    return body.users.map(({ username }: TestUser) => username);
  };

  test('is filtered by state and role, and sorted', async () => {
    expect(await names('')).toEqual(['findme-heavy', 'findme-away']);
    expect(await names('sort=newest')).toEqual(['findme-away', 'findme-heavy']);
    expect(await names('sort=username')).toEqual(['findme-away', 'findme-heavy']);
    expect(await names('sort=storage')).toEqual(['findme-heavy', 'findme-away']);
    expect(await names('state=suspended')).toEqual(['findme-away']);
    expect(await names('state=active')).toEqual(['findme-heavy']);
    expect(await names('state=leaving')).toEqual([]);
    expect(await names('state=built-in')).toEqual([]);
    const email = 'findme@invalid.example';
    await runSql(quire, `update users set email = '${email}' where id = ${away.id}`);
    expect(await names('state=built-in')).toEqual([]);
    await runSql(quire, `update users set email = 'findme@invalid' where id = ${away.id}`);
    expect(await names('state=built-in')).toEqual(['findme-away']);
    expect(await names('administrators=true')).toEqual([]);
    const { body } = await boss.admin('GET', `${users}?administrators=true`);
    expect(body.users.map(({ username }: TestUser) => username)).toEqual(['boss']);
    await boss.admin('POST', `${users}/${away.id}/restore`);
    await runSql(quire, `update users set removal_due_at = ${Date.now() + 1e9} where id = ${away.id}`);
    expect(await names('state=leaving')).toEqual(['findme-away']);
    expect(await names('state=active')).toEqual(['findme-heavy']);
  });

  test.each(['state=gone', 'sort=size', 'administrators=yes', 'limit=0', 'limit=101', 'offset=-1'])(
    'refuses %s',
    async (query) => {
      expect((await boss.admin('GET', `${users}?${query}`)).status).toBe(400);
    },
  );
});

test('the detail of a user says how they log in and what they store, and no secret', async () => {
  const user = await quire.user('detailed');
  await user.publish({ html_content: 'x'.repeat(100) });
  const cookie = await user.login();
  const { token } = (
    await user.call('POST', '/api/auth/tokens', { body: { name: 'agent', scopes: ['pages:read'] } })
  ).body;
  await quire.call('GET', '/api/pages', { token });
  const answer = await boss.admin('GET', `${users}/${user.id}`);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      user: {
        id: user.id,
        username: 'detailed',
        isEmailConfirmed: false,
        isAdmin: false,
        lastSeenAt: expect.any(String),
        pages: 1,
        functions: 0,
        storedBytes: 100,
        credits: 20,
        suspendedAt: null,
        suspendedReason: null,
        removalDueAt: null,
        quota: { pages: null, functions: null, bytes: null },
        serviceQuota: { pages: 2, functions: 100, bytes: 1000 },
        login: {
          hasPassword: true,
          passkeys: 0,
          needsSecondFactor: false,
          recoveryCodes: 0,
          singleSignOn: [],
        },
        sessions: 1,
        tokens: 1,
      },
    },
  });
  const text = JSON.stringify(answer.body);
  for (const secret of [token, user.token, cookie.split('=')[1], '$argon2'])
    expect(text).not.toContain(String(secret));
});

describe('a suspended user', () => {
  test('cannot log in, is told why, and nobody is behind their sessions and tokens until they are restored', async () => {
    const user = await quire.user();
    const cookie = await user.login();
    const me = () => quire.call('GET', '/api/auth/me', { cookie });
    expect((await boss.admin('POST', `${users}/${user.id}/suspend`, { reason: 'Phishing' })).status).toBe(
      200,
    );
    expect(await logIn(user)).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining('Phishing') },
    });
    expect((await me()).status).toBe(401);
    expect((await user.call('GET', '/api/pages')).status).toBe(401);
    const token = { username: user.username, password: PASSWORD };
    expect((await quire.call('POST', '/api/auth/token', { body: token })).status).toBe(403);
    const { body } = await boss.admin('GET', `${users}/${user.id}`);
    expect(body.user).toMatchObject({ suspendedReason: 'Phishing', suspendedAt: expect.any(String) });

    expect((await boss.admin('POST', `${users}/${user.id}/restore`)).status).toBe(200);
    expect((await me()).status).toBe(200);
    expect((await user.call('GET', '/api/pages')).status).toBe(200);
    expect(await lastEntry()).toMatchObject({ action: 'user.restore', target: { name: user.username } });
    // Nothing to restore: nothing is recorded.
    const before = (await lastEntry()).id;
    expect((await boss.admin('POST', `${users}/${user.id}/restore`)).status).toBe(200);
    expect((await lastEntry()).id).toBe(before);
  });

  test('gets no new tokens for a refresh token until they are restored', async () => {
    const user = await quire.user();
    const given = { username: user.username, password: PASSWORD };
    const { refreshToken } = (await quire.call('POST', '/api/auth/token', { body: given })).body;
    const refresh = () => quire.call('POST', '/api/auth/token/refresh', { body: { refreshToken } });
    await boss.admin('POST', `${users}/${user.id}/suspend`, { reason: 'Spam' });
    expect(await refresh()).toMatchObject({ status: 401 });
    await boss.admin('POST', `${users}/${user.id}/restore`);
    expect((await refresh()).status).toBe(200);
  });

  test.each([
    [{}],
    [{ reason: '' }],
    [{ reason: '  ' }],
    [{ reason: 'x'.repeat(501) }],
    [{ reason: 'x', by: 1 }],
  ])('is not suspended with %j', async (body) => {
    const user = await quire.user();
    expect((await boss.admin('POST', `${users}/${user.id}/suspend`, body)).status).toBe(400);
    expect((await logIn(user)).status).toBe(200);
  });

  test('is suspended with a reason of 500 characters', async () => {
    const user = await quire.user();
    const reason = 'é'.repeat(500);
    expect((await boss.admin('POST', `${users}/${user.id}/suspend`, { reason })).status).toBe(200);
  });

  test('is not oneself', async () => {
    const other = await administrator(quire);
    expect(await other.admin('POST', `${users}/${other.id}/suspend`, { reason: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT' },
    });
    await boss.admin('POST', `${users}/${other.id}/demote`);
  });
});

test('an administrator is made and unmade, and tokens follow at once', async () => {
  const user = await quire.user();
  expect((await boss.admin('POST', `${users}/${user.id}/promote`)).status).toBe(200);
  const body = { username: user.username, password: PASSWORD, scopes: ['admin'] };
  const token = (await quire.call('POST', '/api/auth/token', { body })).body.accessToken;
  expect((await quire.call('GET', users, { token })).status).toBe(200);
  expect((await boss.admin('POST', `${users}/${user.id}/demote`)).status).toBe(200);
  expect((await quire.call('GET', users, { token })).status).toBe(403);
  const { body: log } = await boss.admin('GET', `/api/admin/audit?target=${user.username}`);
  expect(log.entries.map(({ action }: { action: string }) => action)).toEqual([
    'user.demote',
    'user.promote',
  ]);
});

test('a user who is logged out everywhere has to log in again', async () => {
  const user = await quire.user();
  const cookie = await user.login();
  const body = { name: 'agent', scopes: ['pages:read'] };
  expect((await boss.admin('DELETE', `${users}/${user.id}/sessions`)).status).toBe(200);
  expect((await quire.call('GET', '/api/auth/me', { cookie })).status).toBe(401);
  expect((await user.call('POST', '/api/auth/tokens', { body })).status).toBe(401);
  expect((await boss.admin('GET', `${users}/${user.id}`)).body.user.sessions).toBe(0);
  expect((await logIn(user)).status).toBe(200);
});

describe('a user who is deleted', () => {
  const remove = (user: TestUser, query = '') => boss.admin('DELETE', `${users}/${user.id}${query}`);

  test('is blocked at once, can be restored for seven days, and is then gone with their pages', async () => {
    const user = await quire.user();
    const page = await user.publish();
    const answer = await remove(user);
    expect(answer.status).toBe(200);
    const inDays = (Date.parse(answer.body.dueAt) - Date.now()) / 86_400_000;
    expect(Math.round(inDays)).toBe(7);
    expect((await quire.request(`/p/${page.slug}`)).status).toBe(403);
    expect((await user.call('GET', '/api/pages')).status).toBe(401);
    expect((await boss.admin('GET', `${users}?state=leaving&username=${user.username}`)).body.total).toBe(1);
    expect((await boss.admin('POST', `${users}/${user.id}/restore`)).status).toBe(200);
    expect((await quire.request(`/p/${page.slug}`)).status).toBe(200);
    expect((await user.call('GET', '/api/pages')).status).toBe(200);
    expect(await lastEntry()).toMatchObject({ action: 'user.restore' });

    expect((await remove(user, '?now=true')).status).toBe(200);
    await waitUntil(async () => (await boss.admin('GET', `${users}/${user.id}`)).status === 404);
    expect((await quire.request(`/p/${page.slug}`)).status).toBe(404);
    const { entries } = (await boss.admin('GET', `/api/admin/audit?target=${user.username}`)).body;
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'user.remove',
      'user.delete',
      'user.restore',
      'user.delete',
    ]);
  });

  test('and also suspended is closed until both have ended', async () => {
    const user = await quire.user();
    const page = await user.publish();
    await boss.admin('POST', `${users}/${user.id}/suspend`, { reason: 'x' });
    await remove(user);
    await runSql(quire, `update users set removal_due_at = null where id = ${user.id}`);
    expect((await quire.request(`/p/${page.slug}`)).status).toBe(403);
    await boss.admin('POST', `${users}/${user.id}/restore`);
    expect((await quire.request(`/p/${page.slug}`)).status).toBe(200);
  });

  test('is not oneself, nor deleted by a wrong query', async () => {
    expect((await remove(boss)).status).toBe(409);
    const user = await quire.user();
    expect((await remove(user, '?now=yes')).status).toBe(400);
    expect((await logIn(user)).status).toBe(200);
  });
});

describe('somebody who cannot log in', () => {
  test('gets a link for a new password, which is in no log', async () => {
    const user = await quire.user();
    const { status, body } = await boss.admin('POST', `${users}/${user.id}/reset`);
    expect(status).toBe(200);
    expect(body.link).toStartWith(`${quire.baseUrl}/reset?code=`);
    expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now());
    const code = String(new URL(body.link).searchParams.get('code'));
    expect((await quire.request(body.link)).status).toBe(303);
    expect(await lastEntry()).toMatchObject({ action: 'user.reset', details: {} });
    expect(JSON.stringify((await boss.admin('GET', '/api/admin/audit')).body)).not.toContain(code);
    expect(quire.logs.join('')).not.toContain(code);
  });

  test('gets the second factor turned off, once', async () => {
    const user = await quire.user();
    await runSql(quire, `update users set needs_second_factor = 1 where id = ${user.id}`);
    expect((await logIn(user)).status).toBe(403);
    expect((await boss.admin('POST', `${users}/${user.id}/second-factor/off`)).status).toBe(200);
    expect((await logIn(user)).status).toBe(200);
    const { id } = await lastEntry();
    expect((await boss.admin('POST', `${users}/${user.id}/second-factor/off`)).status).toBe(200);
    expect((await lastEntry()).id).toBe(id);
  });

  test('is not the administrator: a thief of the token must not take the account over', async () => {
    for (const what of ['reset', 'second-factor/off'])
      expect((await boss.admin('POST', `${users}/${boss.id}/${what}`)).status).toBe(409);
  });
});

describe('the quota of a user', () => {
  const publish = (user: TestUser, bytes: number) =>
    user.call('POST', '/api/pages', { body: { name: 'Some page', html_content: 'x'.repeat(bytes) } });
  const setQuota = (user: TestUser, quota: object) =>
    boss.admin('PUT', `${users}/${user.id}/quota`, { pages: null, functions: null, bytes: null, ...quota });
  const REFUSED = { status: 403, body: { code: 'QUOTA_EXCEEDED' } };

  test('replaces that of the service, in both directions, and null gives it back', async () => {
    const user = await quire.user();
    const statuses = async (...sizes: number[]) => {
      const all = [];
      for (const size of sizes) all.push((await publish(user, size)).status);
      return all;
    };
    expect(await setQuota(user, { pages: 3, bytes: 600 })).toMatchObject({ status: 200 });
    expect(await statuses(200, 200, 201)).toEqual([201, 201, 403]);
    expect((await publish(user, 201)).body.error).toContain('600 stored bytes');
    expect(await statuses(200, 1)).toEqual([201, 403]);
    expect((await publish(user, 0 + 1)).body.error).toContain('3 pages');
    expect(await setQuota(user, {})).toMatchObject({ status: 200 });
    expect(await publish(user, 1)).toMatchObject(REFUSED);
  });

  test('of 0 is no limit', async () => {
    const user = await quire.user();
    expect(await setQuota(user, { pages: 0, bytes: 0 })).toMatchObject({ status: 200 });
    for (let n = 0; n < 4; n++) expect((await publish(user, 5000)).status).toBe(201);
    expect((await boss.admin('GET', `${users}/${user.id}`)).body.user).toMatchObject({
      quota: { pages: 0, functions: null, bytes: 0 },
      storedBytes: 20_000,
    });
  });

  test('below what is there keeps it, and lets it be deleted', async () => {
    const user = await quire.user();
    const { id } = await user.publish({ html_content: 'x'.repeat(900) });
    await setQuota(user, { bytes: 100 });
    expect(await publish(user, 1)).toMatchObject(REFUSED);
    expect((await user.call('PATCH', `/api/pages/${id}`, { body: { name: 'Another' } })).status).toBe(200);
    expect((await user.call('DELETE', `/api/pages/${id}`)).status).toBe(200);
    expect((await publish(user, 100)).status).toBe(201);
  });

  test('of databases follows it too', async () => {
    const user = await quire.user();
    const code = 'export default { fetch: () => new Response("") }';
    await setQuota(user, { bytes: 10_000_000 });
    const slug = `quota-${user.id}`;
    await user.call('POST', '/api/functions', { body: { slug, code, enableDatabase: true } });
    const sql = (text: string) =>
      user.call('POST', `/api/functions/${slug}/database`, { body: { sql: text } });
    expect((await sql('create table t (x)')).status).toBe(200);
    const fill = `insert into t select zeroblob(100000) from (select 1 union select 2 union select 3)`;
    expect((await sql(fill)).status).toBe(200);
    await setQuota(user, { bytes: 50_000 });
    expect(await publish(user, 1)).toMatchObject(REFUSED);
  });

  test.each([
    [{}],
    [{ pages: 1, functions: 1 }],
    [{ pages: -1, functions: 1, bytes: 1 }],
    [{ pages: 1.5, functions: 1, bytes: 1 }],
    [{ pages: 1_000_001, functions: 1, bytes: 1 }],
    [{ pages: '1', functions: 1, bytes: 1 }],
    [{ pages: 1, functions: 1, bytes: Number.MAX_SAFE_INTEGER + 2 }],
    [{ pages: 1, functions: 1, bytes: 1, credits: 1 }],
  ])('is not %j', async (body) => {
    expect((await boss.admin('PUT', `${users}/${boss.id}/quota`, body)).status).toBe(400);
  });

  test('can be as large as the limits allow', async () => {
    const quota = { pages: 1_000_000, functions: 1_000_000, bytes: Number.MAX_SAFE_INTEGER };
    const user = await quire.user();
    expect((await setQuota(user, quota)).status).toBe(200);
    expect((await boss.admin('GET', `${users}/${user.id}`)).body.user.quota).toEqual(quota);
    expect((await publish(user, 2000)).status).toBe(201);
  });
});
