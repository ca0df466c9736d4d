import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, type DataPage, join, publishApp, readEvents } from '../../support/data/data.ts';

/** The preview of a page in the dashboard, as its owner or an admin, with their role or a lower one. */

const HOUR_MS = 3_600_000;
const NAMES = ['owner', 'admin', 'member', 'viewer', 'stranger'] as const;
type Name = (typeof NAMES)[number];

let quire: TestApp;
const users = {} as Record<Name, TestUser>;
const cookies = {} as Record<Name, string>;
let board: DataPage;
beforeAll(async () => {
  quire = await testApp();
  for (const name of NAMES) {
    users[name] = await quire.user(name);
    cookies[name] = await users[name].login();
  }
  board = await publishApp(users.owner, 'team');
  for (const role of ['admin', 'member', 'viewer'] as const)
    await join(quire, users.owner, board, users[role], role);
});
afterAll(() => quire.stop());

/** The token of the dashboard of somebody who is logged in. */
const dashboard = async (cookie: string): Promise<string> =>
  (await quire.call('POST', '/api/auth/session-token', { cookie })).body.accessToken;

const ask = (page: { id: number }, as: string, token: string) =>
  quire.call('POST', `/api/pages/${page.id}/preview-session`, { token, body: { as } });

/** A preview of the page as somebody. */
async function previewed(page: { id: number }, name: Name, as: string, cookie = cookies[name]) {
  const { status, body } = await ask(page, as, await dashboard(cookie));
  expect([status, body.as, body.expiresIn]).toEqual([200, as, 3600]);
  const headers = { 'x-page-session': body.pageSession, origin: 'null' };
  return {
    headers,
    call: (method: string, path: string, data?: unknown) =>
      quire.call(method, path, { headers, ...(data !== undefined && { body: data }) }),
    who: async (on = page) => {
      const seen = (await quire.call('GET', `/api/pages/${on.id}/visitor`, { headers })).body;
      return seen.user ? [seen.user.username, seen.role] : null;
    },
  };
}

describe('the role of a preview', () => {
  // Writing a record, changing somebody else's, inviting somebody.
  test.each([
    ['owner', 'owner', [201, 200, 200]],
    ['admin', 'admin', [201, 200, 200]],
    ['member', 'member', [201, 403, 403]],
    ['viewer', 'viewer', [403, 403, 403]],
    ['visitor', null, [403, 403, 403]],
  ] as const)('as %s has the rights of that role and no more', async (as, role, expected) => {
    const theirs = await create(users.member, `${board.address}/notes`, { n: 1 });
    const preview = await previewed(board, 'owner', as);
    expect(await preview.who()).toEqual(['owner', role]);
    const wrote = await preview.call('POST', `${board.address}/notes`, { data: { n: 2 } });
    const changed = await preview.call('PATCH', `${board.address}/notes/${theirs.id}`, { data: { n: 3 } });
    const invited = await preview.call('POST', `/api/pages/${board.id}/team/invite`, { role: 'viewer' });
    expect([wrote.status, changed.status, invited.status]).toEqual([...expected]);
  });

  test('is never above the one of the caller', async () => {
    const admin = await dashboard(cookies.admin);
    expect((await ask(board, 'owner', admin)).status).toBe(403);
    expect(await (await previewed(board, 'admin', 'viewer')).who()).toEqual(['admin', 'viewer']);
    for (const name of ['member', 'viewer', 'stranger'] as const)
      expect([name, (await ask(board, 'viewer', await dashboard(cookies[name]))).status]).toEqual([
        name,
        403,
      ]);
    const draft = await users.owner.publish({ is_published: false });
    expect((await ask(draft, 'visitor', await dashboard(cookies.stranger))).status).toBe(404);
    expect((await ask(board, 'root', admin)).status).toBe(400);
  });

  test('falls with the role of the person', async () => {
    const person = await quire.user('falling');
    await join(quire, users.owner, board, person, 'admin');
    const preview = await previewed(board, 'admin', 'admin', await person.login());
    expect(await preview.who()).toEqual(['falling', 'admin']);
    const member = `/api/pages/${board.id}/team/${person.id}`;
    expect((await users.owner.call('PATCH', member, { body: { role: 'viewer' } })).status).toBe(200);
    expect(await preview.who()).toEqual(['falling', 'viewer']);
    expect((await users.owner.call('DELETE', member)).status).toBe(204);
    expect(await preview.who()).toEqual(['falling', null]);
  });

  test('holds for pages without a team, and for who can see the page', async () => {
    const wall = await publishApp(users.owner, 'social');
    const post = await create(users.stranger, `${wall.address}/posts`, { text: 'mine' });
    const remove = (as: string) =>
      previewed(wall, 'owner', as).then((preview) =>
        preview.call('DELETE', `${wall.address}/posts/${post.id}`),
      );
    expect((await remove('visitor')).status).toBe(403);
    expect((await remove('owner')).status).toBe(204);
    const hidden = await users.owner.publish({ access: { mode: 'private' } });
    const seen = async (as: string) =>
      (await (await previewed(hidden, 'owner', as)).call('GET', `/api/pages/${hidden.id}/visitor`)).status;
    expect([await seen('owner'), await seen('visitor')]).toEqual([200, 403]);
  });

  test('stays low in a stream of events, also after the rules change', async () => {
    const page = await publishApp(users.owner, 'team');
    const rule = (name: string, read: string) =>
      users.owner.call('PUT', `${page.address}/${name}/schema`, { body: { schema: { rules: { read } } } });
    await rule('open', 'user');
    await rule('closed', 'admin');
    const { headers } = await previewed(page, 'owner', 'viewer');
    const response = await quire.request(`/api/pages/${page.id}/events?collections=open,closed`, {
      headers,
    });
    expect(response.status).toBe(200);
    const reading = readEvents(response);
    await create(users.owner, `${page.address}/open`, { n: 1 });
    await reading.until(1);
    await rule('open', 'anyone');
    await reading.until(1, 'reset');
    await create(users.owner, `${page.address}/closed`, { secret: true });
    await create(users.owner, `${page.address}/open`, { n: 2 });
    const events = await reading.until(2);
    expect(JSON.stringify(events)).not.toContain('secret');
    reading.close();
  });
});

describe('a preview session', () => {
  const own = async (): Promise<PublishedPage> => users.owner.publish({ storage_mode: 'solo_app' });

  test('is valid for one page only, and nowhere else', async () => {
    const [page, other] = [await own(), await own()];
    const preview = await previewed(page, 'owner', 'owner');
    expect(await preview.who()).toEqual(['owner', 'owner']);
    expect(await preview.who(other)).toBeNull();
    expect((await preview.call('POST', `/api/pages/${other.id}/solo-data/x`, { data: {} })).status).toBe(401);
    for (const [method, path] of [
      ['GET', `/api/pages/${page.id}`],
      ['PATCH', `/api/pages/${page.id}`],
      ['POST', `/api/pages/${page.id}/preview-session`],
      ['GET', '/api/auth/me'],
      ['GET', '/api/auth/sessions'],
    ] as const)
      expect([path, [401, 403]]).toEqual([
        path,
        expect.arrayContaining([(await preview.call(method, path)).status]),
      ]);
  });

  test('ends with the login', async () => {
    const page = await own();
    const cookie = await users.owner.login();
    const preview = await previewed(page, 'owner', 'owner', cookie);
    await quire.call('POST', '/api/auth/logout', { cookie });
    expect(await preview.who()).toBeNull();
    expect((await preview.call('GET', `/api/pages/${page.id}/solo-data/x`)).status).toBe(401);
  });

  test('is not given to programs, which have only some scopes', async () => {
    const page = await own();
    const wish = { name: 'agent', scopes: ['pages:write', 'pages:read'] };
    const token = await dashboard(await users.owner.login());
    const made = await quire.call('POST', '/api/auth/tokens', { token, body: wish });
    expect(made.status).toBe(201);
    expect((await ask(page, 'owner', made.body.token)).status).toBe(403);
    // Got with the password, but not by a browser that shows the dashboard.
    expect((await ask(page, 'owner', users.owner.token)).status).toBe(403);
    const limited = await quire.call('POST', '/api/auth/tokens', {
      token,
      body: { name: 'reader', scopes: ['pages:read'] },
    });
    expect((await ask(page, 'owner', limited.body.token)).body.code).toBe('INSUFFICIENT_SCOPE');
  });

  test('ends after an hour, and cannot be renewed', async () => {
    const page = await own();
    const preview = await previewed(page, 'owner', 'owner');
    expect((await preview.call('POST', `/api/pages/${page.id}/page-session`)).status).toBe(404);
    quire.advance(HOUR_MS - 1_000);
    expect(await preview.who()).toEqual(['owner', 'owner']);
    quire.advance(2_000);
    expect(await preview.who()).toBeNull();
  });

  test('ends in streams that are open, too', async () => {
    const owner = await quire.user();
    const page = await publishApp(owner, 'team');
    const cookie = await owner.login();
    const asked = await ask(page, 'owner', await dashboard(cookie));
    const follow = async (headers: Record<string, string>) =>
      readEvents(await quire.request(`/api/pages/${page.id}/events?collections=notes`, { headers }));
    const preview = await follow({ 'x-page-session': asked.body.pageSession, origin: 'null' });
    const login = await follow({ cookie });
    await create(owner, `${page.address}/notes`, { n: 1 });
    await preview.until(1);
    quire.advance(HOUR_MS + 1_000);
    const token = await dashboard(cookie);
    const later = {
      ...owner,
      call: (...[method, path, more]: Parameters<TestUser['call']>) =>
        owner.call(method, path, { token, ...more }),
    };
    // Whoever follows the page is checked again.
    const body = { schema: { rules: { read: 'user' } } };
    expect((await later.call('PUT', `${page.address}/notes/schema`, { body })).status).toBe(200);
    await create(later, `${page.address}/notes`, { n: 2 });
    await login.until(2);
    login.close();
    await preview.ended;
    expect(preview.events.filter(({ name }) => name === 'message')).toHaveLength(1);
  });
});
