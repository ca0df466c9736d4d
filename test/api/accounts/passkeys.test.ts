import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_PASSKEYS } from '../../../contract/rules/limits.ts';
import { Authenticator, type Twist } from '../../support/accounts/authenticator.ts';
import { PasskeyBrowser } from '../../support/accounts/passkeys.ts';
import { PASSWORD, type TestApp, testApp } from '../../support/app.ts';

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp({ QUIRE_LOGIN_FAILURES_PER_ADDRESS: '0' });
});
afterAll(() => quire.stop());

/** A new user's browser, logged in. */
async function enter(name: string): Promise<PasskeyBrowser> {
  await quire.user(name);
  const browser = new PasskeyBrowser(quire);
  await browser.logIn(name, PASSWORD);
  return browser;
}
const listed = async (browser: PasskeyBrowser) => (await browser.call('GET', '/api/auth/passkeys')).body;

describe('a passkey', () => {
  test('can be added, named, renamed and removed', async () => {
    const browser = await enter('ada');
    expect(await listed(browser)).toEqual({ passkeys: [], secondFactor: false, recoveryCodesLeft: 0 });
    const { status, body } = await browser.addPasskey();
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        name: 'An unknown device',
        isSynced: true,
        createdAt: expect.any(String),
        lastUsedAt: null,
      },
    ]);
    const path = `/api/auth/passkeys/${body.id}`;
    expect((await browser.call('PATCH', path, { name: ' Phone ' })).body.name).toBe('Phone');
    expect((await browser.call('PATCH', path, { name: 'x'.repeat(100) })).status).toBe(200);
    for (const name of ['', ' ', 'x'.repeat(101)])
      expect((await browser.call('PATCH', path, { name })).status).toBe(400);

    const stranger = await enter('adas-neighbour');
    expect((await stranger.call('PATCH', path, { name: 'mine' })).status).toBe(404);
    expect((await stranger.call('POST', `${path}/remove`)).status).toBe(404);
    expect((await listed(stranger)).passkeys).toEqual([]);

    expect((await browser.call('POST', `${path}/remove`)).status).toBe(200);
    expect((await browser.call('POST', `${path}/remove`)).status).toBe(404);
    expect((await listed(browser)).passkeys).toEqual([]);
  });

  test('gets the name of the device, and its own options', async () => {
    const browser = await enter('ben');
    const { body: options } = await browser.call('POST', '/api/auth/passkeys/options', {});
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      excludeCredentials: [],
    });
    const authenticator = new Authenticator(quire.baseUrl);
    const credential = authenticator.create(options);
    const made = await browser.call(
      'POST',
      '/api/auth/passkeys',
      { credential },
      {
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      },
    );
    expect(made.body.name).toBe('Firefox on Linux');
    const again = await browser.call('POST', '/api/auth/passkeys/options', {});
    expect(again.body.excludeCredentials).toEqual([
      { id: authenticator.credentialId, type: 'public-key', transports: ['internal'] },
    ]);
    expect(again.body.user.id).toBe(options.user.id);
  });

  test('is added only soon after a login, or with the password', async () => {
    const browser = await enter('carl');
    const { authenticator, body } = await browser.addPasskey();
    quire.advance(11 * 60_000);
    const { status, body: refusal } = await browser.call('POST', '/api/auth/passkeys/options', {});
    expect([status, refusal.code]).toEqual([403, 'FORBIDDEN']);
    expect((await browser.call('POST', `/api/auth/passkeys/${body.id}/remove`)).status).toBe(403);
    const ask = (password: string) => browser.call('POST', '/api/auth/passkeys/options', { password });
    expect((await ask('wrong password')).status).toBe(401);
    const options = await ask(PASSWORD);
    expect(options.body.excludeCredentials[0].id).toBe(authenticator.credentialId);
  });

  test('is one of at most 20', async () => {
    const browser = await enter('dora');
    const start = async () => (await browser.call('POST', '/api/auth/passkeys/options', {})).body;
    const finish = (options: { challenge: string }) =>
      browser.call('POST', '/api/auth/passkeys', {
        credential: new Authenticator(quire.baseUrl).create(options),
      });
    const early = [await start(), await start(), await start()] as const;
    for (let count = 1; count < MAX_PASSKEYS; count++) expect((await browser.addPasskey()).status).toBe(201);
    // Of two at the same moment, one is the twentieth.
    const both = await Promise.all(early.slice(1).map(finish));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 403]);
    expect((await browser.call('POST', '/api/auth/passkeys/options', {})).body.code).toBe('QUOTA_EXCEEDED');
    expect((await finish(early[0])).body.code).toBe('QUOTA_EXCEEDED');
    expect((await listed(browser)).passkeys.length).toBe(MAX_PASSKEYS);
  });

  test('can be tried 50 times an hour', async () => {
    const browser = await enter('fifty');
    const { body: options } = await browser.call('POST', '/api/auth/passkeys/options', {});
    const credential = new Authenticator(quire.baseUrl).create(options, { challenge: 'AAAA' });
    const add = async () => (await browser.call('POST', '/api/auth/passkeys', { credential })).status;
    for (let time = 0; time < 50; time++) expect(await add()).toBe(400);
    expect(await add()).toBe(429);
  });
});

/** Answers that no honest browser at the service gives. */
const TWISTS: Array<[string, Twist]> = [
  ["another site's origin", { origin: 'https://evil.example' }],
  ["a page's own host", { origin: 'http://p1.pages.localhost:3000' }],
  ['another port', { origin: 'http://localhost:1' }],
  ['HTTPS, where the service has none', { origin: 'https://localhost:3000' }],
  ['another relying party', { rpId: 'evil.example' }],
  ['a frame on another site', { crossOrigin: true }],
  ['nobody present', { flags: 0 }],
  ['another ceremony', { type: 'webauthn.payment' }],
  ['a made-up challenge', { challenge: Buffer.from('x.y').toString('base64url') }],
  ['no challenge', { challenge: '' }],
];

describe('an answer is refused', () => {
  test.each([
    ...TWISTS,
    [
      'a format that brings certificates',
      { attestation: { fmt: 'packed', attStmt: new Map([['x5c', []]]) } },
    ],
    ['an unknown format', { attestation: { fmt: 'tpm', attStmt: new Map() } }],
  ] satisfies Array<[string, Twist]>)('for a new passkey with %s', async (what, twist) => {
    const browser = await enter(`new-${Bun.hash(what).toString(36)}`);
    const { status, body } = await browser.addPasskey(new Authenticator(quire.baseUrl), twist);
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect((await listed(browser)).passkeys).toEqual([]);
  });

  let owner: Authenticator;
  beforeAll(async () => {
    owner = (await (await enter('olga')).addPasskey()).authenticator;
  });

  test.each([
    ...TWISTS,
    ['a changed signature', { tampered: true }],
    ['somebody present but not verified', { flags: 1 }],
    ['an unknown passkey', { credentialId: 'AAAA' }],
  ] satisfies Array<[string, Twist]>)('for a login with %s', async (_, twist) => {
    const browser = new PasskeyBrowser(quire);
    const { status } = await browser.usePasskey(owner, twist);
    expect([400, 401]).toContain(status);
    expect((await browser.call('GET', '/api/auth/me')).status).toBe(401);
    // The honest answer is accepted.
    expect((await browser.usePasskey(owner)).status).toBe(200);
  });

  test('for a challenge that was used, is old, is for something else or is from another browser', async () => {
    const browser = new PasskeyBrowser(quire);
    const start = async () => (await browser.call('POST', '/api/auth/passkey-login/options', {})).body;
    const finish = (options: { challenge: string }, from = browser) =>
      from.call('POST', '/api/auth/passkey-login', { credential: owner.get(options) });
    const used = await start();
    expect((await finish(used)).status).toBe(200);
    expect((await finish(used)).status).toBe(400);
    const elsewhere = await start();
    expect((await finish(elsewhere, new PasskeyBrowser(quire))).status).toBe(400);
    // Two tabs do not disturb each other.
    const [one, two] = [await start(), await start()];
    expect([(await finish(one)).status, (await finish(two)).status]).toEqual([200, 200]);
    const ofAdding = (await browser.call('POST', '/api/auth/passkeys/options', {})).body;
    expect((await finish({ ...ofAdding, rpId: 'localhost' })).status).toBe(400);
    const old = await start();
    quire.advance(601_000);
    expect((await finish(old)).status).toBe(400);
  });

  test('for a new passkey of another user, and for a credential that exists', async () => {
    const [eve, fay] = [await enter('eve'), await enter('fay')];
    const { body: options } = await eve.call('POST', '/api/auth/passkeys/options', {});
    const credential = new Authenticator(quire.baseUrl).create(options);
    // Eve's challenge in Fay's session, even in the same browser.
    const mixed = new PasskeyBrowser(quire);
    await mixed.logIn('eve', PASSWORD);
    const { body: asked } = await mixed.call('POST', '/api/auth/passkeys/options', {});
    await mixed.logIn('fay', PASSWORD);
    const stolen = await mixed.call('POST', '/api/auth/passkeys', {
      credential: new Authenticator(quire.baseUrl).create(asked),
    });
    expect(stolen.status).toBe(400);
    expect((await fay.call('POST', '/api/auth/passkeys', { credential })).status).toBe(400);
    const taken = await fay.addPasskey(new Authenticator(quire.baseUrl), {
      credentialId: owner.credentialId,
    });
    expect([taken.status, taken.body.code]).toEqual([409, 'CONFLICT']);
  });

  test('if it is too large, of another shape, or from another origin', async () => {
    const browser = new PasskeyBrowser(quire);
    const { body: options } = await browser.call('POST', '/api/auth/passkey-login/options', {});
    const good = owner.get(options);
    const send = (response: object, headers?: Record<string, string>) =>
      browser.call('POST', '/api/auth/passkey-login', { credential: { ...good, response } }, headers);
    for (const [name, most] of [
      ['clientDataJSON', 8_192],
      ['authenticatorData', 4_096],
      ['signature', 8_192],
    ] as const) {
      const answer = await send({ ...good.response, [name]: 'A'.repeat(most + 1) });
      expect(answer.body.details?.[0].path).toBe(`credential.response.${name}`);
    }
    expect((await send({ ...good.response, signature: 'A'.repeat(70_000) })).status).toBe(413);
    expect((await send({ ...good.response, signature: '!' })).status).toBe(400);
    expect((await send({})).status).toBe(400);
    expect((await send(good.response, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await send(good.response, { origin: 'http://p1.pages.localhost:3000' })).status).toBe(403);
    expect((await send(good.response)).status).toBe(200);
  });

  test('if its counter goes back, unless the passkey does not count', async () => {
    const browser = await enter('gil');
    const counting = new Authenticator(quire.baseUrl, { isSynced: false });
    await browser.addPasskey(counting);
    const use = (counter: number) => new PasskeyBrowser(quire).usePasskey(counting, { counter });
    expect((await use(5)).status).toBe(200);
    for (const counter of [5, 4, 0]) expect((await use(counter)).status).toBe(401);
    expect((await use(6)).status).toBe(200);
    // Two answers with the same count: one of them is a copy.
    const both = await Promise.all([use(7), use(7)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});

describe('a login with a passkey alone', () => {
  test('starts a session', async () => {
    const browser = await enter('hal');
    const { authenticator } = await browser.addPasskey();
    const other = new PasskeyBrowser(quire);
    const { body: options } = await other.call('POST', '/api/auth/passkey-login/options', {});
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] });
    const { status, body } = await other.usePasskey(authenticator);
    expect([status, body.next]).toEqual([200, null]);
    expect((await other.call('GET', '/api/auth/me')).body.user.username).toBe('hal');
    expect((await listed(other)).passkeys[0].lastUsedAt).not.toBeNull();
    // A removed passkey is worth nothing.
    await other.call('POST', `/api/auth/passkeys/${(await listed(other)).passkeys[0].id}/remove`);
    expect((await new PasskeyBrowser(quire).usePasskey(authenticator)).status).toBe(401);
  });

  test('is limited by address after failures, which honest logins are not', async () => {
    const strict = await testApp({ QUIRE_LOGIN_FAILURES_PER_ADDRESS: '3' });
    await strict.user('ida');
    const browser = new PasskeyBrowser(strict);
    await browser.logIn('ida', PASSWORD);
    const { authenticator } = await browser.addPasskey();
    const tryWith = async (twist: Twist) =>
      (await new PasskeyBrowser(strict).usePasskey(authenticator, twist)).status;
    for (let time = 0; time < 5; time++) expect(await tryWith({})).toBe(200);
    for (let time = 0; time < 3; time++) expect(await tryWith({ tampered: true })).toBe(401);
    expect(await tryWith({})).toBe(429);
    await strict.stop();
  });
});
