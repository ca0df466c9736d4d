import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PASSWORD, type TestApp, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
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

const HOME = '10.20.0.1';
const ELSEWHERE = '10.30.0.1';
const DAY_MS = 24 * 3600_000;
const WRONG = 'not the password';

const tryLogin = (username: string, password: string, peer: string, app = quire) =>
  app.call('POST', '/api/auth/login', { body: { username, password }, peer });
const logIn = async (username: string, peer: string, headers: Record<string, string> = {}) => {
  const body = { username, password: PASSWORD };
  const answer = await quire.call('POST', '/api/auth/login', { body, peer, headers });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
};
const statuses = async (times: number, attempt: (i: number) => Promise<{ status: number }>) => {
  const found: number[] = [];
  for (let i = 0; i < times; i++) found.push((await attempt(i)).status);
  return found;
};
const refusedAfter = (allowed: number, status = 401) => [...Array(allowed).fill(status), 429];

/** A user whose address is confirmed, so that notices go there. */
async function confirmed(name: string) {
  const user = await quire.user(name);
  await runSql(quire, `update users set email_confirmed_at = 1 where id = ${user.id}`);
  return user;
}

describe('a login', () => {
  test('takes the username or the e-mail address, in any case, at every door', async () => {
    await quire.user('ada');
    for (const username of ['ada', 'ADA', 'ada@example.com', 'Ada@Example.COM']) {
      const body = { username, password: PASSWORD };
      for (const path of ['/api/auth/login', '/api/auth/token'])
        expect((await quire.call('POST', path, { body })).status).toBe(200);
      const form = await quire.request('/login', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(body).toString(),
      });
      expect(form.status).toBe(303);
    }
  });

  test('refuses look-alikes, unknown names and empty passwords in the same words', async () => {
    await quire.user('bea');
    const empty = await quire.user('empty');
    await runSql(quire, `update users set password_hash = '' where id = ${empty.id}`);
    const tries = [
      ['bea', WRONG],
      ['bеa', PASSWORD],
      ['bea@example.com\u0000', PASSWORD],
      ['bеa@example.com', PASSWORD],
      ['nobody', PASSWORD],
      ['nobody@example.com', PASSWORD],
      ['empty', ''],
      ['empty', PASSWORD],
    ];
    const answers = new Set<string>();
    for (const [username = '', password = ''] of tries) {
      const { status, body } = await tryLogin(username, password, HOME);
      if (status !== 400) answers.add(JSON.stringify([status, body.code, body.error]));
    }
    expect(answers.size).toBe(1);
  });
});

describe('wrong passwords', () => {
  test('from elsewhere do not lock a person out where they have logged in before', async () => {
    await quire.user('cleo');
    await logIn('cleo', HOME);
    expect(await statuses(11, (i) => tryLogin('cleo', WRONG, `10.31.0.${i}`))).toEqual(refusedAfter(10));
    expect((await tryLogin('cleo', PASSWORD, ELSEWHERE)).status).toBe(429);
    expect((await tryLogin('cleo', PASSWORD, HOME)).status).toBe(200);
    expect((await tryLogin('cleo@example.com', PASSWORD, HOME)).status).toBe(200);
  });

  test('are limited at a known address too', async () => {
    await quire.user('dan');
    await logIn('dan', HOME);
    expect(await statuses(11, () => tryLogin('dan', WRONG, HOME))).toEqual(refusedAfter(10));
    expect((await tryLogin('dan', PASSWORD, HOME)).status).toBe(429);
  });

  test('from the same address do not lock a person out in a browser where they have logged in before', async () => {
    const devices = async (username: string, cookie = '') => {
      const body = { username, password: PASSWORD };
      const answer = await quire.call('POST', '/api/auth/login', { body, peer: HOME, cookie });
      return (answer.headers.getSetCookie()[1] ?? '').split(';')[0] ?? '';
    };
    const inBrowser = async (username: string, password: string, cookie: string) =>
      quire.call('POST', '/api/auth/login', { body: { username, password }, peer: HOME, cookie });
    await quire.user('nadia');
    await quire.user('oskar');
    const shared = await devices('oskar', await devices('nadia'));
    const another = await devices('oskar');
    expect(await statuses(11, () => tryLogin('nadia', WRONG, HOME))).toEqual(refusedAfter(10));
    expect(await statuses(1, () => inBrowser('nadia', PASSWORD, another))).toEqual([429]);
    expect(await statuses(1, () => inBrowser('nadia', PASSWORD, `${shared}x`))).toEqual([429]);
    expect((await inBrowser('nadia', PASSWORD, shared)).status).toBe(200);
    // It has an allowance of its own, which is limited too.
    expect(await statuses(11, () => inBrowser('nadia', WRONG, shared))).toEqual(refusedAfter(10));
    expect((await inBrowser('oskar', PASSWORD, shared)).status).toBe(200);
  });

  test('count for what was typed, in any case, so that nobody learns which address has which name', async () => {
    await quire.user('eva');
    await quire.user('emil');
    const spellings = ['eva', 'EVA'];
    const guess = (i: number) => tryLogin(spellings[i % 2] ?? '', WRONG, `10.32.0.${i}`);
    expect(await statuses(11, guess)).toEqual(refusedAfter(10));
    const answers = await Promise.all(
      ['eva@example.com', 'emil@example.com', 'nobody@example.com'].map((login, i) =>
        tryLogin(login, WRONG, `10.32.1.${i}`),
      ),
    );
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
    expect(await statuses(10, (i) => tryLogin('eva@example.com', WRONG, `10.32.2.${i}`))).toEqual(
      refusedAfter(9),
    );
  });

  test('get the same responses whether or not somebody logs in at this address', async () => {
    const peers = ['10.34.0.1', '10.34.0.2'];
    const app = await testApp({ QUIRE_LOGIN_FAILURES_PER_ADDRESS: '15' });
    await app.user('gina');
    await app.user('hugo');
    expect((await tryLogin('gina', PASSWORD, peers[0] ?? '', app)).status).toBe(200);
    expect((await tryLogin('hugo', PASSWORD, peers[1] ?? '', app)).status).toBe(200);
    const guesses = [...Array(12).fill('gina'), ...Array(5).fill('other'), 'gina'] as string[];
    const seen = await Promise.all(
      peers.map(async (peer, at) => {
        const found: unknown[] = [];
        // Nobody with the second name has ever logged in at the second address.
        for (const name of guesses) {
          const typed = at === 0 ? name : name.replace('gina', 'nobody-here');
          const { status, body, headers } = await tryLogin(typed, WRONG, peer, app);
          const error = String(body.error).replace(/in .*/, '');
          found.push([status, body.code, error, headers.get('ratelimit-limit')]);
        }
        return found;
      }),
    );
    expect(seen[0]).toEqual(seen[1] ?? []);
    // Nobody is locked out where they have logged in before.
    expect((await tryLogin('hugo', PASSWORD, peers[1] ?? '', app)).status).toBe(200);
    await app.stop();
  });

  test('that are refused take the same time whether or not they are compared', async () => {
    const app = await testApp({ QUIRE_LOGIN_FAILURES_PER_USERNAME: '1' });
    await app.user('ines');
    expect((await tryLogin('ines', PASSWORD, HOME, app)).status).toBe(200);
    await tryLogin('ines', WRONG, ELSEWHERE, app);
    const times = await Promise.all(
      [HOME, ELSEWHERE].map(async (peer) => {
        const startedAt = performance.now();
        expect((await tryLogin('ines', WRONG, peer, app)).status).toBe(429);
        return performance.now() - startedAt;
      }),
    );
    // Comparing takes less than a second, so without waiting both would.
    expect(Math.min(...times)).toBeGreaterThanOrEqual(999);
    await app.stop();
  });

  test('leave the ways in that need no password, for a person on a new address under attack', async () => {
    const finn = await quire.user('finn');
    await statuses(11, (i) => tryLogin('finn', WRONG, `10.33.0.${i}`));
    expect((await tryLogin('finn', PASSWORD, ELSEWHERE)).status).toBe(429);
    const forgot = { body: { username: 'finn' }, peer: ELSEWHERE };
    expect((await quire.call('POST', '/api/auth/forgot', forgot)).status).toBe(200);
    const { links } = await smtp.nextMail('finn@example.com', /new password/);
    const code = new URL(links[0] ?? '').searchParams.get('code') ?? '';
    const sent = await quire.request('/reset', {
      method: 'POST',
      peer: ELSEWHERE,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ code, password: PASSWORD }).toString(),
    });
    expect([sent.status, sent.headers.getSetCookie().length]).toEqual([303, 3]);
    expect((await tryLogin('finn', PASSWORD, ELSEWHERE)).status).toBe(200);
    expect(finn.id).toBeGreaterThan(0);
  });

  test('use up the allowance of a shared address only for strangers there', async () => {
    const app = await testApp({ QUIRE_LOGIN_FAILURES_PER_ADDRESS: '3' });
    await app.user('gus');
    await app.user('hana');
    expect((await tryLogin('gus', PASSWORD, HOME, app)).status).toBe(200);
    expect(await statuses(4, (i) => tryLogin(`nobody${i}`, WRONG, HOME, app))).toEqual(refusedAfter(3));
    expect((await tryLogin('hana', PASSWORD, HOME, app)).status).toBe(429);
    expect((await tryLogin('gus', PASSWORD, HOME, app)).status).toBe(200);
    await app.stop();
  });
});

describe('the addresses of logins', () => {
  const rows = (id: number) =>
    readSql<{ address_hash: string }>(quire, `select * from login_addresses where user_id = ${id}`);

  test('are kept as hashes, the last twenty of them', async () => {
    const ivan = await quire.user('ivan');
    for (let i = 0; i < 20; i++) await logIn('ivan', `10.40.0.${i}`);
    expect(await rows(ivan.id)).toHaveLength(20);
    await logIn('ivan', '10.40.0.99');
    const kept = await rows(ivan.id);
    expect(kept).toHaveLength(20);
    expect(JSON.stringify(kept)).not.toContain('10.40.');
  });

  test('are forgotten after 180 days', async () => {
    const june = await quire.user('june');
    await logIn('june', HOME);
    const age = (days: number) =>
      runSql(
        quire,
        `update login_addresses set last_seen_at = ${Date.now() - days * DAY_MS + 60_000} where user_id = ${june.id}`,
      );
    await statuses(11, (i) => tryLogin('june', WRONG, `10.34.0.${i}`));
    await age(181);
    expect((await tryLogin('june', PASSWORD, HOME)).status).toBe(429);
    await age(180);
    expect((await tryLogin('june', PASSWORD, HOME)).status).toBe(200);
  });
});

describe('sessions', () => {
  const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0' };

  test('have the name of the device, which their user can change', async () => {
    const kim = await quire.user('kim');
    const cookie = await logIn('kim', HOME, FIREFOX);
    const list = async () => (await quire.call('GET', '/api/auth/sessions', { cookie })).body.sessions;
    const [session] = await list();
    expect(session).toMatchObject({
      ...{ name: 'Firefox on Linux', method: 'password', address: HOME, current: true },
    });
    const path = `/api/auth/sessions/${session.id}`;
    const rename = (name: string) => quire.call('PATCH', path, { cookie, body: { name } });
    expect((await rename(' Work laptop ')).status).toBe(204);
    expect((await list())[0].name).toBe('Work laptop');
    expect((await rename('x'.repeat(60))).status).toBe(204);
    expect((await rename('x'.repeat(61))).status).toBe(400);
    expect((await rename('')).status).toBe(204);
    expect((await list())[0].name).toBe('Firefox on Linux');
    const other = await (await quire.user()).login();
    const stolen = await quire.call('PATCH', path, { cookie: other, body: { name: 'mine' } });
    expect(stolen.status).toBe(404);
    expect(kim.id).toBeGreaterThan(0);
  });
});

describe('security notices', () => {
  test('tell of a login from a new address, once, and not of the first login', async () => {
    await confirmed('lena');
    await logIn('lena', '127.0.0.1', { 'user-agent': 'curl/8' });
    await logIn('lena', ELSEWHERE, { 'user-agent': 'curl/8' });
    await logIn('lena', ELSEWHERE, { 'user-agent': 'curl/8' });
    const mail = await smtp.nextMail('lena@example.com', /New login/);
    for (const part of ['curl', 'password', ELSEWHERE]) expect(mail.text).toContain(part);
    await logIn('lena', '10.30.0.2', { 'user-agent': 'curl/8' });
    await smtp.nextMail('lena@example.com', /New login/);
    expect(smtp.mailsTo('lena@example.com').filter(({ subject }) => /New login/.test(subject))).toHaveLength(
      2,
    );
  });

  test('tell of new tokens and of a changed password', async () => {
    const mona = await confirmed('mona');
    await mona.call('POST', '/api/auth/tokens', { body: { name: 'ci', scopes: ['pages:read'] } });
    expect((await smtp.nextMail('mona@example.com', /token/)).text).toContain('ci');
    const cookie = await mona.login();
    const body = { current: PASSWORD, next: 'a whole new password' };
    await quire.call('POST', '/api/auth/password', { cookie, body });
    await smtp.nextMail('mona@example.com', /password has changed/);
  });

  test('tell of ten new logins a day, and not of the eleventh', async () => {
    await confirmed('olga');
    await logIn('olga', '127.0.0.1');
    for (let i = 0; i < 12; i++) {
      // An address gets five mails of a kind an hour.
      quire.advance(20 * 60_000);
      await logIn('olga', `10.40.${i}.1`);
    }
    quire.advance(-12 * 20 * 60_000);
    // The first one asks to confirm the address.
    const mails = await readSql(quire, "select * from mails where recipient = 'olga@example.com'");
    expect(mails).toHaveLength(1 + 10);
  });

  test('do not go to an address that nobody has confirmed', async () => {
    await quire.user('nora');
    await logIn('nora', '10.30.0.3');
    await smtp.nextMail('nora@example.com', /Confirm/);
    const rows = await readSql(quire, "select * from mails where recipient = 'nora@example.com'");
    expect(rows).toHaveLength(1);
  });
});
