import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Branch } from '../../../contract/pages/branches/branches.ts';
import { SCOPES } from '../../../contract/scopes.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { connect } from '../../support/oauth.ts';

/** Who can let others see a branch, which has what its page has. */

const HTML = '<!doctype html><title>Diary</title><h1>Secret</h1>';

let quire: TestApp;
let owner: TestUser;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  tokens['a token for branches'] = await makeToken({ branches_only: true });
  tokens['an app for branches'] = (await connect(quire, owner, [...SCOPES], {}, { branches: 'yes' })).access;
  tokens['a personal token'] = await makeToken();
  tokens['a connected app'] = (await connect(quire, owner, [...SCOPES])).access;
  tokens['a person'] = owner.token;
}, 30_000);
afterAll(() => quire.stop());

async function makeToken(more: object = {}): Promise<string> {
  const body = { name: 'agent', scopes: SCOPES, ...more };
  return (await owner.call('POST', '/api/auth/tokens', { body })).body.token;
}

async function publish(fields: object): Promise<Branch> {
  const access = { mode: 'team' };
  const page = await owner.publish({
    name: 'Diary',
    html_content: HTML,
    storage_mode: 'team_app',
    ...fields,
  });
  expect((await owner.call('PATCH', `/api/pages/${page.id}`, { body: { access } })).status).toBe(200);
  const body = { name: 'try', data: 'all' };
  return (await owner.call('POST', `/api/pages/${page.id}/branches`, { body })).body;
}

const ask = async (who: string, method: string, path: string, body: object) => {
  const response = await quire.call(method, path, { token: tokens[who] as string, body });
  return [path, response.status, response.body.code];
};

/** Every request that would show a branch to others. */
const openings = ({ of, name, page }: Branch): Array<[string, string, object]> => [
  ['PATCH', `/api/pages/${page.id}`, { access: { mode: 'public' } }],
  ['PATCH', `/api/pages/${page.id}`, { name: 'x', access: { mode: 'password', password: 'open sesame' } }],
  ['PATCH', `/api/pages/${page.id}`, { access: { mode: 'people', people: ['stranger'] } }],
  ['PATCH', `/api/pages/${of}/branches/${name}`, { access: { mode: 'public' } }],
  ['PATCH', `/api/pages/${of}/branches/${name}`, { access: { mode: 'people', people: ['stranger'] } }],
  ['POST', `/api/pages/${page.id}/team/invite`, { role: 'viewer' }],
  ['POST', `/api/pages/${page.id}/team/invites`, { email: 'stranger@example.org', role: 'viewer' }],
];

describe.each([
  ['a token for branches', false],
  ['an app for branches', false],
  ['a personal token', true],
  ['a connected app', true],
])('%s, on a branch of a page that is protected: %p', (who, isProtected) => {
  test('shows it to nobody else', async () => {
    const branch = await publish({ protected: isProtected });
    for (const [method, path, body] of openings(branch))
      expect(await ask(who, method, path, body)).toEqual([path, 403, 'PROTECTED']);
    expect((await quire.request(`/p/${branch.page.slug}`)).status).not.toBe(200);
    const own = `/api/pages/${branch.page.id}`;
    for (const body of [{ is_unlisted: false }, { is_listed: true }])
      expect((await ask(who, 'PATCH', own, body))[1]).toBe(409);
    expect((await ask(who, 'POST', `${own}/domains`, { domain: 'diary.example.org' }))[1]).not.toBe(201);
    // It can close it further.
    for (const path of [own, `/api/pages/${branch.of}/branches/try`])
      for (const mode of ['private', 'team'])
        expect(await ask(who, 'PATCH', path, { access: { mode } })).toEqual([path, 200, undefined]);
  });
});

test.each(['a person', 'a personal token'])(
  '%s opens the branch of a page that is not protected',
  async (who) => {
    const branch = await publish({ protected: who === 'a person' });
    const path = `/api/pages/${branch.of}/branches/try`;
    expect(await ask(who, 'PATCH', path, { access: { mode: 'public' } })).toEqual([path, 200, undefined]);
    expect((await quire.request(`/p/${branch.page.slug}`)).status).toBe(200);
  },
);

test('a token for branches says nothing about pages of others', async () => {
  const stranger = await quire.user('elsewhere');
  const page = await stranger.publish({ name: 'Hidden', html_content: HTML, is_published: false });
  const path = `/api/pages/${page.id}/branches/try`;
  expect((await ask('a token for branches', 'PATCH', path, { access: { mode: 'public' } }))[1]).toBe(404);
});
