import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DEVICE_CODE_GRANT } from '../../../contract/oauth/protocol.ts';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import { PASSWORD, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql } from '../../support/engines/storage.ts';
import {
  connect,
  getCode,
  hiddenFields,
  newAddress,
  pkce,
  postForm,
  refreshWith,
  registerClient,
  shownScopes,
  token,
} from '../../support/oauth.ts';

/** Whatever somebody holds from before gives nothing new for an account that is suspended or about to be deleted. */

let quire: TestApp;
let boss: Administrator;
beforeAll(async () => {
  quire = await testApp();
  boss = await administrator(quire, 'warden');
});
afterAll(() => quire.stop());

const suspend = (user: TestUser) =>
  boss.admin('POST', `/api/admin/users/${user.id}/suspend`, { reason: 'Phishing' });

const BLOCKS: Record<string, (user: TestUser) => Promise<unknown>> = {
  'a suspended account': suspend,
  'an account that is about to be deleted': async (user) =>
    quire.call('POST', '/api/auth/account/delete', {
      headers: { cookie: await user.login() },
      body: { username: user.username },
    }),
};

/** What a person or a program holds, and what they do with it later. */
const HELD: Record<string, (user: TestUser) => Promise<() => Promise<{ status: number; body: unknown }>>> = {
  async 'the code of an app'(user) {
    const client_id = await registerClient(quire);
    const { verifier, challenge } = pkce();
    const { code } = await getCode(quire, await user.login(), { client_id, challenge });
    const form = { grant_type: 'authorization_code', client_id, code, code_verifier: verifier };
    return () => token(quire, form);
  },
  async 'the code of a device'(user) {
    const cookie = await user.login();
    const peer = newAddress();
    const { body } = await postForm(
      quire,
      '/oauth/device_authorization',
      { client_id: 'quire-cli' },
      { peer },
    );
    const asked = await postForm(quire, '/device', { user_code: body.user_code }, { cookie, peer });
    const scope = shownScopes(asked.body).ticked;
    const form = { ...hiddenFields(asked.body), preset: 'own', scope, sure: 'yes', answer: 'allow' };
    expect((await postForm(quire, '/device', form, { cookie, peer })).body).toContain('Connected');
    const { device_code } = body;
    return () => token(quire, { grant_type: DEVICE_CODE_GRANT, client_id: 'quire-cli', device_code });
  },
  async 'the refresh token of an app'(user) {
    const { clientId, refresh } = await connect(quire, user);
    return () => refreshWith(quire, clientId, refresh);
  },
  async 'the refresh token of a program'({ username }) {
    const body = { username, password: PASSWORD };
    const { refreshToken } = (await quire.call('POST', '/api/auth/token', { body })).body;
    return () => quire.call('POST', '/api/auth/token/refresh', { body: { refreshToken } });
  },
  async 'a session'(user) {
    const cookie = await user.login();
    return () => quire.call('POST', '/api/auth/session-token', { cookie });
  },
};

const held = async (user: TestUser) => ({
  tokens: await readSql(quire, `select count(*) as n from tokens where user_id = ${user.id}`),
  grants: await readSql(quire, `select count(*) as n from oauth_grants where user_id = ${user.id}`),
});

describe.each(Object.entries(BLOCKS))('%s', (_, block) => {
  test.each(Object.entries(HELD))('gets nothing new for %s', async (_name, hold) => {
    const user = await quire.user();
    const use = await hold(user);
    await block(user);
    const before = await held(user);
    const { status, body } = await use();
    expect([400, 401]).toContain(status);
    expect(JSON.stringify(body)).not.toMatch(/qr[adr]?_/);
    expect(await held(user)).toEqual(before);
  });
});

test('a code that a suspended account could not use is used up', async () => {
  const user = await quire.user();
  const exchange = await HELD['the code of an app']?.(user);
  await suspend(user);
  expect((await exchange?.())?.status).toBe(400);
  await boss.admin('POST', `/api/admin/users/${user.id}/restore`);
  expect(await exchange?.()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});
