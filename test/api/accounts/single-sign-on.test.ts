import { afterAll, beforeAll, expect, test } from 'bun:test';
import { logInAtProvider, startProvider, type TestProvider } from '../../support/accounts/oidc-provider.ts';
import { comeBackAs, flowIn, leadsTo, Visitor } from '../../support/accounts/single-sign-on.ts';
import { PASSWORD, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';

const MINUTE_MS = 60_000;

let provider: TestProvider;
let app: TestApp;
let people = 0;

beforeAll(async () => {
  const baseUrl = 'http://localhost:4000';
  provider = await startProvider(baseUrl);
  app = await testApp({ ...provider.settings, QUIRE_BASE_URL: baseUrl });
});
afterAll(async () => {
  await app.stop();
  await provider.stop();
});

/** Somebody at the provider, whom nobody knows here yet. */
function newPerson(person: { email_verified?: boolean; preferred_username?: string } = {}) {
  const subject = `person-${++people}`;
  const email = `${subject}@school.example`;
  provider.add(subject, { email, email_verified: true, ...person });
  return { subject, email };
}

/** Creates an account for a person of the provider, and returns the browser in which they are logged in. */
async function newAccount(username: string) {
  const { subject, email } = newPerson();
  const visitor = new Visitor(app);
  const back = await comeBackAs(visitor, subject);
  const done = await visitor.submit('/login/sso/register', { flow: flowIn(back), username });
  expect(done.status).toBe(303);
  return { visitor, subject, email };
}

/** A user with a password, and a person of the provider with the same verified address. */
async function userAndPerson(name: string): Promise<{ user: TestUser; subject: string }> {
  const user = await app.user(name);
  const subject = `person-${++people}`;
  provider.add(subject, { email: `${name}@example.com`, email_verified: true });
  return { user, subject };
}

test('creates an account with the name that the person chooses, and logs them in next time', async () => {
  const { subject, email } = newPerson({ preferred_username: 'Ada L.' });
  const visitor = new Visitor(app);
  const back = await comeBackAs(visitor, subject, '/login/sso?next=/docs');
  const page = await (await visitor.open(leadsTo(back))).text();
  expect(page).toContain('Choose a username');
  expect(page).toContain(email);
  expect(page).toContain('value="ada-l"');
  const done = await visitor.submit('/login/sso/register', { flow: flowIn(back), username: 'Countess' });
  expect([done.status, leadsTo(done)]).toEqual([303, '/docs']);
  expect(await visitor.username()).toBe('countess');
  expect([...visitor.cookies.keys()]).toEqual(['quire_session']);

  const later = new Visitor(app);
  expect(leadsTo(await comeBackAs(later, subject, '/login/sso?next=/docs/agents'))).toBe('/docs/agents');
  expect(await later.username()).toBe('countess');
  const { body } = await later.call('GET', '/api/auth/single-sign-on');
  expect(body).toMatchObject({ provider: { name: 'School ID' }, canDisconnect: false });
  expect(body.connection.lastUsedAt >= body.connection.createdAt).toBe(true);
});

test('has no password that fits an account without one', async () => {
  await newAccount('nopassword');
  for (const password of ['', ' ', 'undefined', PASSWORD]) {
    const { status } = await app.call('POST', '/api/auth/login', {
      body: { username: 'nopassword', password },
    });
    expect(status).toBe(401);
  }
});

test('asks again if the name is taken, reserved or invalid', async () => {
  await app.user('taken-name');
  const { subject } = newPerson({ preferred_username: 'taken-name' });
  const visitor = new Visitor(app);
  const back = await comeBackAs(visitor, subject);
  expect(await (await visitor.open(leadsTo(back))).text()).toContain('value="taken-name2"');
  for (const [username, status, text] of [
    ['taken-name', 409, 'is taken'],
    ['system', 409, 'is reserved'],
    ['admin', 409, 'is reserved'],
    ['a b', 400, 'must have 3 to 32 characters'],
    ['', 400, 'must have 3 to 32 characters'],
  ] as const) {
    const again = await visitor.submit('/login/sso/register', { flow: flowIn(back), username });
    expect(again.status).toBe(status);
    expect(await again.text()).toContain(text);
  }
  expect(await visitor.username()).toBeUndefined();
  const done = await visitor.submit('/login/sso/register', { flow: flowIn(back), username: 'free-name' });
  expect(done.status).toBe(303);
});

test('creates one account for a person who registers in two browsers at once', async () => {
  const { subject } = newPerson();
  const [a, b] = [new Visitor(app), new Visitor(app)];
  const [backA, backB] = [await comeBackAs(a, subject), await comeBackAs(b, subject)];
  const answers = await Promise.all([
    a.submit('/login/sso/register', { flow: flowIn(backA), username: 'twice-a' }),
    b.submit('/login/sso/register', { flow: flowIn(backB), username: 'twice-b' }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
});

test('never links an account without its password', async () => {
  const { user, subject } = await userAndPerson('grace');
  const visitor = new Visitor(app);
  const back = await comeBackAs(visitor, subject);
  expect(await visitor.username()).toBeUndefined();
  const page = await (await visitor.open(leadsTo(back))).text();
  expect(page).toContain('There is an account with the address grace@example.com: grace.');
  for (const [path, form] of [
    ['/login/sso/connect', {}],
    ['/login/sso/connect', { password: 'wrong password' }],
    ['/login/sso/register', { username: 'another-grace' }],
  ] as const) {
    const refused = await visitor.submit(path, { flow: flowIn(back), ...form });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(await visitor.username()).toBeUndefined();
  }
  expect(leadsTo(await comeBackAs(new Visitor(app), subject))).toContain('/login/sso/finish');

  const done = await visitor.submit('/login/sso/connect', { flow: flowIn(back), password: user.password });
  expect(done.status).toBe(303);
  expect(await visitor.username()).toBe('grace');
  const later = new Visitor(app);
  await comeBackAs(later, subject);
  expect(await later.username()).toBe('grace');
});

test('limits wrong passwords as logins', async () => {
  const { subject } = await userAndPerson('guessed');
  const visitor = new Visitor(app);
  const flow = flowIn(await comeBackAs(visitor, subject));
  const statuses = new Set<number>();
  for (let tries = 0; tries < 30 && !statuses.has(429); tries++)
    statuses.add((await visitor.submit('/login/sso/connect', { flow, password: `wrong ${tries}` })).status);
  expect(statuses).toEqual(new Set([401, 429]));
});

test.each([
  ['that is not verified', { email: 'victim@example.com', email_verified: false }],
  ['that is not said to be verified', { email: 'victim@example.com' }],
  ['that is missing', {}],
  ['that is not an address', { email: 'victim', email_verified: true }],
])('refuses an address %s, and leaves the account alone', async (_, person) => {
  const victim = await app.user(`victim${++people}`);
  provider.add(`attacker-${people}`, {
    ...person,
    ...('email' in person && person.email !== 'victim' && { email: `victim${people}@example.com` }),
  });
  const visitor = new Visitor(app);
  const refused = await comeBackAs(visitor, `attacker-${people}`);
  expect(refused.status).toBe(403);
  expect(await refused.text()).toContain('School ID');
  expect(visitor.cookies.size).toBe(0);
  // Nothing has changed for the owner of the address.
  expect(await victim.login()).not.toBe('');
});

test('refuses an answer that another browser asked for', async () => {
  const { subject } = newPerson();
  const attacker = new Visitor(app);
  const back = await logInAtProvider(leadsTo(await attacker.open('/login/sso')), subject);
  const victim = new Visitor(app);
  expect((await victim.open(back)).status).toBe(403);
  // Also if the victim has started a login of their own.
  await victim.open('/login/sso');
  expect((await victim.open(back)).status).toBe(403);
  expect(victim.cookies.has('quire_session')).toBe(false);
});

test('accepts an answer once', async () => {
  const { subject } = await newAccount('once');
  const visitor = new Visitor(app);
  const back = await logInAtProvider(leadsTo(await visitor.open('/login/sso')), subject);
  const cookies = [...visitor.cookies];
  expect((await visitor.open(back)).status).toBe(303);
  const thief = new Visitor(app);
  for (const [name, value] of cookies) thief.cookies.set(name, value);
  expect((await thief.open(back)).status).toBe(403);
});

test('refuses an answer after ten minutes', async () => {
  const { subject } = newPerson();
  const [late, inTime] = [new Visitor(app), new Visitor(app)];
  const start = await late.open('/login/sso');
  const otherStart = await inTime.open('/login/sso');
  const answer = await logInAtProvider(leadsTo(start), subject);
  const otherAnswer = await logInAtProvider(leadsTo(otherStart), subject);
  app.advance(9 * MINUTE_MS);
  expect((await inTime.open(otherAnswer)).status).toBe(303);
  app.advance(MINUTE_MS);
  expect((await late.open(answer)).status).toBe(403);
});

test('works in several tabs at once, and forgets the oldest of too many', async () => {
  const { subject } = await newAccount('tabs');
  const visitor = new Visitor(app);
  const starts: Response[] = [];
  for (let tab = 0; tab < 6; tab++) {
    starts.push(await visitor.open('/login/sso'));
    app.advance(1000);
  }
  expect(visitor.cookies.size).toBe(5);
  const [oldest, ...others] = await Promise.all(
    starts.map((start) => logInAtProvider(leadsTo(start), subject)),
  );
  expect((await visitor.open(oldest ?? '')).status).toBe(403);
  for (const back of others) expect((await visitor.open(back)).status).toBe(303);
  expect([...visitor.cookies.keys()]).toEqual(['quire_session']);
});

test('does not believe a cookie that it has not signed', async () => {
  const { subject } = await userAndPerson('forged');
  const visitor = new Visitor(app);
  const flow = flowIn(await comeBackAs(visitor, subject));
  const name = `quire_sso_${flow}`;
  const [id = '', body = '', signature = ''] = (visitor.cookies.get(name) ?? '').split('.');
  const changed = Buffer.from(body, 'base64url')
    .toString()
    .replace('forged@example.com', 'admin@example.com');
  visitor.cookies.set(name, `${id}.${Buffer.from(changed).toString('base64url')}.${signature}`);
  expect((await visitor.open(`/login/sso/finish?flow=${flow}`)).status).toBe(403);
});

test('leads only to paths of its own', async () => {
  const { subject } = await newAccount('stays');
  for (const next of [
    'https://evil.example/',
    '//evil.example',
    '/.//evil.example',
    `/${'x'.repeat(2000)}`,
  ]) {
    const visitor = new Visitor(app);
    const back = await comeBackAs(visitor, subject, `/login/sso?next=${encodeURIComponent(next)}`);
    expect(leadsTo(back)).toBe('/');
  }
  const longest = `/${'x'.repeat(1499)}`;
  expect(leadsTo(await comeBackAs(new Visitor(app), subject, `/login/sso?next=${longest}`))).toBe(longest);
});

test('does not log in suspended users', async () => {
  const { subject } = await newAccount('suspended');
  await runSql(
    app,
    `UPDATE users SET suspended_at = 1, suspended_reason = 'Spam.' WHERE username = 'suspended'`,
  );
  const visitor = new Visitor(app);
  const refused = await comeBackAs(visitor, subject);
  expect(refused.status).toBe(403);
  expect(await refused.text()).toContain('This account is suspended.');
  expect(visitor.cookies.size).toBe(0);
});

test('offers it where people log in and register', async () => {
  for (const path of ['/login?next=/docs', '/register?next=/docs']) {
    const page = await (await app.request(path)).text();
    expect(page).toContain('Continue with School ID');
    expect(page).toContain('href="/login/sso?next=%2Fdocs"');
  }
});

test('connects the account of a logged-in user, and disconnects it', async () => {
  const { user, subject } = await userAndPerson('linus');
  const visitor = new Visitor(app);
  await visitor.logIn(user);
  const path = '/api/auth/single-sign-on';
  expect((await visitor.call('GET', path)).body).toMatchObject({ connection: null, canDisconnect: true });
  const { body } = await visitor.call('POST', path, {});
  const back = await visitor.open(await logInAtProvider(body.url, subject));
  expect(leadsTo(back)).toBe('/account/security');
  expect((await visitor.call('GET', path)).body.connection).not.toBeNull();
  const other = new Visitor(app);
  await comeBackAs(other, subject);
  expect(await other.username()).toBe('linus');

  expect((await visitor.call('POST', `${path}/disconnect`, {})).status).toBe(200);
  expect((await visitor.call('POST', `${path}/disconnect`, {})).status).toBe(404);
  expect(leadsTo(await comeBackAs(new Visitor(app), subject))).toContain('/login/sso/finish');
});

test('needs the password to connect an account some time after the login', async () => {
  const { user } = await userAndPerson('margaret');
  const visitor = new Visitor(app);
  await visitor.logIn(user);
  app.advance(11 * MINUTE_MS);
  const path = '/api/auth/single-sign-on';
  expect((await visitor.call('POST', path, {})).status).toBe(403);
  expect((await visitor.call('POST', path, { password: 'wrong password' })).status).toBe(401);
  expect((await visitor.call('POST', path, { password: user.password })).status).toBe(200);
});

test('does not connect a person of the provider to two accounts', async () => {
  const { subject } = await newAccount('first-owner');
  const second = await app.user('second-owner');
  const visitor = new Visitor(app);
  await visitor.logIn(second);
  const { body } = await visitor.call('POST', '/api/auth/single-sign-on', {});
  const back = await visitor.open(await logInAtProvider(body.url, subject));
  expect(back.status).toBe(409);
  const later = new Visitor(app);
  await comeBackAs(later, subject);
  expect(await later.username()).toBe('first-owner');
});

test('connects nothing if the user has logged out in the meantime', async () => {
  const { user, subject } = await userAndPerson('leaver');
  const visitor = new Visitor(app);
  await visitor.logIn(user);
  const { body } = await visitor.call('POST', '/api/auth/single-sign-on', {});
  await visitor.logIn(user);
  expect((await visitor.open(await logInAtProvider(body.url, subject))).status).toBe(403);
});

test('does not disconnect the only way in', async () => {
  const { visitor } = await newAccount('only-way');
  const refused = await visitor.call('POST', '/api/auth/single-sign-on/disconnect', {});
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
  expect((await visitor.call('GET', '/api/auth/single-sign-on')).body.connection).not.toBeNull();
});

test('asks for the second factor before it connects an account', async () => {
  const { user, subject } = await userAndPerson('careful');
  await runSql(app, `UPDATE users SET needs_second_factor = 1 WHERE username = 'careful'`);
  const visitor = new Visitor(app);
  const back = await comeBackAs(visitor, subject);
  const form = { flow: flowIn(back), password: user.password };
  expect(leadsTo(await visitor.submit('/login/sso/connect', form))).toBe('/login/second-factor');
  expect(await visitor.username()).toBeUndefined();
  expect(leadsTo(await comeBackAs(new Visitor(app), subject))).toContain('/login/sso/finish');

  // They have given it, and are logged in.
  await runSql(app, `UPDATE users SET needs_second_factor = 0 WHERE username = 'careful'`);
  await visitor.logIn(user);
  expect(await (await visitor.open(leadsTo(back))).text()).toContain('You are logged in as careful.');
  const done = await visitor.submit('/login/sso/connect', { flow: flowIn(back) });
  expect([done.status, leadsTo(done)]).toEqual([303, '/']);
  const later = new Visitor(app);
  await comeBackAs(later, subject);
  expect(await later.username()).toBe('careful');
});

test('does not connect an account for an old session alone', async () => {
  const { user, subject } = await userAndPerson('sleeper');
  const old = new Visitor(app);
  await old.logIn(user);
  app.advance(11 * MINUTE_MS);
  const visitor = new Visitor(app);
  const back = await comeBackAs(visitor, subject);
  for (const [name, value] of old.cookies) visitor.cookies.set(name, value);
  const refused = await visitor.submit('/login/sso/connect', { flow: flowIn(back) });
  expect(refused.status).toBe(403);
  expect(await refused.text()).toContain('Confirm that it is you.');
});

test('does not let two requests remove the last two ways in', async () => {
  const { visitor } = await newAccount('two-ways');
  const [row] = await readSql<{ id: number }>(app, `SELECT id FROM users WHERE username = 'two-ways'`);
  await runSql(
    app,
    `INSERT INTO passkeys (user_id, credential_id, public_key, counter, transports, name, is_synced, created_at)
     VALUES (${row?.id}, 'two-ways', 'key', 0, '[]', 'Phone', 0, 1)`,
  );
  const { body } = await visitor.call('GET', '/api/auth/passkeys');
  const answers = await Promise.all([
    visitor.call('POST', '/api/auth/single-sign-on/disconnect', {}),
    visitor.call('POST', `/api/auth/passkeys/${body.passkeys[0].id}/remove`, {}),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});
