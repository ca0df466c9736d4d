import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { administrator } from '../../support/accounts/administrator.ts';
import { PASSWORD, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { startSmtp, type TestSmtp } from '../../support/mail/smtp.ts';

/** What somebody who had an account for a while, or registered with the address of another, keeps of it. */

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

const NEXT = 'a whole new password';

let peers = 0;
const peer = () => `10.60.${Math.floor(++peers / 250)}.${peers % 250}`;
const post = (path: string, body: unknown, cookie?: string) =>
  quire.call('POST', `/api/auth/${path}`, { body, peer: peer(), ...(cookie && { cookie }) });
async function codeFor(address: string, subject: RegExp): Promise<string> {
  const { links } = await smtp.nextMail(address, subject);
  return new URL(links[0] ?? '').searchParams.get('code') ?? '';
}
async function resetByMail(user: TestUser, address = `${user.username}@example.com`): Promise<number> {
  await post('forgot', { username: user.username });
  const code = await codeFor(address, /new password/);
  return (await post('reset', { code, password: NEXT })).status;
}

describe('after a new password', () => {
  const ways: Array<[string, (user: TestUser, cookie: string) => Promise<number>]> = [
    ['reset', (user) => resetByMail(user)],
    [
      'change',
      async (_, cookie) => (await post('password', { current: PASSWORD, next: NEXT }, cookie)).status,
    ],
  ];
  test.each(ways)('by %s, an address that was asked for before cannot be confirmed', async (way, renew) => {
    const user = await quire.user(`moved-${way}`);
    const cookie = await user.login();
    const thief = `thief-${way}@example.com`;
    expect((await post('email', { email: thief }, await user.login())).status).toBe(200);
    const code = await codeFor(thief, /Confirm/);
    expect(await renew(user, cookie)).toBe(200);
    expect((await post('email/confirm', { code })).status).toBe(404);
    const rows = await readSql(quire, `select email from users where id = ${user.id}`);
    expect(rows).toEqual([{ email: `${user.username}@example.com` }]);
  });

  test('no login with the old one begins, however long its password takes to compare', async () => {
    const user = await quire.user('slow');
    await post('forgot', { username: 'slow' });
    const code = await codeFor('slow@example.com', /new password/);
    const old = { username: 'slow', password: PASSWORD };
    const tries = Array.from({ length: 24 }, (_, i) => post(i % 2 ? 'login' : 'token', old));
    expect((await post('reset', { code, password: NEXT })).status).toBe(200);
    for (const answer of await Promise.all(tries)) {
      const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0];
      const token = answer.body.accessToken as string | undefined;
      const me = await quire.call('GET', '/api/auth/me', {
        ...(cookie && { cookie }),
        ...(token && { token }),
      });
      expect(me.status).toBe(401);
    }
    expect(user.id).toBeGreaterThan(0);
  });
});

describe('an account whose password is reset', () => {
  const addWays = ({ id }: TestUser, at = 1) =>
    runSql(
      quire,
      `insert into passkeys (user_id, credential_id, public_key, counter, transports, name, is_synced, created_at)
       values (${id}, 'credential ${id} ${at}', 'key', 0, '[]', 'Mine', 0, ${at});
       insert into external_logins (user_id, issuer, subject, created_at, last_used_at)
       values (${id}, 'https://login.example', 'subject ${id} ${at}', ${at}, ${at})`,
    );
  const countWays = async ({ id }: TestUser) => {
    const count = async (table: string) =>
      (await readSql(quire, `select user_id from ${table} where user_id = ${id}`)).length;
    return [await count('passkeys'), await count('external_logins')];
  };

  test.each([
    ['loses the passkeys of whoever registered with its address', 'squatted', '', [0, 0]],
    ['loses them even if they are the second factor', 'guarded', 'needs_second_factor = 1', [0, 0]],
    ['loses them if the address was proven after they were added', 'later', 'email_confirmed_at = 2', [0, 0]],
    ['keeps them if the address was proven before', 'proven', 'email_confirmed_at = 1', [1, 1]],
  ] as const)('%s', async (_, name, change, left) => {
    const user = await quire.user(name);
    await addWays(user);
    if (change) await runSql(quire, `update users set ${change} where id = ${user.id}`);
    expect(await resetByMail(user)).toBe(200);
    expect(await countWays(user)).toEqual([...left]);
  });

  test('keeps them if its owner has changed from one proven address to another', async () => {
    const user = await quire.user('mover');
    await runSql(quire, `update users set email_confirmed_at = 1 where id = ${user.id}`);
    await addWays(user);
    const email = 'mover@new.example';
    expect((await post('email', { email }, await user.login())).status).toBe(200);
    expect((await post('email/confirm', { code: await codeFor(email, /Confirm/) })).status).toBe(200);
    expect(await resetByMail(user, email)).toBe(200);
    expect(await countWays(user)).toEqual([1, 1]);
  });

  const readFactor = async ({ id }: TestUser) => [
    await readSql(quire, `select needs_second_factor as n from users where id = ${id}`),
    await readSql(quire, `select user_id from recovery_codes where user_id = ${id}`),
  ];
  const turnOn = ({ id }: TestUser) =>
    runSql(
      quire,
      `update users set needs_second_factor = 1, email_confirmed_at = 5 where id = ${id};
       insert into recovery_codes (user_id, code_hash) values (${id}, 'code ${id}')`,
    );

  test('has no second factor that only the person who registered with its address can give', async () => {
    const user = await quire.user('locked');
    await addWays(user);
    await turnOn(user);
    expect(await resetByMail(user)).toBe(200);
    expect(await countWays(user)).toEqual([0, 0]);
    expect(await readFactor(user)).toEqual([[{ n: 0 }], []]);
    expect((await post('login', { username: user.username, password: NEXT })).status).toBe(200);
    expect((await smtp.nextMail('locked@example.com', /second factor/i)).links).not.toBeEmpty();
  });

  test('keeps its second factor while a passkey of its own is left', async () => {
    const user = await quire.user('careful');
    await addWays(user);
    await addWays(user, 6);
    await turnOn(user);
    expect(await resetByMail(user)).toBe(200);
    expect(await countWays(user)).toEqual([1, 1]);
    expect((await readFactor(user))[0]).toEqual([{ n: 1 }]);
    expect((await post('login', { username: user.username, password: NEXT })).status).toBe(403);
  });

  test('loses a passkey of before also if an administrator made the link', async () => {
    const boss = await administrator(quire, 'boss-of-links');
    const user = await quire.user('called');
    await addWays(user);
    await runSql(quire, `update users set email_confirmed_at = 5 where id = ${user.id}`);
    const { body } = await boss.admin('POST', `/api/admin/users/${user.id}/reset`);
    const code = new URL(body.link).searchParams.get('code');
    expect((await post('reset', { code, password: NEXT })).status).toBe(200);
    expect(await countWays(user)).toEqual([0, 0]);
  });
});

describe('a logged-in stranger', () => {
  test('can try five addresses an hour, whether they belong to an account or not', async () => {
    await quire.user('victim');
    const cookie = await (await quire.user('curious')).login();
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++)
      statuses.push((await post('email', { email: 'victim@example.com' }, cookie)).status);
    expect(statuses).toEqual([...Array(5).fill(409), 429]);
  });

  test('hears when a link is not sent, because the address got too many', async () => {
    const statuses: number[] = [];
    for (const name of ['many-1', 'many-2']) {
      const cookie = await (await quire.user(name)).login();
      for (let i = 0; i < 3; i++)
        statuses.push((await post('email', { email: 'full@example.com' }, cookie)).status);
    }
    expect(statuses).toEqual([...Array(5).fill(200), 429]);
  });
});

test('of changes of a username at once, each begins where the last one ended', async () => {
  const user = await quire.user('many-names');
  const cookie = await user.login();
  const names = ['names-1', 'names-2', 'names-3', 'names-4', 'names-5'];
  const answers = await Promise.all(names.map((username) => post('username', { username }, cookie)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 403, 403]);
  const kept = await readSql(quire, `select username from old_usernames where user_id = ${user.id}`);
  expect(kept).toHaveLength(3);
});
