import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';

/** Who can have a page checked. None of these needs a browser. */

let quire: TestApp;
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  quire = await testApp();
  owner = await quire.user('owner');
  stranger = await quire.user('stranger');
});
afterAll(() => quire.stop());

/** A token of the owner with these scopes. */
async function tokenWith(scopes: string[]): Promise<string> {
  const { username, password } = owner;
  const answer = await quire.call('POST', '/api/auth/token', { body: { username, password, scopes } });
  return answer.body.accessToken;
}

test('a check is for the owner, with the scope pages:read', async () => {
  const page = await owner.publish();
  expect((await stranger.call('POST', `/api/pages/${page.id}/check`)).status).toBe(403);
  expect((await quire.call('POST', `/api/pages/${page.id}/check`)).status).toBe(401);
  const token = await tokenWith(['functions:read']);
  const refused = await quire.call('POST', `/api/pages/${page.id}/check`, { token });
  expect([refused.status, refused.body.scope]).toEqual([403, 'pages:read']);
});

test('a check as the owner needs the scopes for the data that the page can read and write', async () => {
  const page = await owner.publish({ storage_mode: 'solo_app' });
  for (const scope of ['solo-data:read', 'solo-data:write']) {
    const others = ['solo-data:read', 'solo-data:write'].filter((one) => one !== scope);
    const token = await tokenWith(['pages:read', 'pages:write', ...others]);
    const path = `/api/pages/${page.id}/check`;
    const { status, body } = await quire.call('POST', path, { token, body: { as: 'owner' } });
    expect([status, body.code, body.scope]).toEqual([403, 'INSUFFICIENT_SCOPE', scope]);
  }
});
