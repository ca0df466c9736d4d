import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Authenticator } from '../../support/accounts/authenticator.ts';
import { type LyingProvider, startLyingProvider } from '../../support/accounts/lying-provider.ts';
import { PasskeyBrowser } from '../../support/accounts/passkeys.ts';
import { flowIn, leadsTo, Visitor } from '../../support/accounts/single-sign-on.ts';
import { PASSWORD, type TestApp, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';

/** Passkeys, recovery codes and single sign-on of people who must not get in, or not in this way. */

const SCREEN = '/login/second-factor';

let quire: TestApp;
let provider: LyingProvider;
beforeAll(async () => {
  provider = startLyingProvider();
  quire = await testApp({ ...provider.environment, QUIRE_LOGIN_FAILURES_PER_ADDRESS: '0' });
});
afterAll(async () => {
  await quire.stop();
  provider.stop();
});

/** A user whom the provider knows, with a passkey and the second factor on. */
async function everyWayIn(username: string) {
  const user = await quire.user(username);
  const browser = new PasskeyBrowser(quire);
  await browser.logIn(username, PASSWORD);
  const { authenticator } = await browser.addPasskey();
  const { body } = await browser.call('POST', '/api/auth/second-factor', {});
  await runSql(
    quire,
    `INSERT INTO external_logins (issuer, subject, user_id, created_at, last_used_at)
     VALUES ('${provider.issuer}/', '${username}', ${user.id}, 1, 1)`,
  );
  return { ...user, browser, authenticator, codes: body.recoveryCodes as string[] };
}

/** Comes back from the provider as this person. */
async function comeBack(visitor: Visitor, person: Record<string, unknown>): Promise<Response> {
  const start = await visitor.open('/login/sso');
  return visitor.open(provider.logIn(leadsTo(start), person));
}

async function afterPassword(username: string): Promise<PasskeyBrowser> {
  const browser = new PasskeyBrowser(quire);
  const { location } = await browser.submit('/login', { username, password: PASSWORD });
  expect(location).toBe(SCREEN);
  return browser;
}

const change = (username: string, what: string) =>
  runSql(quire, `UPDATE users SET ${what} WHERE username = '${username}'`);
const codesLeft = async (userId: number) =>
  (await readSql(quire, `SELECT code_hash FROM recovery_codes WHERE user_id = ${userId}`)).length;

describe('an account', () => {
  test('that is about to be deleted leads to its last screen, after every proof', async () => {
    const { authenticator, codes, id } = await everyWayIn('leaving');
    const pending = [await afterPassword('leaving'), await afterPassword('leaving')] as const;
    await change('leaving', `removal_due_at = ${Date.now() + 86_400_000}`);
    const alone = await new PasskeyBrowser(quire).usePasskey(authenticator);
    expect([alone.status, alone.body.link]).toEqual([403, expect.stringMatching(/^\/leaving\?code=/)]);
    const second = await pending[0].usePasskey(authenticator, {}, { secondFactor: true });
    expect(second.body.link).toStartWith('/leaving?code=');
    expect((await pending[1].submit(SCREEN, { code: codes[0] ?? '' })).location).toStartWith(
      '/leaving?code=',
    );
    const back = await comeBack(new Visitor(quire), { sub: 'leaving' });
    expect(leadsTo(back)).toStartWith('/leaving?code=');
    // Also while somebody connects it.
    await change('leaving', 'needs_second_factor = 0');
    const visitor = new Visitor(quire);
    const found = await comeBack(visitor, { sub: 'leaving too', email: 'leaving@example.com' });
    const form = { flow: flowIn(found), password: PASSWORD };
    expect(leadsTo(await visitor.submit('/login/sso/connect', form))).toStartWith('/leaving?code=');
    expect(await readSql(quire, `SELECT subject FROM external_logins WHERE user_id = ${id}`)).toHaveLength(1);
  });

  test('that is suspended is refused in every way, and loses no recovery code', async () => {
    const { authenticator, codes, id } = await everyWayIn('banned');
    const pending = [await afterPassword('banned'), await afterPassword('banned')] as const;
    await change('banned', `suspended_at = 1, suspended_reason = 'Spam.'`);
    for (const answer of [
      await new PasskeyBrowser(quire).usePasskey(authenticator),
      await pending[0].usePasskey(authenticator, {}, { secondFactor: true }),
    ]) {
      expect([answer.status, answer.body.error.includes('Spam.')]).toEqual([403, true]);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    const refused = await pending[1].submit(SCREEN, { code: codes[0] ?? '' });
    expect([refused.status, refused.text.includes('Spam.')]).toEqual([403, true]);
    expect(await codesLeft(id)).toBe(codes.length);
    expect((await comeBack(new Visitor(quire), { sub: 'banned' })).status).toBe(403);
  });

  test('that is suspended or about to be deleted does not use up a setup link', async () => {
    const code = new URL((await quire.app.makeSetupLink()) ?? '').searchParams.get('code') ?? '';
    await quire.user('founder');
    const setUp = async () =>
      new PasskeyBrowser(quire).submit('/setup', { username: 'founder', password: PASSWORD, code });
    await change('founder', 'suspended_at = 1');
    expect((await setUp()).status).toBe(403);
    await change('founder', `suspended_at = NULL, removal_due_at = ${Date.now() + 86_400_000}`);
    expect((await setUp()).location).toStartWith('/leaving?code=');
    expect(await readSql(quire, 'SELECT id FROM users WHERE is_admin = 1')).toEqual([]);
    await change('founder', 'removal_due_at = NULL');
    expect((await setUp()).location).toBe('/setup/done');
  });
});

test('a password is not enough if the second factor is turned on while it is compared', async () => {
  await quire.user('hasty');
  const turnOn = `UPDATE users SET needs_second_factor = 1 WHERE id = NEW.id AND username = 'hasty'`;
  // At the last moment: when the login locks the user.
  const trigger = 'CREATE TRIGGER turns_on AFTER UPDATE OF is_admin ON users FOR EACH ROW';
  await (quire.databaseUrl === undefined
    ? runSql(quire, `${trigger} BEGIN ${turnOn}; END`)
    : runSql(
        quire,
        `CREATE FUNCTION turn_on() RETURNS trigger AS $$ BEGIN ${turnOn}; RETURN NEW; END $$ LANGUAGE plpgsql`,
        `${trigger} EXECUTE FUNCTION turn_on()`,
      ));
  const body = { username: 'hasty', password: PASSWORD };
  for (const path of ['/api/auth/login', '/api/auth/token'])
    expect((await quire.call('POST', path, { body })).status).toBe(403);
});

test('the last passkey stays where single sign-on is only with an earlier provider', async () => {
  const { browser, id } = await everyWayIn('moved-on');
  await change('moved-on', `password_hash = ''`);
  const [{ id: passkey }] = (await browser.call('GET', '/api/auth/passkeys')).body.passkeys;
  const remove = async () => (await browser.call('POST', `/api/auth/passkeys/${passkey}/remove`)).status;
  const setIssuer = (issuer: string) =>
    runSql(quire, `UPDATE external_logins SET issuer = '${issuer}' WHERE user_id = ${id}`);
  await setIssuer('https://earlier.example/');
  expect(await remove()).toBe(409);
  await setIssuer(`${provider.issuer}/`);
  expect(await remove()).toBe(200);
});

test('a copy of a finished login uses up no recovery code', async () => {
  const { codes, id } = await everyWayIn('copied');
  const browser = await afterPassword('copied');
  const copy = browser.at(quire);
  expect((await browser.submit(SCREEN, { code: codes[0] ?? '' })).status).toBe(303);
  expect((await copy.submit(SCREEN, { code: codes[1] ?? '' })).status).toBe(401);
  expect(await codesLeft(id)).toBe(codes.length - 1);
});

describe('a session that ended while its request was on the way', () => {
  /** Ends what a thief of the session has. */
  const changePassword = async (username: string) => {
    const owner = new PasskeyBrowser(quire);
    await owner.logIn(username, PASSWORD);
    const next = 'another password';
    expect((await owner.call('POST', '/api/auth/password', { current: PASSWORD, next })).status).toBe(200);
  };

  test('adds no passkey', async () => {
    await quire.user('slow-body');
    const thief = new PasskeyBrowser(quire);
    await thief.logIn('slow-body', PASSWORD);
    const { body: options } = await thief.call('POST', '/api/auth/passkeys/options', {});
    const authenticator = new Authenticator(quire.baseUrl);
    const credential = authenticator.create(options);
    const body = new ReadableStream(
      {
        async pull(controller) {
          // The session was found before the body is read.
          await changePassword('slow-body');
          controller.enqueue(Buffer.from(JSON.stringify({ credential })));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { cookie: thief.cookie, 'content-type': 'application/json' };
    const answer = await quire.request('/api/auth/passkeys', { method: 'POST', headers, body });
    expect(answer.status).toBe(401);
    expect((await new PasskeyBrowser(quire).usePasskey(authenticator)).status).toBe(401);
  });

  test('connects nobody', async () => {
    const user = await quire.user('slow-provider');
    const thief = new Visitor(quire);
    await thief.logIn(user);
    const { body } = await thief.call('POST', '/api/auth/single-sign-on', {});
    const keys = await (await fetch(`${provider.issuer}/keys`)).text();
    provider.lies = {
      instead: {
        '/keys': async () => {
          await changePassword('slow-provider');
          return new Response(keys, { headers: { 'content-type': 'application/json' } });
        },
      },
    };
    // Keys that the service has already are not asked for again.
    quire.advance(6 * 60_000);
    const back = await thief.open(provider.logIn(body.url, { sub: 'thief' }));
    provider.lies = {};
    expect(back.status).toBe(401);
    const connected = await readSql(quire, `SELECT 1 FROM external_logins WHERE user_id = ${user.id}`);
    expect(connected).toEqual([]);
  });
});

describe('a provider', () => {
  test.each([
    ['has an unverified address', { email_verified: false }],
    ['says so as text', { email_verified: 'false' }],
    ['says it with a list', { email_verified: [true] }],
    ['has a subject that cannot be stored', { sub: 'a\0b' }],
    ['has a subject that is a number', { sub: 7 }],
    ['has a subject that is too long', { sub: 'x'.repeat(256) }],
  ])('whose person %s gets nobody in', async (_, person) => {
    const visitor = new Visitor(quire);
    const back = await comeBack(visitor, { sub: 'liar', email: 'victim@example.com', ...person });
    expect(back.status).toBe(403);
    expect(visitor.cookies.size).toBe(0);
  });

  test("that gives a person somebody else's address changes nobody's account", async () => {
    const mover = await everyWayIn('mover');
    const victim = await quire.user('victim-of-mover');
    const visitor = new Visitor(quire);
    const back = await comeBack(visitor, { sub: 'mover', email: 'victim-of-mover@example.com' });
    expect(back.status).toBe(303);
    expect(await visitor.username()).toBe('mover');
    const emails = await readSql<{ email: string; email_confirmed_at: number | null }>(
      quire,
      `SELECT email, email_confirmed_at FROM users WHERE id IN (${mover.id}, ${victim.id}) ORDER BY id`,
    );
    expect(emails).toEqual([
      { email: 'mover@example.com', email_confirmed_at: null },
      { email: 'victim-of-mover@example.com', email_confirmed_at: null },
    ]);
  });

  test('does not choose a name that nobody can have', async () => {
    const visitor = new Visitor(quire);
    const back = await comeBack(visitor, {
      sub: 'namer',
      email: 'namer@example.com',
      preferred_username: '\u0007System\u202e"><script>@x',
    });
    const page = await (await visitor.open(leadsTo(back))).text();
    expect(page).toContain('value="system-script"');
    const reserved = new Visitor(quire);
    const found = await comeBack(reserved, {
      sub: 'namer2',
      email: 'namer2@example.com',
      preferred_username: 'system',
    });
    expect(await (await reserved.open(leadsTo(found))).text()).toContain('value="namer2"');
  });
});
