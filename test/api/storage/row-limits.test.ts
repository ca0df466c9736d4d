import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';

/** Limits on the number of things that cost no quota. Existing rows above a limit stay. */

const REFUSED = { status: 403, body: { code: 'QUOTA_EXCEEDED' } };
const LATER = 4_000_000_000_000;

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp();
});
afterAll(() => quire.stop());

const many = <T>(count: number, row: (n: number) => T) => Array.from({ length: count }, (_, n) => row(n));
const insert = (table: string, columns: string, rows: string[]) =>
  runSql(quire, `insert into ${table} (${columns}) values ${rows.map((row) => `(${row})`)}`);

describe('an account can have', () => {
  const TOKEN = 'user_id, kind, secret_hash, name, scopes, family, created_at, expires_at';

  test('100 personal tokens', async () => {
    const user = await quire.user();
    await insert(
      'tokens',
      TOKEN,
      many(99, (n) => `${user.id}, 'personal', 'p${n}', 'n', 'pages:read', null, 1, null`),
    );
    const make = () => user.call('POST', '/api/auth/tokens', { body: { name: 'x', scopes: ['pages:read'] } });
    const { status, body } = await make();
    expect(status).toBe(201);
    expect(await make()).toMatchObject(REFUSED);
    expect((await user.call('GET', '/api/auth/tokens')).body.tokens).toHaveLength(100);
    expect((await user.call('DELETE', `/api/auth/tokens/${body.id}`)).status).toBe(204);
    expect((await make()).status).toBe(201);
  });

  test('1,000 token logins; after that the oldest ends', async () => {
    const user = await quire.user();
    await insert(
      'tokens',
      TOKEN,
      many(999, (n) => `${user.id}, 'refresh', 'r${n}', '', 'pages:read', 'f${n}', 1, ${LATER}`),
    );
    const refresh = (refreshToken: string) =>
      quire.call('POST', '/api/auth/token/refresh', { body: { refreshToken } });
    const { status, body } = await refresh(user.refreshToken);
    expect(status).toBe(200);
    // The first token of the user was the oldest. It is gone, so its reuse does not count as theft.
    expect((await refresh(user.refreshToken)).status).toBe(401);
    expect((await refresh(body.refreshToken)).status).toBe(200);
  });

  test('100 sessions; after that the least recently used ends', async () => {
    const user = await quire.user();
    const first = await user.login();
    await insert(
      'login_sessions',
      'user_id, secret_hash, user_agent, created_at, last_seen_at, expires_at',
      many(99, (n) => `${user.id}, 's${n}', '', 1, ${LATER - n}, ${LATER}`),
    );
    const me = async (cookie: string) => (await quire.call('GET', '/api/auth/me', { cookie })).status;
    expect(await me(first)).toBe(200);
    quire.advance(1000);
    const last = await user.login();
    expect([await me(first), await me(last)]).toEqual([401, 200]);
    const { body } = await quire.call('GET', '/api/auth/sessions', { cookie: last });
    expect(body.sessions).toHaveLength(100);
  });
});

describe('a page can have', () => {
  const publish = (user: TestUser) => user.publish({ storage_mode: 'team_app' });

  test('200 old slugs', async () => {
    const user = await quire.user();
    const { id } = await publish(user);
    await insert(
      'page_old_slugs',
      'slug, page_id',
      many(199, (n) => `'was-${n}', ${id}`),
    );
    const rename = (slug: string) => user.call('PATCH', `/api/pages/${id}`, { body: { slug } });
    expect((await rename('two-hundredth')).status).toBe(200);
    expect(await rename('one-too-many')).toMatchObject(REFUSED);
    expect((await rename('was-7')).status).toBe(200);
    expect((await quire.request('/p/was-8')).headers.get('location')).toBe('/p/was-7');
  });

  test('any number of versions, listed 200 at a time', async () => {
    const user = await quire.user();
    const { id } = await publish(user);
    await insert(
      'page_versions',
      'page_id, version, html_content, size, content_hash, author_id, created_at',
      many(449, (n) => `${id}, ${n + 2}, 'x', 1, 'h', ${user.id}, 1`),
    );
    await runSql(quire, `update pages set version = 450 where id = ${id}`);
    const list = async (query = '') =>
      (await user.call('GET', `/api/pages/${id}/versions${query}`)).body.versions.map(
        ({ version }: { version: number }) => version,
      );
    const all = [await list(), await list('?before=251'), await list('?before=51')];
    expect(all.map(({ length }) => length)).toEqual([200, 200, 50]);
    expect(all.flat()).toEqual(many(450, (n) => 450 - n));
    expect((await user.call('GET', `/api/pages/${id}/versions?before=x`)).status).toBe(400);
  });

  test('100 open invites and 1,000 people', async () => {
    const [user, guest, other] = [await quire.user(), await quire.user(), await quire.user()];
    const { id } = await publish(user);
    const invites = (from: number, count: number, expiresAt: number) =>
      insert(
        'team_invites',
        'code_hash, id, page_id, created_by, role, uses, max_uses, created_at, expires_at',
        many(
          count,
          (n) => `'c${from + n}', 'i${from + n}', ${id}, ${user.id}, 'viewer', 0, null, 1, ${expiresAt}`,
        ),
      );
    await invites(0, 99, LATER);
    await invites(99, 20, 1);
    const invite = () => user.call('POST', `/api/pages/${id}/team/invite`, { body: { role: 'member' } });
    const { status, body } = await invite();
    expect(status).toBe(200);
    expect(await invite()).toMatchObject(REFUSED);

    await insert(
      'users',
      'username, email, password_hash, is_admin, created_at',
      many(999, (n) => `'crowd${n}', 'crowd${n}', '', 0, 1`),
    );
    await runSql(
      quire,
      `insert into team_members (page_id, user_id, role, joined_at)
        select ${id}, id, 'viewer', 1 from users where username like 'crowd%'`,
    );
    const join = (who: TestUser) => who.call('POST', `/api/join/${body.inviteCode}`);
    expect((await join(guest)).status).toBe(200);
    expect(await join(other)).toMatchObject(REFUSED);
    expect((await join(guest)).status).toBe(200);
  });

  test('2,000 files', async () => {
    const user = await quire.user();
    const { id } = await publish(user);
    await insert(
      'team_files',
      'id, page_id, name, content_type, size, uploaded_by, created_at',
      many(1_999, (n) => `'f${n}', ${id}, 'n', 'text/plain', 0, ${user.id}, 1`),
    );
    const upload = async () => {
      const body = new FormData();
      body.set('file', new File([], 'empty.txt'));
      const headers = { authorization: `Bearer ${user.token}` };
      return (await quire.request(`/api/pages/${id}/team-files`, { method: 'POST', headers, body })).status;
    };
    expect([await upload(), await upload()]).toEqual([201, 403]);
  });
});
