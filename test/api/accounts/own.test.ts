import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PASSWORD, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { runSql } from '../../support/engines/storage.ts';
import { startSmtp, type TestSmtp } from '../../support/mail/smtp.ts';

let smtp: TestSmtp;
let quire: TestApp;
beforeAll(async () => {
  smtp = await startSmtp();
  quire = await testApp({ QUIRE_SMTP_URL: smtp.url, QUIRE_MAIL_FROM: 'quire@example.com' });
});
afterAll(async () => {
  await quire.stop();
  await smtp.stop();
});

const post = (path: string, cookie: string, body: unknown) =>
  quire.call('POST', `/api/auth/${path}`, { cookie, body });
const account = async (cookie: string) => (await quire.call('GET', '/api/auth/account', { cookie })).body;
/** Makes the logins of a user older than those that prove who is there. */
const grow = (user: TestUser, minutes = 10) =>
  runSql(
    quire,
    `update login_sessions set created_at = ${Date.now() - minutes * 60_000} where user_id = ${user.id}`,
  );
async function linkTo(address: string): Promise<string> {
  const { links } = await smtp.nextMail(address, /Confirm/);
  return new URL(links[0] ?? '').searchParams.get('code') ?? '';
}
const confirm = (code: string) => quire.call('POST', '/api/auth/email/confirm', { body: { code } });

describe('a dangerous change', () => {
  test('needs the password, or a login within the last ten minutes', async () => {
    const ada = await quire.user('ada');
    const cookie = await ada.login();
    const rename = (body: Record<string, unknown>) => post('username', cookie, body);
    expect((await rename({ username: 'ada-1' })).status).toBe(200);
    await grow(ada);
    const refused = await rename({ username: 'ada-2' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(refused.body.error).toStartWith('Confirm that it is you. Send your current password');
    expect(refused.body.details).toEqual([expect.objectContaining({ path: 'password' })]);
    const wrong = await rename({ username: 'ada-2', password: 'wrong' });
    expect(wrong).toMatchObject({ status: 401, body: { code: 'INVALID_CREDENTIALS' } });
    expect((await rename({ username: 'ada-2', password: PASSWORD })).status).toBe(200);
  });

  test('allows ten wrong passwords in a session, and an attacker elsewhere cannot use them up', async () => {
    const bea = await quire.user('bea');
    const cookie = await bea.login();
    for (let i = 0; i < 12; i++)
      await quire.call('POST', '/api/auth/login', {
        body: { username: 'bea', password: 'wrong' },
        peer: `10.50.0.${i}`,
      });
    const statuses: number[] = [];
    const body = { username: 'bea-1', password: 'wrong' };
    for (let i = 0; i < 11; i++) statuses.push((await post('username', cookie, body)).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect((await post('username', await bea.login(), { ...body, password: PASSWORD })).status).toBe(200);
  });

  test('cannot be made with a token', async () => {
    const { token } = await quire.user();
    for (const path of ['username', 'email', 'password', 'email/confirmation'])
      expect((await quire.call('POST', `/api/auth/${path}`, { token, body: {} })).status).toBe(401);
    expect((await quire.call('GET', '/api/auth/account', { token })).status).toBe(401);
  });
});

describe('a username', () => {
  test('changes at every door, and follows the same rules as a new one', async () => {
    const carl = await quire.user('carl');
    await quire.user('dora');
    const cookie = await carl.login();
    for (const [username, status] of [
      ['dora', 409],
      ['DORA', 409],
      ['system', 409],
      ['admin', 409],
      ['no', 400],
      ['has space', 400],
      ['dоra', 400],
      ['Carlo', 200],
      ['carlo', 200],
    ] as const)
      expect([username, (await post('username', cookie, { username })).status]).toEqual([username, status]);
    expect(await account(cookie)).toMatchObject({ username: 'carlo' });
    const login = (username: string) =>
      quire.call('POST', '/api/auth/login', { body: { username, password: PASSWORD } });
    expect([(await login('carl')).status, (await login('carlo')).status]).toEqual([401, 200]);
  });

  test('keeps the pages that were shared with it, and lets nobody else in who takes the old one', async () => {
    const owner = await quire.user();
    const eve = await quire.user('eve');
    const cookie = await eve.login();
    const access = { mode: 'people', people: ['eve', 'evelyn-2', 'someone'] };
    const page = await owner.publish({ access, storage_mode: 'solo_app' });
    const sees = async (token: string) =>
      (await quire.call('GET', `/api/pages/${page.id}/solo-data/notes`, { token })).status;
    expect(await sees(eve.token)).toBe(200);
    expect((await post('username', cookie, { username: 'evelyn-2' })).status).toBe(200);
    const people = (await owner.call('GET', `/api/pages/${page.id}`)).body.page.access.people;
    expect(people).toEqual(['evelyn-2', 'someone']);
    const body = { username: 'eve', email: 'thief@example.com', password: PASSWORD };
    expect((await quire.call('POST', '/api/auth/register', { body })).status).toBe(409);
    await runSql(quire, `update old_usernames set kept_until = ${Date.now() - 1} where username = 'eve'`);
    const thief = await quire.call('POST', '/api/auth/register', { body });
    expect([await sees(eve.token), await sees(thief.body.accessToken)]).toEqual([200, 403]);
  });

  test('keeps three old names for its user, who can have them again', async () => {
    const finn = await quire.user('finn');
    const cookie = await finn.login();
    const change = async (username: string) => (await post('username', cookie, { username })).status;
    for (const name of ['finn-1', 'finn-2', 'finn-3']) expect(await change(name)).toBe(200);
    expect(await change('finn-4')).toBe(403);
    expect(await change('finn')).toBe(200);
    expect(await change('finn-4')).toBe(403);
    expect(await change('finn-3')).toBe(200);
  });

  test('is taken by one of two who want it at once', async () => {
    const two = await Promise.all([quire.user('gail'), quire.user('gus')]);
    const cookies = await Promise.all(two.map((user) => user.login()));
    const answers = await Promise.all(
      cookies.map((cookie) => post('username', cookie, { username: 'both' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe('an e-mail address', () => {
  test('is confirmed by the link that is sent at registration, which logs nobody in', async () => {
    const hugo = await quire.user('hugo');
    const cookie = await hugo.login();
    expect(await account(cookie)).toMatchObject({ emailConfirmed: false, sendsMail: true });
    const code = await linkTo('hugo@example.com');
    const opened = await quire.request(`/confirm?code=${code}`);
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/confirm']);
    const link = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    const screen = await quire.request('/confirm', { headers: { cookie: link } });
    expect(await screen.text()).toContain('Is hugo@example.com the address of the account hugo?');
    expect(await account(cookie)).toMatchObject({ emailConfirmed: false });
    const done = await quire.request('/confirm', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `code=${code}`,
    });
    expect(done.headers.getSetCookie().join()).not.toContain('quire_session');
    expect(await account(cookie)).toMatchObject({ emailConfirmed: true });
    expect((await confirm(code)).status).toBe(404);
    expect((await post('email/confirmation', cookie, {})).status).toBe(409);
  });

  test('can get four more links an hour, because an address gets five', async () => {
    const cookie = await (await quire.user('ivy')).login();
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await post('email/confirmation', cookie, {})).status);
    expect(statuses).toEqual([...Array(4).fill(200), 429, 429]);
  });

  test('changes when the new one is confirmed, and the old one gets a notice', async () => {
    const jon = await quire.user('jon');
    const cookie = await jon.login();
    await confirm(await linkTo('jon@example.com'));
    const body = { email: 'Jon@New.Example', password: PASSWORD };
    expect((await post('email', cookie, body)).body).toMatchObject({ isChanged: false });
    expect(await account(cookie)).toMatchObject({
      ...{ email: 'jon@example.com', emailConfirmed: true, pendingEmail: 'jon@new.example' },
    });
    const code = await linkTo('jon@new.example');
    expect((await confirm(code)).status).toBe(200);
    expect(await account(cookie)).toMatchObject({
      ...{ email: 'jon@new.example', emailConfirmed: true, pendingEmail: null },
    });
    const notice = await smtp.nextMail('jon@example.com', /address has changed/);
    // Mail readers make no link of it.
    expect(notice.text.replaceAll('\u200b', '')).toContain('jon@new.example');
  });

  test('cannot be that of another account, also if that account comes first', async () => {
    await quire.user('kim');
    const leo = await quire.user('leo');
    const cookie = await leo.login();
    expect((await post('email', cookie, { email: 'KIM@example.com' })).status).toBe(409);
    expect((await post('email', cookie, { email: 'leo@example.com' })).status).toBe(409);
    expect((await post('email', cookie, { email: 'mia@example.com' })).status).toBe(200);
    const code = await linkTo('mia@example.com');
    await quire.user('mia');
    expect((await confirm(code)).status).toBe(409);
    expect(await account(cookie)).toMatchObject({ email: 'leo@example.com' });
  });

  test('opens the pages that are shared with it, once it is confirmed', async () => {
    const owner = await quire.user();
    const nora = await quire.user('nora');
    const access = { mode: 'people', people: ['nora@example.com'] };
    const page = await owner.publish({ access, storage_mode: 'solo_app' });
    const sees = async () => (await nora.call('GET', `/api/pages/${page.id}/solo-data/notes`)).status;
    expect(await sees()).toBe(403);
    await confirm(await linkTo('nora@example.com'));
    expect(await sees()).not.toBe(403);
  });

  test('changes at once on a server without mail, and is not confirmed', async () => {
    const app = await testApp();
    const cookie = await (await app.user('olga')).login();
    const body = { email: 'olga@new.example' };
    const answer = await app.call('POST', '/api/auth/email', { cookie, body });
    expect(answer.body).toMatchObject({ isChanged: true });
    const mine = await app.call('GET', '/api/auth/account', { cookie });
    expect(mine.body).toMatchObject({ email: 'olga@new.example', emailConfirmed: false });
    await app.stop();
  });
});

describe('an account without a password', () => {
  test('can set one after a login of the last ten minutes, and cannot log in with none', async () => {
    const pia = await quire.user('pia');
    const cookie = await pia.login();
    await runSql(quire, `update users set password_hash = '' where id = ${pia.id}`);
    expect(await account(cookie)).toMatchObject({ hasPassword: false });
    const next = 'a first password';
    await grow(pia);
    const refused = await post('password', cookie, { next });
    expect(refused.body.error).toBe(
      'Confirm that it is you. Log out and log in again: a login within the last 10 minutes is enough.',
    );
    expect((await post('password', cookie, { current: '', next })).status).toBe(403);
    await grow(pia, 9);
    expect((await post('password', cookie, { next })).status).toBe(200);
    expect((await post('password', cookie, { next: 'another password' })).status).toBe(400);
  });
});
