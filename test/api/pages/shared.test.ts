import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';

/** Pages of other people: who sees them in the list, and what each role can do with them. */

const GRANTABLE = ['admin', 'member', 'viewer'] as const;
type Name = 'owner' | (typeof GRANTABLE)[number] | 'stranger';

let quire: TestApp;
let people: Record<Name, TestUser>;
let team: PublishedPage;
beforeAll(async () => {
  quire = await testApp();
  const names: Name[] = ['owner', ...GRANTABLE, 'stranger'];
  const users = await Promise.all(names.map(async (name) => [name, await quire.user(name)] as const));
  people = Object.fromEntries(users) as typeof people;
  team = await people.owner.publish({ name: 'Team page', storage_mode: 'team_app' });
  for (const role of GRANTABLE) await join(team, people[role], role);
});
afterAll(() => quire.stop());

async function join(page: PublishedPage, user: TestUser, role: string): Promise<void> {
  const path = `/api/pages/${page.id}/team/invite`;
  const { body } = await people.owner.call('POST', path, { body: { role, maxUses: 1 } });
  expect((await user.call('POST', `/api/join/${body.inviteCode}`)).status).toBe(200);
}

const shared = async (user: TestUser, query = '') =>
  (await user.call('GET', `/api/pages/shared${query}`)).body;

describe('GET /api/pages/shared', () => {
  test('lists the pages of teams with the owner and what the role allows', async () => {
    for (const role of GRANTABLE) {
      const list = await shared(people[role]);
      expect(list).toMatchObject({ total: 1, limit: 50, offset: 0 });
      expect(list.pages[0]).toEqual({
        id: team.id,
        name: 'Team page',
        slug: team.slug,
        url: `${quire.baseUrl}/p/${team.slug}`,
        owner: { id: people.owner.id, username: 'owner' },
        storage_mode: 'team_app',
        role,
        since: expect.stringMatching(/^\d{4}-.*Z$/),
        can_see: true,
        can_edit: role === 'admin',
        updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
        picture: null,
      });
    }
    expect((await shared(people.owner)).pages).toEqual([]);
    expect((await shared(people.stranger)).pages).toEqual([]);
  });

  test('lists pages that name the person, and only while they do', async () => {
    const named = await quire.user('named');
    const access = { mode: 'people', people: ['named'] };
    const page = await people.owner.publish({ name: 'For named', access });
    const [found] = (await shared(named)).pages;
    expect(found).toMatchObject({ id: page.id, role: null, since: null, can_see: true, can_edit: false });
    const path = `/api/pages/${page.id}`;
    await people.owner.call('PATCH', path, { body: { access: { mode: 'people', people: ['stranger'] } } });
    expect((await shared(named)).pages).toEqual([]);
    await people.owner.call('PATCH', path, { body: { access } });
    expect((await shared(named)).total).toBe(1);
    // The list of people stays, but does not count in another mode.
    await people.owner.call('PATCH', path, { body: { access: { mode: 'private' } } });
    expect((await shared(named)).pages).toEqual([]);
  });

  test('does not show the name of a page that the member cannot see, nor find it by its name', async () => {
    const member = await quire.user('kept-out');
    const page = await people.owner.publish({ name: 'Secret plan', storage_mode: 'team_app' });
    await join(page, member, 'member');
    const access = { mode: 'password', password: 'a long password' };
    await people.owner.call('PATCH', `/api/pages/${page.id}`, { body: { access } });
    const [found] = (await shared(member)).pages;
    expect(found).toMatchObject({ id: page.id, can_see: false, name: 'A page with limited access' });
    expect(JSON.stringify(found)).not.toMatch(/secret/i);
    expect((await shared(member, '?q=secret')).total).toBe(0);
  });

  test('leaves out pages that are no team apps any more, and teams that were left', async () => {
    const leaver = await quire.user('leaver');
    const page = await people.owner.publish({ name: 'Changing', storage_mode: 'team_app' });
    await join(page, leaver, 'viewer');
    await people.owner.call('PATCH', `/api/pages/${page.id}`, { body: { storage_mode: 'page' } });
    expect((await shared(leaver)).pages).toEqual([]);
    await people.owner.call('PATCH', `/api/pages/${page.id}`, { body: { storage_mode: 'team_app' } });
    expect((await shared(leaver)).total).toBe(1);
    expect((await leaver.call('DELETE', `/api/pages/${page.id}/team/me`)).status).toBe(204);
    expect((await shared(leaver)).pages).toEqual([]);
  });

  test('searches and pages', async () => {
    const reader = await quire.user('reader');
    for (const name of ['Apples', 'Pears', 'Plums']) {
      await join(await people.owner.publish({ name, storage_mode: 'team_app' }), reader, 'viewer');
    }
    const names = async (query: string) =>
      (await shared(reader, query)).pages.map(({ name }: { name: string }) => name);
    expect(await names('?q=PEAR')).toEqual(['Pears']);
    expect(await names('?q=owner&limit=100')).toHaveLength(3);
    const all = [...(await names('?limit=2')), ...(await names('?limit=2&offset=2'))];
    expect(all.sort()).toEqual(['Apples', 'Pears', 'Plums']);
    expect(await shared(reader, '?limit=1&offset=3')).toMatchObject({ pages: [], total: 3 });
    const id = (await shared(reader)).pages[1].id;
    expect(await shared(reader, `?page=${id}`)).toMatchObject({ pages: [{ id }], total: 1 });
    expect((await shared(reader, `?page=${team.id}`)).total).toBe(0);
    for (const query of ['?limit=0', '?page=x', '?limit=101', '?offset=-1'])
      expect((await reader.call('GET', `/api/pages/shared${query}`)).status).toBe(400);
  });

  test('needs a token with pages:read', async () => {
    expect((await quire.call('GET', '/api/pages/shared')).status).toBe(401);
    const { body } = await quire.call('POST', '/api/auth/token', {
      body: { username: 'viewer', password: people.viewer.password, scopes: ['functions:read'] },
    });
    const answer = await quire.call('GET', '/api/pages/shared', { token: body.accessToken });
    expect([answer.status, answer.body.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  });
});

describe('the roles of a team on the management of a page', () => {
  test('members, viewers and strangers can read nothing of it, admins all that is not for its owner only', async () => {
    const routes = quire.app.routes.filter(
      ({ method, path, access }) =>
        method === 'GET' && access.kind === 'management' && /^\/api\/pages\/:id(\/[\w-]+)*$/.test(path),
    );
    expect(routes.length).toBeGreaterThan(5);
    for (const { path } of routes) {
      const statusFor = async (name: Name) =>
        (await people[name].call('GET', path.replace(':id', String(team.id)))).status;
      const owner = await statusFor('owner');
      expect([path, owner]).not.toEqual([path, 403]);
      // Attacks and repairs show what functions answer, and reports are about the owner.
      const forAdmins = /\/(attack|repairs|reports)$/.test(path) ? 403 : owner;
      expect([path, await statusFor('admin')]).toEqual([path, forAdmins]);
      for (const name of ['member', 'viewer', 'stranger'] as const)
        expect([path, name, await statusFor(name)]).toEqual([path, name, 403]);
    }
  });

  test.each([
    ['PATCH', '', 'admin', { description: 'ours' }],
    ['POST', '/messages', 'admin', { role: 'user', content: 'hello' }],
    ['POST', '/versions/1/restore', 'admin', undefined],
    ['POST', '/drafts', 'admin', { html_content: '<p>draft' }],
    ['PUT', '/agent-spec', 'owner', { spec: 'ours' }],
    ['DELETE', '/agent-spec', 'owner', undefined],
    ['POST', '/domains', 'owner', { domain: 'team.example.com' }],
    ['POST', '/generate-preview-image', 'owner', {}],
    ['POST', '/check', 'owner', {}],
    ['DELETE', '', 'owner', undefined],
  ])('%s /api/pages/:id%s needs the role %s', async (method, path, role, body) => {
    const statusFor = async (name: Name) => {
      const answer = await people[name].call(method, `/api/pages/${team.id}${path}`, body && { body });
      return [name, answer.status];
    };
    for (const name of ['stranger', 'viewer', 'member'] as const)
      expect(await statusFor(name)).toEqual([name, 403]);
    const [, status] = await statusFor('admin');
    if (role === 'owner') expect(status).toBe(403);
    else expect([200, 201]).toContain(status as number);
  });
});
