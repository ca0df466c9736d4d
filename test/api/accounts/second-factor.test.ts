import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { RECOVERY_CODES } from '../../../contract/rules/limits.ts';
import { Authenticator } from '../../support/accounts/authenticator.ts';
import { PasskeyBrowser } from '../../support/accounts/passkeys.ts';
import { PASSWORD, type TestApp, testApp } from '../../support/app.ts';
import {
  answerConsent,
  authorizeQuery,
  openConsent,
  pkce,
  postForm,
  readRedirect,
  registerClient,
} from '../../support/oauth.ts';

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp({ QUIRE_LOGIN_FAILURES_PER_ADDRESS: '0' });
});
afterAll(() => quire.stop());

const SECOND = { secondFactor: true };
const SCREEN = '/login/second-factor';

/** A user with a passkey and the second factor on. */
async function guarded(username: string) {
  const { id } = await quire.user(username);
  const browser = new PasskeyBrowser(quire);
  await browser.logIn(username, PASSWORD);
  const { authenticator } = await browser.addPasskey();
  const { status, body } = await browser.call('POST', '/api/auth/second-factor', {});
  expect(status).toBe(200);
  return { id, username, browser, authenticator, codes: body.recoveryCodes as string[] };
}

/** A browser in which the password was given. */
async function afterPassword(username: string, next = '/account'): Promise<PasskeyBrowser> {
  const browser = new PasskeyBrowser(quire);
  const { status, location } = await browser.submit('/login', { username, password: PASSWORD, next });
  expect([status, location]).toEqual([303, SCREEN]);
  return browser;
}
const isIn = async (browser: PasskeyBrowser) => (await browser.call('GET', '/api/auth/me')).status === 200;
const readState = async (browser: PasskeyBrowser) => (await browser.call('GET', '/api/auth/passkeys')).body;

describe('the second factor', () => {
  test('needs a passkey, is turned on once, and shows codes that are stored only as hashes', async () => {
    await quire.user('anna');
    const browser = new PasskeyBrowser(quire);
    await browser.logIn('anna', PASSWORD);
    const turnOn = () => browser.call('POST', '/api/auth/second-factor', {});
    expect((await turnOn()).body.code).toBe('CONFLICT');
    expect((await browser.call('POST', '/api/auth/recovery-codes', {})).body.code).toBe('CONFLICT');
    await browser.addPasskey();
    const { body, headers } = await turnOn();
    expect(headers.get('cache-control')).toBe('no-store');
    expect(new Set(body.recoveryCodes).size).toBe(RECOVERY_CODES);
    for (const code of body.recoveryCodes)
      expect(code).toMatch(/^([a-hjkmnp-z02-9]{4}-){3}[a-hjkmnp-z02-9]{4}$/);
    expect((await turnOn()).body.code).toBe('CONFLICT');
    expect(await readState(browser)).toMatchObject({ secondFactor: true, recoveryCodesLeft: RECOVERY_CODES });
  });

  test('follows the password, and then leads on', async () => {
    const { username, authenticator } = await guarded('bert');
    const browser = await afterPassword(username, '/account/tokens?x=1');
    expect(await isIn(browser)).toBe(false);
    const screen = await browser.app.request(SCREEN, { headers: { cookie: browser.cookie } });
    expect(await screen.text()).toContain('you are bert');
    const policy = screen.headers.get('content-security-policy') ?? '';
    expect(policy).toContain(`script-src ${quire.baseUrl}/assets/passkeys.js;`);
    const { body: options } = await browser.call('POST', '/api/auth/passkey-login/options', SECOND);
    expect(options).toMatchObject({
      userVerification: 'preferred',
      allowCredentials: [{ id: authenticator.credentialId }],
    });
    // Presence is enough here.
    const { status, body } = await browser.usePasskey(authenticator, { flags: 1 }, SECOND);
    expect([status, body.next]).toEqual([200, '/account/tokens?x=1']);
    expect(await isIn(browser)).toBe(true);
    expect((await browser.submit(SCREEN, { code: 'x' })).location).toBe('/login');
  });

  test('is not asked for after a passkey alone', async () => {
    const { authenticator } = await guarded('cleo');
    const browser = new PasskeyBrowser(quire);
    expect((await browser.usePasskey(authenticator)).status).toBe(200);
    expect(await isIn(browser)).toBe(true);
  });

  test("cannot be somebody else's passkey, or come without the password", async () => {
    const [dirk, emma] = [await guarded('dirk'), await guarded('emma')];
    const browser = await afterPassword('dirk');
    expect((await browser.usePasskey(emma.authenticator, {}, SECOND)).status).toBe(401);
    expect(await isIn(browser)).toBe(false);
    const stranger = new PasskeyBrowser(quire);
    expect((await stranger.usePasskey(dirk.authenticator, {}, SECOND)).status).toBe(401);
    expect((await stranger.submit(SCREEN, { code: dirk.codes[0] ?? '' })).location).toBe('/login');
    // Presence alone is not enough without the password.
    const { body: options } = await browser.call('POST', '/api/auth/passkey-login/options', SECOND);
    browser.forget('quire_second_factor');
    const credential = dirk.authenticator.get(options, { flags: 1 });
    expect((await browser.call('POST', '/api/auth/passkey-login', { credential })).status).toBe(400);
  });

  test('ends with the time, with a new password, and after one login', async () => {
    const { username, browser: owner, authenticator, codes } = await guarded('fred');
    const late = await afterPassword(username);
    quire.advance(601_000);
    expect((await late.usePasskey(authenticator, {}, SECOND)).status).toBe(401);

    const copied = await afterPassword(username);
    const copy = copied.at(quire);
    expect((await copied.submit(SCREEN, { code: codes[0] ?? '' })).location).toBe('/account');
    expect((await copy.submit(SCREEN, { code: codes[1] ?? '' })).status).toBe(401);
    expect(await isIn(copy)).toBe(false);

    const changed = await afterPassword(username);
    const next = 'another password';
    await owner.call('POST', '/api/auth/password', { current: PASSWORD, next });
    expect((await changed.usePasskey(authenticator, {}, SECOND)).status).toBe(401);
  });

  test('stops programs that have only the password, and says what to do', async () => {
    const { username } = await guarded('gina');
    for (const path of ['/api/auth/login', '/api/auth/token']) {
      const answer = await quire.call('POST', path, { body: { username, password: PASSWORD } });
      expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
      expect(answer.body.error).toContain('quire login');
      expect(answer.headers.get('set-cookie')).toBeNull();
      const wrong = await quire.call('POST', path, { body: { username, password: 'wrong password' } });
      expect(wrong.status).toBe(401);
    }
  });

  test('can be turned off with proof, and ends with the last passkey', async () => {
    const { browser, authenticator, username } = await guarded('hugo');
    await browser.addPasskey();
    quire.advance(11 * 60_000);
    const off = (body: object) => browser.call('POST', '/api/auth/second-factor/off', body);
    expect((await off({})).status).toBe(403);
    expect((await off({ password: 'wrong password' })).status).toBe(401);
    expect((await off({ password: PASSWORD })).status).toBe(200);
    expect((await off({ password: PASSWORD })).body.code).toBe('CONFLICT');
    expect(await readState(browser)).toMatchObject({ secondFactor: false, recoveryCodesLeft: 0 });
    expect((await new PasskeyBrowser(quire).logIn(username, PASSWORD)).status).toBe(200);

    const password = { password: PASSWORD };
    await browser.call('POST', '/api/auth/second-factor', password);
    const [first, last] = (await readState(browser)).passkeys;
    const remove = (id: number) => browser.call('POST', `/api/auth/passkeys/${id}/remove`, password);
    expect((await remove(first.id)).body.message).not.toContain('the last one');
    expect((await readState(browser)).secondFactor).toBe(true);
    expect((await remove(last.id)).body.message).toContain('It was the last one');
    expect(await readState(browser)).toEqual({ passkeys: [], secondFactor: false, recoveryCodesLeft: 0 });
    expect((await new PasskeyBrowser(quire).usePasskey(authenticator)).status).toBe(401);
  });
});

describe('a recovery code', () => {
  test('replaces the passkey once, however it is typed', async () => {
    const { username, browser: owner, codes } = await guarded('ines');
    const [code = ''] = codes;
    const browser = await afterPassword(username);
    const typed = ` ${code.toUpperCase().replaceAll('-', ' ')} `;
    expect((await browser.submit(SCREEN, { code: typed })).location).toBe('/account');
    expect(await isIn(browser)).toBe(true);
    expect((await readState(owner)).recoveryCodesLeft).toBe(RECOVERY_CODES - 1);
    const again = await (await afterPassword(username)).submit(SCREEN, { code });
    expect([again.status, again.text.includes('was already used')]).toEqual([401, true]);
  });

  test('works for one of two logins at the same moment', async () => {
    const { username, codes } = await guarded('jan');
    const browsers = [await afterPassword(username), await afterPassword(username)];
    const code = codes[3] ?? '';
    const answers = await Promise.all(browsers.map((browser) => browser.submit(SCREEN, { code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401]);
  });

  test('is worth nothing for others, or after new ones were made', async () => {
    const [kim, lea] = [await guarded('kim'), await guarded('lea')];
    const code = kim.codes[0] ?? '';
    expect((await (await afterPassword('lea')).submit(SCREEN, { code })).status).toBe(401);
    const { body } = await kim.browser.call('POST', '/api/auth/recovery-codes', {});
    expect((await (await afterPassword('kim')).submit(SCREEN, { code })).status).toBe(401);
    const fresh = body.recoveryCodes[0];
    expect((await (await afterPassword('kim')).submit(SCREEN, { code: fresh })).status).toBe(303);
    expect((await readState(lea.browser)).recoveryCodesLeft).toBe(RECOVERY_CODES);
  });

  test('can be guessed ten times by people who know the password, and never by others', async () => {
    const { username, codes } = await guarded('mia');
    const code = codes[0] ?? '';
    const stranger = new PasskeyBrowser(quire);
    for (let time = 0; time < 15; time++)
      expect((await stranger.submit(SCREEN, { code: `wrong${time}` })).status).toBe(303);
    const browser = await afterPassword(username);
    for (let time = 0; time < 10; time++)
      expect((await browser.submit(SCREEN, { code: `wrong${time}` })).status).toBe(401);
    expect((await browser.submit(SCREEN, { code })).status).toBe(429);
    expect((await afterPassword(username).then((other) => other.submit(SCREEN, { code }))).status).toBe(429);
  });
});

test('the second factor comes before a setup link, which goes on afterwards', async () => {
  const own = await testApp();
  await own.user('nora');
  const browser = new PasskeyBrowser(own);
  await browser.logIn('nora', PASSWORD);
  const { authenticator } = await browser.addPasskey(new Authenticator(own.baseUrl));
  await browser.call('POST', '/api/auth/second-factor', {});
  const link = new URL((await own.app.makeSetupLink()) ?? '');
  const code = link.searchParams.get('code') ?? '';
  const fresh = new PasskeyBrowser(own);
  const fields = { username: 'nora', password: PASSWORD, code };
  expect((await fresh.submit('/setup', fields)).location).toBe(SCREEN);
  const { body } = await fresh.usePasskey(authenticator, {}, SECOND);
  expect(body.next).toBe(`/setup?code=${encodeURIComponent(code)}`);
  expect((await fresh.submit('/setup', { code, as: 'me' })).location).toBe('/setup/done');
  await own.stop();
});

test('the second factor comes before an app and a device are connected', async () => {
  const { username, authenticator } = await guarded('oleg');
  const query = authorizeQuery({ client_id: await registerClient(quire), challenge: pkce().challenge });
  const device = await postForm(quire, '/oauth/device_authorization', { client_id: 'quire-cli' });
  for (const path of [`/oauth/authorize?${query}`, `/device?user_code=${device.body.user_code}`]) {
    const browser = new PasskeyBrowser(quire);
    const open = () =>
      quire.request(path, { headers: { cookie: browser.cookie, 'sec-fetch-mode': 'navigate' } });
    const login = new URL((await open()).headers.get('location') ?? '', quire.baseUrl);
    expect(login.pathname).toBe('/login');
    const next = login.searchParams.get('next') ?? '';
    const given = await browser.submit('/login', { username, password: PASSWORD, next });
    expect(given.location).toBe(SCREEN);
    expect((await open()).headers.get('location')).toStartWith('/login?');
    const { body } = await browser.usePasskey(authenticator, {}, SECOND);
    expect(body.next).toBe(next);
    expect((await open()).status).toBe(200);
    if (path.startsWith('/device')) continue;
    const screen = await openConsent(quire, query, browser.cookie);
    expect(readRedirect(await answerConsent(quire, screen, browser.cookie)).params.code).toBeString();
  }
});
