import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';

const DAY_MS = 24 * 3600 * 1000;
const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
const GRANTABLE = ['admin', 'member', 'viewer'] as const;
type Role = (typeof ROLES)[number];

let quire: TestApp;
let people: Record<Role | 'stranger', TestUser>;
beforeAll(async () => {
  quire = await testApp();
  const names = [...ROLES, 'stranger'] as const;
  const users = await Promise.all(names.map(async (name) => [name, await quire.user(name)] as const));
  people = Object.fromEntries(users) as typeof people;
});
afterAll(() => quire.stop());

const teamPage = (fields: Record<string, unknown> = {}) =>
  people.owner.publish({ name: 'Team page', storage_mode: 'team_app', ...fields });

async function invite(page: PublishedPage, body: Record<string, unknown> = {}, by = people.owner) {
  const answer = await by.call('POST', `/api/pages/${page.id}/team/invite`, { body });
  if (answer.status !== 200) throw new Error(`inviting failed: ${JSON.stringify(answer.body)}`);
  return answer.body.inviteCode as string;
}

async function join(page: PublishedPage, user: TestUser, role: string): Promise<void> {
  const answer = await user.call('POST', `/api/join/${await invite(page, { role, maxUses: 1 })}`);
  if (answer.status !== 200) throw new Error(`joining failed: ${JSON.stringify(answer.body)}`);
}

/** A page with one person of each role in its team. */
async function fullTeam(fields: Record<string, unknown> = {}): Promise<PublishedPage> {
  const page = await teamPage(fields);
  for (const role of GRANTABLE) await join(page, people[role], role);
  return page;
}

async function fetchMembers(page: PublishedPage): Promise<Record<string, string>> {
  const { body } = await people.owner.call('GET', `/api/pages/${page.id}/team`);
  return Object.fromEntries(
    body.members.map((member: { user: { username: string }; role: string }) => [
      member.user.username,
      member.role,
    ]),
  );
}

test('only the owner can write the agent spec', async () => {
  const page = await fullTeam();
  const path = `/api/pages/${page.id}/agent-spec`;
  expect((await people.owner.call('PUT', path, { body: { spec: 'by its owner' } })).status).toBe(200);
  for (const role of GRANTABLE) {
    for (const [method, body] of [
      ['PUT', { spec: `by ${role}` }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await people[role].call(method, path, body && { body });
      expect([role, method, answer.status, answer.body.code]).toEqual([role, method, 403, 'FORBIDDEN']);
    }
  }
  expect((await quire.call('GET', path)).body.spec).toBe('by its owner');
});

describe('an invite', () => {
  test('is a link that says what it is for, and lets someone join', async () => {
    const page = await teamPage({ name: 'Invites' });
    const before = Date.now();
    const made = await people.owner.call('POST', `/api/pages/${page.slug}/team/invite`);
    expect(made.status).toBe(200);
    const { inviteCode: code } = made.body;
    expect(made.body).toEqual({
      inviteCode: expect.stringMatching(/^[\w-]{22,}$/),
      inviteUrl: `${quire.baseUrl}/join/${code}`,
      role: 'member',
      expiresAt: expect.any(String),
    });
    const days = (Date.parse(made.body.expiresAt) - before) / DAY_MS;
    expect(Math.round(days)).toBe(7);

    const wire = { id: page.id, name: 'Invites', slug: page.slug };
    const look = { type: 'team', team: { role: 'member' }, page: wire };
    expect((await quire.call('GET', `/api/join/${code}`)).body).toEqual({
      ...look,
      isMember: false,
      isAuthenticated: false,
    });
    expect((await people.stranger.call('GET', `/api/join/${code}`)).body).toEqual({
      ...look,
      isMember: false,
      isAuthenticated: true,
    });
    const joined = await people.stranger.call('POST', `/api/join/${code}`);
    expect(joined.status).toBe(200);
    expect(joined.body).toEqual({ success: true, type: 'team', role: 'member', page: wire });
    expect((await people.stranger.call('GET', `/api/join/${code}`)).body.isMember).toBe(true);
    expect(await fetchMembers(page)).toEqual({ owner: 'owner', stranger: 'member' });
  });

  test('is neither stored nor logged as plain text', async () => {
    const page = await teamPage();
    const code = await invite(page);
    for (const path of ['/api/join/', '/join/']) await quire.call('GET', path + code);
    expect(quire.logs.filter((line) => line.includes('/join/…')).length).toBeGreaterThan(0);
    expect(quire.logs.filter((line) => line.includes(code))).toEqual([]);
    const files = new Bun.Glob('**/*').scan({ cwd: quire.dataFolder, onlyFiles: true, dot: true });
    for await (const path of files) {
      const bytes = Buffer.from(await Bun.file(`${quire.dataFolder}/${path}`).arrayBuffer());
      expect({ path, found: bytes.includes(code) }).toEqual({ path, found: false });
    }
  });

  const BODIES: Array<[body: Record<string, unknown>, status: number]> = [
    [{ role: 'admin' }, 200],
    [{ role: 'viewer' }, 200],
    [{ role: 'owner' }, 400],
    [{ role: 'king' }, 400],
    [{ role: null }, 400],
    [{ expiresInDays: 1 }, 200],
    [{ expiresInDays: 365 }, 200],
    [{ expiresInDays: 0 }, 400],
    [{ expiresInDays: 366 }, 400],
    [{ expiresInDays: 1.5 }, 400],
    [{ expiresInDays: '7' }, 400],
    [{ maxUses: 1 }, 200],
    [{ maxUses: 10_000 }, 200],
    [{ maxUses: 0 }, 400],
    [{ maxUses: 10_001 }, 400],
    [{ maxUses: -1 }, 400],
    [{ uses: 3 }, 400],
  ];
  test.each(BODIES)('with %j gets %d', async (body, status) => {
    const page = await teamPage();
    const answer = await people.owner.call('POST', `/api/pages/${page.id}/team/invite`, { body });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.error).toContain(Object.keys(body)[0] ?? '');
  });

  test('ends when it expires', async () => {
    const own = await testApp();
    const owner = await own.user('owner');
    const guest = await own.user('guest');
    const { id } = await owner.publish({ storage_mode: 'team_app' });
    const made = await owner.call('POST', `/api/pages/${id}/team/invite`, { body: { expiresInDays: 1 } });
    const path = `/api/join/${made.body.inviteCode}`;
    own.advance(DAY_MS - 60_000);
    // Access tokens are valid for an hour. This is about the invite.
    const cookie = await guest.login();
    expect((await own.call('GET', path, { cookie })).status).toBe(200);
    own.advance(60_000);
    for (const method of ['GET', 'POST']) expect((await own.call(method, path, { cookie })).status).toBe(404);
    expect((await own.call('GET', `/join/${made.body.inviteCode}`)).status).toBe(404);
    await own.stop();
  });

  test('is used up by its last use, but not by people who are already members', async () => {
    const page = await teamPage();
    await join(page, people.member, 'member');
    const code = await invite(page, { maxUses: 1 });
    for (const user of [people.member, people.owner, people.member]) {
      expect((await user.call('POST', `/api/join/${code}`)).status).toBe(200);
    }
    expect((await people.stranger.call('POST', `/api/join/${code}`)).status).toBe(200);
    for (const method of ['GET', 'POST']) {
      expect((await people.viewer.call(method, `/api/join/${code}`)).status).toBe(404);
    }
    expect((await quire.call('GET', `/api/join/${code}`)).status).toBe(404);
    // A person who used it can send the request again, because the response may have been lost.
    expect((await people.stranger.call('POST', `/api/join/${code}`)).body.role).toBe('member');
    expect(await fetchMembers(page)).toEqual({ owner: 'owner', member: 'member', stranger: 'member' });
  });

  const STEPS: Array<[held: Role, offered: string, after: Role]> = [
    ['viewer', 'viewer', 'viewer'],
    ['viewer', 'member', 'member'],
    ['viewer', 'admin', 'admin'],
    ['member', 'viewer', 'member'],
    ['member', 'admin', 'admin'],
    ['admin', 'viewer', 'admin'],
    ['admin', 'member', 'admin'],
    ['owner', 'viewer', 'owner'],
    ['owner', 'admin', 'owner'],
  ];
  test.each(STEPS)('for a %s, offering %s, leaves them as %s', async (held, offered, after) => {
    const page = await teamPage();
    if (held !== 'owner') await join(page, people[held], held);
    const code = await invite(page, { role: offered, maxUses: 1 });
    expect((await people[held].call('POST', `/api/join/${code}`)).body.role).toBe(after);
    expect((await fetchMembers(page))[held]).toBe(after);
    const isSpent = (await quire.call('GET', `/api/join/${code}`)).status === 404;
    expect(isSpent).toBe(held !== after);
  });

  test('of an unpublished page works, and shows the draft', async () => {
    const page = await teamPage({ name: 'Draft', is_published: false });
    const cookie = await people.stranger.login();
    const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', cookie };
    const status = async () => (await quire.request(`/p/${page.slug}`, { headers })).status;
    expect(await status()).toBe(404);
    await join(page, people.stranger, 'viewer');
    expect(await status()).toBe(302);
    expect((await people.stranger.call('GET', `/api/pages/${page.id}/team`)).status).toBe(200);
  });

  test('of a page that no longer has a team admits nobody', async () => {
    const page = await teamPage();
    const code = await invite(page);
    await people.owner.call('PATCH', `/api/pages/${page.id}`, { body: { storage_mode: 'solo_app' } });
    for (const method of ['GET', 'POST']) {
      const answer = await people.stranger.call(method, `/api/join/${code}`);
      expect(answer.status).toBe(409);
      expect(answer.body.error).toContain('solo_app');
    }
    await people.owner.call('PATCH', `/api/pages/${page.id}`, { body: { storage_mode: 'team_app' } });
    expect(await fetchMembers(page)).toEqual({ owner: 'owner' });
  });

  test('is deleted with its page', async () => {
    const page = await teamPage();
    const code = await invite(page);
    await people.owner.call('DELETE', `/api/pages/${page.id}`);
    expect((await people.stranger.call('POST', `/api/join/${code}`)).status).toBe(404);
  });

  test.each(['unknown-code-of-some-length', 'x', '..', '%00', `${'a'.repeat(500)}`])(
    '%j does not exist',
    async (code) => {
      for (const method of ['GET', 'POST']) {
        expect((await people.stranger.call(method, `/api/join/${code}`)).status).toBe(404);
      }
    },
  );

  test('cannot be accepted by a page, by a foreign origin, or without a login', async () => {
    const page = await teamPage();
    const path = `/api/join/${await invite(page)}`;
    const cookie = await people.stranger.login();
    const evil = { origin: `http://p${page.id}.pages.localhost:3000`, 'sec-fetch-site': 'cross-site' };
    expect((await quire.call('POST', path)).status).toBe(401);
    expect((await quire.call('POST', path, { cookie, headers: evil })).status).toBe(401);
    expect((await quire.call('POST', path, { cookie, headers: { origin: 'null' } })).status).toBe(401);
    const onHost = `http://p${page.id}.pages.localhost:3000${path}`;
    expect((await quire.call('POST', onHost, { cookie })).status).toBe(404);
    const { token } = (
      await people.stranger.call('POST', '/api/auth/tokens', {
        body: { name: 'reader', scopes: ['team-data:read'] },
      })
    ).body;
    expect((await quire.call('POST', path, { token })).body.code).toBe('INSUFFICIENT_SCOPE');
    expect(await fetchMembers(page)).toEqual({ owner: 'owner' });
    expect((await quire.call('POST', path, { cookie })).status).toBe(200);
  });
});

describe('inviting', () => {
  for (const by of [...ROLES, 'stranger'] as const) {
    for (const role of GRANTABLE) {
      const allowed = by === 'owner' || (by === 'admin' && role !== 'admin');
      test(`${by} ${allowed ? 'can' : 'cannot'} invite as ${role}`, async () => {
        const page = await fullTeam();
        const answer = await people[by].call('POST', `/api/pages/${page.id}/team/invite`, { body: { role } });
        expect(answer.status).toBe(allowed ? 200 : 403);
        expect(answer.body.inviteCode === undefined).toBe(!allowed);
      });
    }
  }
});

describe('changing a role', () => {
  for (const by of [...ROLES, 'stranger'] as const) {
    for (const target of ROLES) {
      for (const role of GRANTABLE) {
        const allowed =
          target !== 'owner' &&
          (by === 'owner' || (by === 'admin' && target !== 'admin' && role !== 'admin'));
        test(`${by} ${allowed ? 'can' : 'cannot'} make ${target} ${role}`, async () => {
          const page = await fullTeam();
          const before = await fetchMembers(page);
          const path = `/api/pages/${page.id}/team/${people[target].id}`;
          const answer = await people[by].call('PATCH', path, { body: { role } });
          expect(answer.status).toBe(allowed ? 200 : 403);
          if (allowed) {
            const user = { id: people[target].id, username: target };
            expect(answer.body).toEqual({ user, role, joinedAt: expect.any(String) });
          }
          expect(await fetchMembers(page)).toEqual(allowed ? { ...before, [target]: role } : before);
        });
      }
    }
  }

  test('nobody can become owner, and nobody outside the team gets a role', async () => {
    const page = await fullTeam();
    const path = `/api/pages/${page.id}/team`;
    const patch = (id: number | string, body: unknown) =>
      people.owner.call('PATCH', `${path}/${id}`, { body });
    expect((await patch(people.member.id, { role: 'owner' })).status).toBe(400);
    expect((await patch(people.member.id, {})).status).toBe(400);
    expect((await patch(people.member.id, { role: 'admin', joinedAt: 1 })).status).toBe(400);
    expect((await patch(people.stranger.id, { role: 'viewer' })).status).toBe(404);
    expect((await patch(2_147_483_647, { role: 'viewer' })).status).toBe(404);
    for (const id of ['me', '0', '-1', '1.5', '99999999999', 'member']) {
      expect((await patch(id, { role: 'viewer' })).status).toBe(404);
    }
  });

  test('takes effect immediately', async () => {
    const page = await fullTeam();
    const path = `/api/pages/${page.id}/team`;
    await people.owner.call('PATCH', `${path}/${people.admin.id}`, { body: { role: 'viewer' } });
    expect((await people.admin.call('POST', `${path}/invite`)).status).toBe(403);
    expect((await people.admin.call('GET', path)).status).toBe(200);
  });
});

describe('removing a member', () => {
  for (const by of [...ROLES, 'stranger'] as const) {
    for (const target of ROLES) {
      const isLeaving = by === target;
      const mayRemove = by === 'owner' || (by === 'admin' && target !== 'admin');
      const allowed = target !== 'owner' && (isLeaving || mayRemove);
      test(`${by} ${allowed ? 'can' : 'cannot'} remove ${isLeaving ? 'themself' : target}`, async () => {
        const page = await fullTeam();
        const before = await fetchMembers(page);
        const answer = await people[by].call('DELETE', `/api/pages/${page.id}/team/${people[target].id}`);
        expect(answer.status).toBe(allowed ? 204 : 403);
        const after = { ...before };
        if (allowed) delete after[target];
        expect(await fetchMembers(page)).toEqual(after);
        if (allowed)
          expect((await people[target].call('GET', `/api/pages/${page.id}/team`)).status).toBe(403);
      });
    }
  }

  test('prevents a return with an old invite, and so does a lower role', async () => {
    const owner = await quire.user();
    const guest = await quire.user();
    const page = await owner.publish({ storage_mode: 'team_app' });
    const team = `/api/pages/${page.id}/team`;
    const invite = async (role: string) =>
      (await owner.call('POST', `${team}/invite`, { body: { role } })).body.inviteCode as string;
    const code = await invite('admin');
    expect((await guest.call('POST', `/api/join/${code}`)).status).toBe(200);
    await owner.call('PATCH', `${team}/${guest.id}`, { body: { role: 'viewer' } });
    expect((await guest.call('POST', `/api/join/${code}`)).status).toBe(404);
    const second = await invite('member');
    expect((await guest.call('POST', `/api/join/${second}`)).body.role).toBe('member');
    await owner.call('DELETE', `${team}/${guest.id}`);
    expect((await guest.call('POST', `/api/join/${second}`)).status).toBe(404);
  });

  test('with `me` removes the caller, and the owner cannot leave', async () => {
    const page = await fullTeam();
    const path = `/api/pages/${page.id}/team`;
    expect((await people.viewer.call('DELETE', `${path}/me`)).status).toBe(204);
    expect((await people.viewer.call('DELETE', `${path}/me`)).status).toBe(403);
    const answer = await people.owner.call('DELETE', `${path}/me`);
    expect(answer.status).toBe(403);
    expect(answer.body.error).toContain('owner cannot leave');
    expect((await people.owner.call('DELETE', `${path}/${people.stranger.id}`)).status).toBe(404);
    expect(await fetchMembers(page)).toEqual({ owner: 'owner', admin: 'admin', member: 'member' });
  });
});

describe('the team', () => {
  test('is listed with its owner first, for everyone in it', async () => {
    const page = await fullTeam();
    for (const role of ROLES) {
      const { status, body } = await people[role].call('GET', `/api/pages/${page.slug}/team`);
      expect(status).toBe(200);
      expect(body.members.map((member: { role: string }) => member.role)).toEqual([...ROLES]);
      expect(body.members[0]).toEqual({
        user: { id: people.owner.id, username: 'owner' },
        role: 'owner',
        joinedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      });
    }
  });

  const CALLS: Array<[method: string, path: string]> = [
    ['GET', 'team'],
    ['POST', 'team/invite'],
    ['GET', 'team/invites'],
    ['DELETE', 'team/invites/0190a6a0-0000-7000-8000-000000000000'],
    ['PATCH', 'team/1'],
    ['DELETE', 'team/1'],
    ['DELETE', 'team/me'],
    ['GET', 'team-files'],
    ['POST', 'team-files'],
    ['GET', 'team-files/0190a6a0-0000-7000-8000-000000000000'],
    ['DELETE', 'team-files/0190a6a0-0000-7000-8000-000000000000'],
  ];
  const body = (method: string) => (method === 'PATCH' ? { body: { role: 'viewer' } } : {});
  test.each(CALLS)('%s %s needs a member of the team', async (method, path) => {
    const published = await teamPage();
    const draft = await teamPage({ is_published: false });
    const other = await people.owner.publish({ storage_mode: 'social_app' });
    const at = (id: number) => `/api/pages/${id}/${path}`;
    expect((await quire.call(method, at(published.id), body(method))).status).toBe(401);
    expect((await quire.call(method, at(999_999), body(method))).status).toBe(401);
    const { stranger, owner } = people;
    expect((await stranger.call(method, at(published.id), body(method))).status).toBe(403);
    expect((await stranger.call(method, at(draft.id), body(method))).status).toBe(404);
    expect((await stranger.call(method, at(999_999), body(method))).status).toBe(404);
    for (const user of [stranger, owner]) {
      const answer = await user.call(method, at(other.id), body(method));
      expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 409, code: 'CONFLICT' });
      expect(answer.body.error).toContain('social_app');
    }
  });

  test.each(CALLS)('%s %s needs a token with the right scope', async (method, path) => {
    const page = await teamPage();
    const wanted = method === 'GET' ? 'team-data:read' : 'team-data:write';
    const other = method === 'GET' ? 'team-data:write' : 'team-data:read';
    const made = await people.owner.call('POST', '/api/auth/tokens', {
      body: { name: 'one', scopes: [other, 'pages:write', 'social-data:read'] },
    });
    const answer = await quire.call(method, `/api/pages/${page.id}/${path}`, {
      token: made.body.token,
      ...body(method),
    });
    expect(answer.body).toMatchObject({ code: 'INSUFFICIENT_SCOPE', scope: wanted });
  });

  test('is unavailable while the page has another mode, and comes back with its mode', async () => {
    const page = await fullTeam();
    const mode = (storage_mode: string) =>
      people.owner.call('PATCH', `/api/pages/${page.id}`, { body: { storage_mode } });
    await mode('solo_app');
    expect((await people.admin.call('PATCH', `/api/pages/${page.id}`, { body: { name: 'x' } })).status).toBe(
      403,
    );
    await mode('team_app');
    expect((await people.admin.call('PATCH', `/api/pages/${page.id}`, { body: { name: 'x' } })).status).toBe(
      200,
    );
  });
});

describe('GET /api/teams', () => {
  const fetchTeams = async (user: TestUser) => {
    const { status, body } = await user.call('GET', '/api/teams');
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.teams as Array<{ page: PublishedPage & { name: string }; role: string; joinedAt: string }>;
  };
  const fetchIds = async (user: TestUser) => (await fetchTeams(user)).map(({ page }) => page.id);

  test('lists pages of others where you are in the team, newest membership first', async () => {
    const [mia, otto] = [await quire.user('mia'), await quire.user('otto')];
    const first = await teamPage({ name: 'First' });
    const draft = await teamPage({ name: 'Draft', is_published: false });
    const own = await mia.publish({ name: 'Own', storage_mode: 'team_app' });
    await join(first, mia, 'viewer');
    quire.advance(1000);
    await join(draft, mia, 'admin');
    expect(await fetchTeams(mia)).toEqual([
      {
        page: { id: draft.id, name: 'Draft', slug: draft.slug, url: `${quire.baseUrl}/p/${draft.slug}` },
        role: 'admin',
        joinedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      {
        page: { id: first.id, name: 'First', slug: first.slug, url: `${quire.baseUrl}/p/${first.slug}` },
        role: 'viewer',
        joinedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    expect(await fetchIds(mia)).not.toContain(own.id);
    expect(await fetchIds(otto)).toEqual([]);
    expect(await fetchIds(people.owner)).toEqual([]);
  });

  test('leaves out a page that has no team now, that you have left, or that was deleted', async () => {
    const nora = await quire.user('nora');
    const pages = [await teamPage(), await teamPage(), await teamPage()] as const;
    for (const page of pages) await join(page, nora, 'member');
    const [off, left, gone] = pages;
    const mode = (storage_mode: string) =>
      people.owner.call('PATCH', `/api/pages/${off.id}`, { body: { storage_mode } });
    await mode('solo_app');
    await nora.call('DELETE', `/api/pages/${left.id}/team/me`);
    await people.owner.call('DELETE', `/api/pages/${gone.id}`);
    expect(await fetchIds(nora)).toEqual([]);
    await mode('team_app');
    expect(await fetchIds(nora)).toEqual([off.id]);
  });

  test('needs a login, or a token with the scope', async () => {
    const pia = await quire.user('pia');
    const token = async (scopes: string[]) =>
      (
        await quire.call('POST', '/api/auth/token', {
          body: { username: 'pia', password: pia.password, scopes },
        })
      ).body.accessToken as string;
    const ask = (options: { token?: string; cookie?: string; headers?: Record<string, string> }) =>
      quire.call('GET', '/api/teams', options);
    expect((await ask({ token: await token(['team-data:read']) })).status).toBe(200);
    expect((await ask({ token: await token(['pages:read']) })).body.code).toBe('INSUFFICIENT_SCOPE');
    const cookie = await pia.login();
    expect((await ask({ cookie })).status).toBe(200);
    expect((await ask({ cookie, headers: { origin: 'http://p1.pages.localhost' } })).status).toBe(401);
    expect((await ask({})).status).toBe(401);
  });
});

describe('the invite screen', () => {
  const look = async (code: string, cookie?: string) =>
    quire.call('GET', `/join/${code}`, { ...(cookie && { cookie }), headers: { 'sec-fetch-site': 'none' } });

  test('asks a guest to log in, a stranger to join, and greets a member', async () => {
    const page = await teamPage({ name: '<b>Team</b> & co' });
    const code = await invite(page);
    const guest = await look(code);
    expect(guest.status).toBe(200);
    expect(guest.body).toContain(`/login?next=%2Fjoin%2F${code}`);
    expect(guest.body).toContain(`/register?next=%2Fjoin%2F${code}`);
    expect(guest.body).not.toContain('<form');
    expect(guest.body).not.toContain('<b>Team');
    expect(guest.headers.get('x-frame-options')).toBe('DENY');
    expect(guest.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");

    const cookie = await people.stranger.login();
    const stranger = await look(code, cookie);
    expect(stranger.body).toContain(`<form method="post" action="/join/${code}">`);
    expect(stranger.body).toContain('stranger');

    const post = (headers: Record<string, string>) =>
      quire.call('POST', `/join/${code}`, {
        cookie,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ origin: 'null' })).status).toBe(403);
    expect((await post({ 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect(await fetchMembers(page)).toEqual({ owner: 'owner' });
    const joined = await post({ origin: quire.baseUrl, 'sec-fetch-site': 'same-origin' });
    expect([joined.status, joined.headers.get('location')]).toEqual([303, `/p/${page.slug}`]);

    const member = await look(code, cookie);
    expect(member.body).toContain(`/p/${page.slug}`);
    expect(member.body).not.toContain('<form');
  });

  test('asks someone whose login has expired to log in', async () => {
    const code = await invite(await teamPage());
    const answer = await quire.call('POST', `/join/${code}`, { headers: { origin: quire.baseUrl } });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/login?next=%2Fjoin%2F${code}`]);
  });

  test.each([
    ['unknown', 'no-such-invite-at-all'],
    ['cut off in a message', 'abc'],
    ['copied with more', 'no-such-invite-at-all).'],
    ['not an invite', '<b>'],
  ])('and the API explain that an invite no longer works: %s', async (_, dead) => {
    const code = encodeURIComponent(dead);
    const answer = await look(code);
    expect(answer.status).toBe(404);
    expect(answer.body).toContain('no longer works');
    expect(answer.body).toContain('Ask for a new one.');
    for (const method of ['GET', 'POST']) {
      expect(await people.stranger.call(method, `/api/join/${code}`)).toMatchObject({
        status: 404,
        body: {
          error: 'This invite is unknown, has expired or is used up. Ask for a new one.',
          code: 'NOT_FOUND',
        },
      });
    }
  });

  test('offers no registration where it is closed', async () => {
    const closed = await testApp({ QUIRE_REGISTRATION: 'closed' });
    const code = (await closed.app.makeSetupLink())?.split('code=')[1] ?? '';
    const person = { username: 'boss', password: 'correct horse battery' };
    const form = new URLSearchParams({ ...person, email: 'boss@example.com', code });
    await closed.request('/setup', { method: 'POST', body: form });
    const { accessToken: token } = (await closed.call('POST', '/api/auth/token', { body: person })).body;
    const page = { name: 'Closed', html_content: '<p>', storage_mode: 'team_app' };
    const { slug } = (await closed.call('POST', '/api/pages', { token, body: page })).body.page;
    const { inviteUrl } = (await closed.call('POST', `/api/pages/${slug}/team/invite`, { token })).body;
    const { status, body } = await closed.call('GET', inviteUrl);
    expect(status).toBe(200);
    expect(body).toContain('/login?next=');
    expect(body).not.toContain('/register');
    await closed.stop();
  });
});
