import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { User } from '../../../contract/admin/users.ts';
import { administrator } from '../../support/accounts/administrator.ts';
import { PASSWORD, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { startSmtp, type TestSmtp } from '../../support/mail/smtp.ts';
import { connect } from '../../support/oauth.ts';

let smtp: TestSmtp;
let quire: TestApp;
beforeAll(async () => {
  smtp = await startSmtp();
  quire = await testApp({ QUIRE_SMTP_URL: smtp.url, QUIRE_MAIL_FROM: 'Quire <quire@example.com>' });
});
afterAll(async () => {
  await quire.stop();
  await smtp.stop();
});

const NEXT = 'a whole new password';

let peers = 0;
/** Each request from another address, so that only the limit per account applies. */
const peer = () => `10.9.${Math.floor(++peers / 250)}.${peers % 250}`;

const forgot = (username: string, from = peer(), headers: Record<string, string> = {}) =>
  quire.call('POST', '/api/auth/forgot', { body: { username }, peer: from, headers });
const readCode = (link: string) => new URL(link).searchParams.get('code') ?? '';
async function mailedCode(user: TestUser): Promise<string> {
  await forgot(user.username);
  const { links } = await smtp.nextMail(`${user.username}@example.com`, /new password/);
  return readCode(links[0] ?? '');
}
const reset = (code: string, password = NEXT) =>
  quire.call('POST', '/api/auth/reset', { body: { code, password } });
const logIn = (username: string, password: string) =>
  quire.call('POST', '/api/auth/login', { body: { username, password }, peer: peer() });
const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  quire.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });

describe('a forgotten password', () => {
  test('is replaced with a link that works once, and ends everything that the old one opened', async () => {
    const ada = await quire.user('ada');
    const cookie = await ada.login();
    const app = await connect(quire, ada);
    const code = await mailedCode(ada);
    expect(await reset(code, 'short')).toMatchObject({ status: 400 });
    expect(await reset(code)).toMatchObject({ status: 200 });
    expect((await quire.call('GET', '/api/auth/me', { cookie })).status).toBe(401);
    for (const token of [ada.token, app.access])
      expect((await quire.call('GET', '/api/pages', { token })).status).toBe(401);
    expect((await logIn('ada', PASSWORD)).status).toBe(401);
    expect((await logIn('ada', NEXT)).status).toBe(200);
    expect(await reset(code)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const { subject, text } = await smtp.nextMail('ada@example.com', /password has changed/);
    expect([subject, text.includes('ada')]).toEqual(['Your password has changed', true]);
  });

  test('gets the same answer for an account, an address and nobody', async () => {
    await quire.user('bea');
    const answers = [await forgot('bea'), await forgot('BEA@example.com'), await forgot('nobody')];
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    for (const _ of ['by name', 'by address']) await smtp.nextMail('bea@example.com', /new password/);
  });

  test('gets a link to the configured address only, whatever the request claims', async () => {
    const carl = await quire.user('carl');
    const forged = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    };
    await forgot('carl', peer(), forged);
    const mail = await smtp.nextMail('carl@example.com', /new password/);
    expect(mail.links[0]).toStartWith(`${quire.baseUrl}/reset?code=`);
    expect(mail.raw).not.toContain('evil.example');
    expect(await reset(readCode(mail.links[0] ?? ''))).toMatchObject({ status: 200 });
    expect(carl.id).toBeGreaterThan(0);
  });

  test('gets three mails an hour, however often it is asked for, and each link works', async () => {
    const dora = await quire.user('dora');
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => forgot('dora')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const mails = [];
    for (let i = 0; i < 3; i++) mails.push(await smtp.nextMail('dora@example.com', /new password/));
    const rows = await readSql(
      quire,
      `select * from account_links where user_id = ${dora.id} and kind = 'reset'`,
    );
    expect(rows).toHaveLength(3);
    expect(await reset(readCode(mails[0]?.links[0] ?? ''))).toMatchObject({ status: 200 });
    expect(await reset(readCode(mails[2]?.links[0] ?? ''))).toMatchObject({ status: 404 });
  });

  test('can be asked for twenty times from one address', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 21; i++) statuses.push((await forgot('nobody', '10.8.0.1')).status);
    expect(statuses).toEqual([...Array(20).fill(200), 429]);
  });
});

describe('a reset link', () => {
  test('ends after an hour, with a password change, and with a change of the address', async () => {
    const eve = await quire.user('eve');
    const cookie = await eve.login();
    const first = await mailedCode(eve);
    const change = { current: PASSWORD, next: NEXT };
    expect((await quire.call('POST', '/api/auth/password', { cookie, body: change })).status).toBe(200);
    expect((await reset(first)).status).toBe(404);
    const second = await mailedCode(eve);
    await runSql(quire, `update account_links set expires_at = ${Date.now() - 1} where user_id = ${eve.id}`);
    expect((await reset(second)).status).toBe(404);
    const third = await mailedCode(eve);
    const body = { email: 'eve2@example.com', password: NEXT };
    expect((await quire.call('POST', '/api/auth/email', { cookie, body })).body.isChanged).toBe(false);
    const { links } = await smtp.nextMail('eve2@example.com', /Confirm/);
    const confirm = { code: readCode(links[0] ?? '') };
    expect((await quire.call('POST', '/api/auth/email/confirm', { body: confirm })).status).toBe(200);
    expect((await reset(third)).status).toBe(404);
  });

  test('is used by one of twenty who try at once', async () => {
    const finn = await quire.user('finn');
    const code = await mailedCode(finn);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => reset(code, `${NEXT} ${i}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(19);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await logIn('finn', `${NEXT} ${winner}`)).status).toBe(200);
  });

  test('of two links at once only one sets the password', async () => {
    const gail = await quire.user('gail');
    const codes = [await mailedCode(gail), await mailedCode(gail)];
    const answers = await Promise.all(codes.map((code) => reset(code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
  });

  test('cannot be guessed, nor used as another kind of link', async () => {
    const hugo = await quire.user('hugo');
    const code = await mailedCode(hugo);
    for (const wrong of ['', 'x', code.slice(1), code.toUpperCase(), `${code}x`, "' or 1=1 --"])
      expect((await reset(wrong)).status).toBe(404);
    expect((await quire.call('POST', '/api/auth/email/confirm', { body: { code } })).status).toBe(404);
    expect((await reset('x'.repeat(201))).status).toBe(400);
    expect((await reset(code)).status).toBe(200);
  });

  test('confirms the address that it was sent to', async () => {
    const ivy = await quire.user('ivy');
    const cookie = await ivy.login();
    const account = async (session: string) =>
      (await quire.call('GET', '/api/auth/account', { cookie: session })).body;
    expect(await account(cookie)).toMatchObject({
      username: 'ivy',
      emailConfirmed: false,
      hasPassword: true,
    });
    await reset(await mailedCode(ivy));
    const session = (await logIn('ivy', NEXT)).headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(await account(session)).toMatchObject({ emailConfirmed: true });
  });
});

describe('the screen of a reset link', () => {
  test('takes the code out of the URL, and is not used up by opening it', async () => {
    const jon = await quire.user('jon');
    const code = await mailedCode(jon);
    for (let i = 0; i < 3; i++) {
      const opened = await quire.request(`/reset?code=${code}`);
      expect([opened.status, opened.headers.get('location')]).toEqual([303, '/reset']);
      expect(opened.headers.get('referrer-policy')).toBe('no-referrer');
    }
    const cookie = `quire_reset=${code}`;
    const shown = await (await quire.request('/reset', { headers: { cookie } })).text();
    expect(shown).toContain('For the account jon.');
    const short = await send('/reset', { code, password: 'short' }, { cookie });
    expect([short.status, (await short.text()).includes('New password must have')]).toEqual([400, true]);
    const done = await send('/reset', { code, password: NEXT }, { cookie, origin: quire.baseUrl });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/']);
    const cookies = done.headers.getSetCookie();
    expect(cookies.find((each) => each.startsWith('quire_reset='))).toContain('Max-Age=0');
    const session = cookies.find((each) => each.startsWith('quire_session='))?.split(';')[0] ?? '';
    expect((await quire.call('GET', '/api/auth/me', { cookie: session })).body.user.username).toBe('jon');
    expect((await quire.request('/reset', { headers: { cookie } })).status).toBe(404);
  });

  test('does not log in where the password alone is not enough', async () => {
    const kim = await quire.user('kim');
    const code = await mailedCode(kim);
    await runSql(quire, `update users set needs_second_factor = 1 where id = ${kim.id}`);
    const done = await send('/reset', { code, password: NEXT });
    expect(done.headers.getSetCookie().some((each) => each.startsWith('quire_session='))).toBe(false);
    expect(await done.text()).toContain('Your password has changed');
  });

  test('cannot be sent from another site', async () => {
    const leo = await quire.user('leo');
    const code = await mailedCode(leo);
    const sent = await send('/reset', { code, password: NEXT }, { origin: 'https://evil.example' });
    expect(sent.status).toBe(403);
    expect((await reset(code)).status).toBe(200);
  });
});

test('a server without mail tells the administrators, and says whom to ask', async () => {
  const app = await testApp();
  const cookie = await (await app.user('mia')).login();
  const account = await app.call('GET', '/api/auth/account', { cookie });
  expect(account.body).toMatchObject({ sendsMail: false, emailConfirmed: false, pendingEmail: null });
  const boss = await administrator(app, 'boss');
  const listLockedOut = async () =>
    (await boss.admin('GET', '/api/admin/users?state=locked-out')).body.users.map(
      ({ username, passwordAskedAt }: User) => [username, typeof passwordAskedAt],
    );
  // Noted after the response, which is the same for a name that nobody has.
  const untilListed = async () => {
    for (;;) {
      const listed = await listLockedOut();
      if (listed.length > 0) return listed;
      await Bun.sleep(20);
    }
  };
  const ask = (username: string) =>
    app.request('/forgot', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ username }).toString(),
    });
  expect(await (await app.request('/forgot')).text()).toContain('Tell the administrators');
  const [known, unknown] = [await (await ask('mia')).text(), await (await ask('nobody-here')).text()];
  expect(known).toContain('ask boss.');
  expect(known).toBe(unknown);
  expect(await untilListed()).toEqual([['mia', 'string']]);

  const { id } = (await boss.admin('GET', '/api/admin/users?username=mia')).body.users[0];
  const { body } = await boss.admin('POST', `/api/admin/users/${id}/reset`);
  expect(body.link).toContain('/reset?code=');
  expect(await listLockedOut()).toEqual([]);
  const answer = await app.call('POST', '/api/auth/forgot', { body: { username: 'mia' } });
  expect(answer).toMatchObject({ status: 200, body: { message: expect.stringContaining('administrators') } });
  expect(await untilListed()).toEqual([['mia', 'string']]);
  const sent = { code: readCode(body.link), password: NEXT };
  expect((await app.call('POST', '/api/auth/reset', { body: sent })).status).toBe(200);
  expect(await listLockedOut()).toEqual([]);
  await app.stop();
});
