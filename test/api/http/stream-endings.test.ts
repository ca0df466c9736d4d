import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { create, publishApp, readEvents } from '../../support/data/data.ts';
import { connect, getCode, pkce, postForm, refreshWith, registerClient, token } from '../../support/oauth.ts';

const SCOPES = ['pages:read', 'functions:read', 'social-data:read'];
const CODE = 'export default { fetch: () => new Response("hi") }';

let quire: TestApp;
let boss: Administrator;
beforeAll(async () => {
  quire = await testApp();
  boss = await administrator(quire);
});
afterAll(() => quire.stop());

/** Ways in which a program gets a token, and ways to end it. */
interface Ending {
  token: string;
  end(): Promise<{ status: number }>;
}

async function personalToken(user: TestUser): Promise<{ token: string; id: number }> {
  const body = { name: 'program', scopes: SCOPES };
  return (await user.call('POST', '/api/auth/tokens', { body })).body;
}

const ENDINGS = {
  async 'its token is deleted'(user: TestUser): Promise<Ending> {
    const { token, id } = await personalToken(user);
    return { token, end: () => user.call('DELETE', `/api/auth/tokens/${id}`) };
  },
  async 'the app is disconnected'(user: TestUser): Promise<Ending> {
    const { access } = await connect(quire, user, SCOPES);
    const [app] = (await user.call('GET', '/api/auth/apps')).body.apps;
    return { token: access, end: () => user.call('DELETE', `/api/auth/apps/${app.id}`) };
  },
  async 'the app revokes its token'(user: TestUser): Promise<Ending> {
    const { access, clientId } = await connect(quire, user, SCOPES);
    const form = { client_id: clientId, token: access };
    return { token: access, end: () => postForm(quire, '/oauth/revoke', form) };
  },
  async 'a refresh token of the app is used twice'(user: TestUser): Promise<Ending> {
    const { access, clientId, refresh } = await connect(quire, user, SCOPES);
    await refreshWith(quire, clientId, refresh);
    return { token: access, end: () => refreshWith(quire, clientId, refresh) };
  },
  async 'a refresh token of the login is used twice'(user: TestUser): Promise<Ending> {
    const body = { refreshToken: user.refreshToken };
    const refresh = () => quire.call('POST', '/api/auth/token/refresh', { body });
    await refresh();
    return { token: user.token, end: refresh };
  },
  async 'the person logs out'(user: TestUser): Promise<Ending> {
    const cookie = await user.login();
    const made = await quire.call('POST', '/api/auth/session-token', { cookie });
    return {
      token: made.body.accessToken,
      end: () => quire.call('POST', '/api/auth/logout', { cookie }),
    };
  },
  async 'the account is suspended'(user: TestUser): Promise<Ending> {
    const { token } = await personalToken(user);
    const path = `/api/admin/users/${user.id}/suspend`;
    return { token, end: () => boss.admin('POST', path, { reason: 'Spam' }) };
  },
};

describe.each(Object.entries(ENDINGS))('when %s', (_, prepare) => {
  test('the streams of records, versions and logs end, and those of others go on', async () => {
    const user = await quire.user();
    const page = await publishApp(user, 'social');
    const slug = `logs-${user.id}`;
    await user.call('POST', '/api/functions', { body: { slug, displayName: 'Logs', code: CODE } });
    const { token, end } = await prepare(user);
    const open = async (path: string, as: string) => {
      const response = await quire.request(path, { headers: { authorization: `Bearer ${as}` } });
      expect([path, response.status]).toEqual([path, 200]);
      return readEvents(response);
    };
    const events = `/api/pages/${page.id}/events?collections=notes`;
    const streams = [
      await open(events, token),
      await open(`/api/pages/${page.id}/version-events`, token),
      await open(`/api/functions/${slug}/logs?follow=true`, token),
    ];
    const other = await publishApp(boss, 'social');
    const others = await open(`/api/pages/${other.id}/events?collections=notes`, boss.token);
    await end();
    await Promise.all(streams.map(({ ended }) => ended));
    await create(boss, `${other.address}/notes`, { n: 1 });
    await others.until(1);
    others.close();
    const again = await quire.call('GET', `/api/pages/${page.id}/version-events`, { token });
    expect(again.status).toBe(401);
  });
});

test('a code that is sent again and again ends the streams of its person only once', async () => {
  const user = await quire.user();
  const page = await publishApp(user, 'social');
  const client_id = await registerClient(quire);
  const { verifier, challenge } = pkce();
  const { code } = await getCode(quire, await user.login(), { client_id, challenge }, { scope: SCOPES });
  const form = { grant_type: 'authorization_code', client_id, code, code_verifier: verifier };
  const open = async () => {
    const headers = { authorization: `Bearer ${user.token}` };
    return readEvents(await quire.request(`/api/pages/${page.id}/events?collections=notes`, { headers }));
  };
  expect((await token(quire, form)).status).toBe(200);
  const first = await open();
  expect((await token(quire, form)).status).toBe(400);
  await first.ended;
  const second = await open();
  for (let time = 0; time < 3; time++) expect((await token(quire, form)).status).toBe(400);
  await create(user, `${page.address}/notes`, { n: 1 });
  await second.until(1);
  second.close();
});
