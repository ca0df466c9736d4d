import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { startLyingProvider } from '../../support/accounts/lying-provider.ts';
import { startProvider, type TestProvider } from '../../support/accounts/oidc-provider.ts';
import { comeBackAs, flowIn, leadsTo, Visitor } from '../../support/accounts/single-sign-on.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';

/** Who can register with single sign-on, and servers whose provider is not there. */

const BASE_URL = 'http://localhost:4000';

let provider: TestProvider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider(BASE_URL);
  app = await testApp({ ...provider.settings, QUIRE_BASE_URL: BASE_URL, QUIRE_REGISTRATION: 'invite' });
});
afterAll(async () => {
  await app.stop();
  await provider.stop();
});

async function invite(code: string, uses = 1): Promise<string> {
  const hash = createHash('sha256').update(code).digest('base64url');
  const now = Date.now();
  await runSql(
    app,
    `INSERT INTO registration_invites (secret_hash, note, uses, max_uses, created_at, expires_at)
     VALUES ('${hash}', 'For you', 0, ${uses}, ${now}, ${now + 3_600_000})`,
  );
  return code;
}

const setMode = (mode: string) =>
  runSql(
    app,
    `DELETE FROM service_settings WHERE name = 'registration'`,
    `INSERT INTO service_settings (name, value, updated_at) VALUES ('registration', '${mode}', 1)`,
  );

test('carries an invite to the account that it is for, and uses it up', async () => {
  provider.add('invited', { email: 'invited@school.example', email_verified: true });
  const code = await invite('a-code-that-nobody-guesses');
  const visitor = new Visitor(app);
  const page = await (await visitor.open(`/register?invite=${code}`)).text();
  const [, start = ''] = /href="(\/login\/sso[^"]*)"/.exec(page) ?? [];
  expect(start).toBe(`/login/sso?invite=${code}`);
  const back = await comeBackAs(visitor, 'invited', start);
  // Only the browser has the code. The provider has not seen it.
  expect(leadsTo(back)).not.toContain(code);
  const done = await visitor.submit('/login/sso/register', { flow: flowIn(back), username: 'invited' });
  expect(done.status).toBe(303);
  const [row] = await readSql<{ uses: number }>(app, 'SELECT uses FROM registration_invites');
  expect(Number(row?.uses)).toBe(1);

  provider.add('too-late', { email: 'late@school.example', email_verified: true });
  const late = await comeBackAs(visitor, 'too-late', start).catch(() => undefined);
  // They are logged in, so the link leads nowhere.
  expect(late).toBeUndefined();
  const other = new Visitor(app);
  const refused = await other.open(leadsTo(await comeBackAs(other, 'too-late', start)));
  expect(refused.status).toBe(403);
  expect(await refused.text()).toContain('This invite does not work');
});

test('creates no account without an invite, but logs in those who have one', async () => {
  provider.add('uninvited', { email: 'uninvited@school.example', email_verified: true });
  const visitor = new Visitor(app);
  const back = await comeBackAs(visitor, 'uninvited');
  const page = await visitor.open(leadsTo(back));
  expect(page.status).toBe(403);
  expect(await page.text()).toContain('Registration is by invite');
  const forced = await visitor.submit('/login/sso/register', { flow: flowIn(back), username: 'uninvited' });
  expect(forced.status).toBe(403);
  const known = new Visitor(app);
  await comeBackAs(known, 'invited');
  expect(await known.username()).toBe('invited');
});

test('creates no account while registration is closed, even for somebody who is about to', async () => {
  provider.add('slow', { email: 'slow@school.example', email_verified: true });
  const visitor = new Visitor(app);
  const code = await invite('another-code-that-nobody-guesses');
  const back = await comeBackAs(visitor, 'slow', `/login/sso?invite=${code}`);
  expect((await visitor.open(leadsTo(back))).status).toBe(200);
  await setMode('closed');
  const refused = await visitor.submit('/login/sso/register', { flow: flowIn(back), username: 'slow' });
  expect(refused.status).toBe(403);
  expect(await refused.text()).toContain('Registration is closed');
  expect(await (await visitor.open('/register')).text()).toContain('Continue with School ID');
  await setMode('open');
  const done = await visitor.submit('/login/sso/register', { flow: flowIn(back), username: 'slow' });
  expect(done.status).toBe(303);
});

test('starts and logs others in while the provider does not respond', async () => {
  const gone = startLyingProvider();
  gone.stop();
  const lonely = await testApp(gone.environment);
  try {
    const user = await lonely.user('patient');
    expect(await user.login()).not.toBe('');
    const refused = await lonely.request('/login/sso?next=/docs');
    expect(refused.status).toBe(503);
    expect(refused.headers.getSetCookie()).toEqual([]);
    const page = await refused.text();
    expect(page).toContain('127.0.0.1 is not available right now');
    expect(page).toContain('href="/login/sso?next=%2Fdocs"');
    expect(lonely.logs.join('')).toContain('single sign-on failed');
  } finally {
    await lonely.stop();
  }
});

test('limits answers that are wrong, and not those that are right', async () => {
  const settings = { ...provider.settings, QUIRE_BASE_URL: BASE_URL, QUIRE_LOGIN_FAILURES_PER_ADDRESS: '3' };
  const strict = await testApp(settings);
  try {
    const wrong = async () => {
      const visitor = new Visitor(strict);
      const state = new URL(leadsTo(await visitor.open('/login/sso'))).searchParams.get('state');
      const iss = encodeURIComponent(provider.issuer);
      return (await visitor.open(`/login/sso/callback?code=guessed&state=${state}&iss=${iss}`)).status;
    };
    for (let logins = 0; logins < 4; logins++) {
      const back = await comeBackAs(new Visitor(strict), 'invited');
      expect(back.status).toBe(303);
    }
    expect([await wrong(), await wrong(), await wrong(), await wrong()]).toEqual([403, 403, 403, 429]);
  } finally {
    await strict.stop();
  }
});

test('has no single sign-on without a provider', async () => {
  const plain = await testApp();
  try {
    const user = await plain.user();
    const visitor = new Visitor(plain);
    await visitor.logIn(user);
    expect((await visitor.call('GET', '/api/auth/single-sign-on')).body).toEqual({
      provider: null,
      connection: null,
      canDisconnect: false,
    });
    expect((await visitor.call('POST', '/api/auth/single-sign-on', {})).status).toBe(404);
    expect((await plain.request('/login/sso')).status).toBe(404);
    expect(await (await plain.request('/login')).text()).not.toContain('Continue with');
  } finally {
    await plain.stop();
  }
});
