import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';

/** Open invites: who can see and withdraw them, and how many people can use them. */

const DAY_MS = 24 * 3600 * 1000;
const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
const GRANTABLE = ['admin', 'member', 'viewer'] as const;

let quire: TestApp;
let people: Record<(typeof ROLES)[number] | 'stranger', TestUser>;
let team: PublishedPage;
beforeAll(async () => {
  quire = await testApp();
  const names = [...ROLES, 'stranger'] as const;
  const users = await Promise.all(names.map(async (name) => [name, await quire.user(name)] as const));
  people = Object.fromEntries(users) as typeof people;
  team = await people.owner.publish({ name: 'Team page', storage_mode: 'team_app' });
  for (const role of GRANTABLE) {
    const { inviteCode } = await invite(team, { role, maxUses: 1 });
    await people[role].call('POST', `/api/join/${inviteCode}`);
  }
});
afterAll(() => quire.stop());

const at = ({ id }: PublishedPage) => `/api/pages/${id}/team/invites`;

async function invite(page: PublishedPage, body: Record<string, unknown> = {}, by = people.owner) {
  return (await by.call('POST', `/api/pages/${page.id}/team/invite`, { body })).body;
}

async function listed(page: PublishedPage) {
  const { body } = await people.owner.call('GET', at(page));
  return body.invites as Array<{ id: string; role: string; uses: number }>;
}

const freshTeam = () => people.owner.publish({ storage_mode: 'team_app' });

describe('the list of invites', () => {
  test('has everything except the code, newest first', async () => {
    const page = await freshTeam();
    expect(await listed(page)).toEqual([]);
    const first = await invite(page);
    const second = await invite(page, { role: 'viewer', expiresInDays: 1, maxUses: 3 });
    await people.stranger.call('POST', `/api/join/${second.inviteCode}`);
    const { status, body } = await people.owner.call('GET', `/api/pages/${page.slug}/team/invites`);
    expect(status).toBe(200);
    const shared = {
      id: expect.any(String),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      createdBy: { id: people.owner.id, username: 'owner' },
    };
    expect(body.invites).toEqual([
      { ...shared, role: 'viewer', expiresAt: second.expiresAt, maxUses: 3, uses: 1 },
      { ...shared, role: 'member', expiresAt: first.expiresAt, maxUses: null, uses: 0 },
    ]);
    for (const { inviteCode } of [first, second]) expect(JSON.stringify(body)).not.toContain(inviteCode);
  });

  test('leaves out invites that are used up or expired', async () => {
    const own = await testApp();
    const owner = await own.user('owner');
    const page = await owner.publish({ storage_mode: 'team_app' });
    const cookie = await owner.login();
    const roles = async () =>
      (await own.call('GET', at(page), { cookie })).body.invites.map(({ role }: { role: string }) => role);
    for (const body of [
      { role: 'viewer', maxUses: 1 },
      { role: 'member', expiresInDays: 1 },
      { role: 'admin', expiresInDays: 2 },
    ]) {
      const made = await owner.call('POST', `/api/pages/${page.id}/team/invite`, { body });
      if (!body.maxUses) continue;
      expect(await roles()).toEqual(['viewer']);
      await (await own.user('guest')).call('POST', `/api/join/${made.body.inviteCode}`);
    }
    expect((await roles()).sort()).toEqual(['admin', 'member']);
    own.advance(DAY_MS);
    expect(await roles()).toEqual(['admin']);
    await own.stop();
  });

  for (const by of [...ROLES, 'stranger'] as const) {
    const allowed = by === 'owner' || by === 'admin';
    test(`is ${allowed ? '' : 'not '}for ${by}`, async () => {
      const answer = await people[by].call('GET', at(team));
      expect(answer.status).toBe(allowed ? 200 : 403);
      expect(answer.body.invites === undefined).toBe(!allowed);
    });
  }
});

describe('withdrawing an invite', () => {
  for (const by of [...ROLES, 'stranger'] as const) {
    for (const role of GRANTABLE) {
      const allowed = by === 'owner' || (by === 'admin' && role !== 'admin');
      test(`${by} ${allowed ? 'can' : 'cannot'} withdraw one for ${role}`, async () => {
        const { inviteCode } = await invite(team, { role });
        const [newest] = await listed(team);
        const answer = await people[by].call('DELETE', `${at(team)}/${newest?.id}`);
        expect(answer.status).toBe(allowed ? 204 : 403);
        const look = await quire.call('GET', `/api/join/${inviteCode}`);
        expect(look.status).toBe(allowed ? 404 : 200);
        const isListed = (await listed(team)).some(({ id }) => id === newest?.id);
        expect(isListed).toBe(!allowed);
      });
    }
  }

  test('ends only that invite, only on its own page, and only once', async () => {
    const [page, other] = [await freshTeam(), await freshTeam()];
    const kept = await invite(page);
    const ended = await invite(page, { role: 'viewer' });
    const [newest] = await listed(page);
    const del = (of: PublishedPage, id: string | undefined) =>
      people.owner.call('DELETE', `${at(of)}/${id}`).then(({ status }) => status);
    expect(await del(other, newest?.id)).toBe(404);
    expect(await del(page, newest?.id)).toBe(204);
    expect(await del(page, newest?.id)).toBe(404);
    for (const id of ['x', kept.inviteCode, '%00', 'a'.repeat(500)]) expect(await del(page, id)).toBe(404);
    const fetchStatus = async ({ inviteCode }: { inviteCode: string }) =>
      (await people.stranger.call('POST', `/api/join/${inviteCode}`)).status;
    expect([await fetchStatus(ended), await fetchStatus(kept)]).toEqual([404, 200]);
  });
});

test('an invite for ten people admits exactly ten of twenty-five who come at once', async () => {
  const page = await freshTeam();
  const { inviteCode } = await invite(page, { maxUses: 10, role: 'viewer' });
  const crowd: TestUser[] = [];
  for (let i = 0; i < 25; i++) crowd.push(await quire.user(`crowd${i}`));
  // Each sends it twice, like a double click. It still counts as one use.
  const answers = await Promise.all(
    [...crowd, ...crowd].map((user) => user.call('POST', `/api/join/${inviteCode}`)),
  );
  const { body } = await people.owner.call('GET', `/api/pages/${page.id}/team`);
  const members = body.members.map((member: { user: { username: string } }) => member.user.username);
  expect(members.length).toBe(11);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 404]));
  const joined = crowd.filter((_, i) => answers[i]?.status === 200 || answers[i + 25]?.status === 200);
  expect(joined.map(({ username }) => username).sort()).toEqual(
    members.filter((name: string) => name !== 'owner').sort(),
  );
});
