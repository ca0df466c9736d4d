import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_LEAVINGS_PER_DAY } from '../../../contract/accounts/privacy.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { listColumns, referencesTo } from '../../support/contract/schema.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { deployDatabase } from '../../support/functions/database.ts';
import { FATES, NAMES_USER } from '../../support/privacy/leaving-tables.ts';

const DAY_MS = 24 * 3600 * 1000;

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp({ QUIRE_SMTP_URL: 'smtp://127.0.0.1:1', QUIRE_MAIL_FROM: 'quire@example.com' });
});
afterAll(() => quire.stop());

/** Asks for the deletion of an account in a browser that just logged in, or that has this cookie. */
async function leave(user: TestUser, body: object = {}, cookie?: string) {
  return quire.call('POST', '/api/auth/account/delete', {
    headers: { cookie: cookie ?? (await user.login()) },
    body: { username: user.username, ...body },
  });
}

/** The screen that a login leads to. */
async function logIn({ username, password }: TestUser): Promise<Response> {
  return quire.request('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: quire.baseUrl },
    body: new URLSearchParams({ username, password }).toString(),
  });
}

const answerLeaving = (code: string, answer: string) =>
  quire.request('/leaving', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: quire.baseUrl },
    body: new URLSearchParams({ code, answer }).toString(),
  });

const codeIn = (response: Response) =>
  new URL(response.headers.get('location') ?? '', quire.baseUrl).searchParams.get('code') ?? '';

describe('an account that is about to be deleted', () => {
  test('needs the typed name and a proof', async () => {
    const user = await quire.user();
    const cookie = await user.login();
    expect(await leave(user, { username: 'someone-else' }, cookie)).toMatchObject({ status: 400 });
    expect(await leave(user, { extra: 1 }, cookie)).toMatchObject({ status: 400 });
    quire.advance(11 * 60_000);
    expect(await leave(user, { password: 'wrong password' }, cookie)).toMatchObject({ status: 401 });
    expect(await leave(user, {}, cookie)).toMatchObject({ status: 403 });
    expect(
      await user.call('POST', '/api/auth/account/delete', { body: { username: user.username } }),
    ).toMatchObject({ status: 401 });
    expect(await user.call('GET', '/api/auth/me')).toMatchObject({ status: 200 });
    expect(await leave(user, { password: user.password }, cookie)).toMatchObject({ status: 200 });
  });

  test('cannot be used, hides its pages, and comes back as it was', async () => {
    const user = await quire.user();
    const cookie = await user.login();
    const { slug } = await user.publish();
    const left = await leave(user);
    expect(left).toMatchObject({ status: 200, body: { success: true } });
    const waitMs = Date.parse(left.body.deletedAt) - Date.now();
    expect(Math.round(waitMs / DAY_MS)).toBe(7);
    expect((await quire.request(`/p/${slug}`)).status).toBeOneOf([403, 451]);
    expect(await user.call('GET', '/api/auth/me')).toMatchObject({ status: 401 });
    expect((await quire.request('/api/auth/me', { headers: { cookie } })).status).toBe(401);

    const entered = await logIn(user);
    expect(entered.status).toBe(303);
    expect(entered.headers.get('set-cookie')).toBeNull();
    const screen = await quire.request(entered.headers.get('location') ?? '');
    expect(await screen.text()).toContain('Keep my account');
    expect((await answerLeaving('forged', 'keep')).status).toBe(400);
    expect((await answerLeaving(codeIn(entered), 'keep')).status).toBe(200);
    expect(await user.call('GET', '/api/auth/me')).toMatchObject({ status: 200 });
    expect((await quire.request('/api/auth/me', { headers: { cookie } })).status).toBe(200);
    expect((await quire.request(`/p/${slug}`)).status).toBe(200);
    // The code is of no use afterwards.
    expect((await answerLeaving(codeIn(entered), 'keep')).status).toBe(400);
  });

  test('is announced by mail to a confirmed address, and to no other', async () => {
    const [confirmed, unconfirmed] = [await quire.user(), await quire.user()];
    await runSql(quire, `update users set email_confirmed_at = 1 where id = ${confirmed.id}`);
    for (const user of [confirmed, unconfirmed]) expect((await leave(user)).status).toBe(200);
    const mails = await readSql<{ user_id: number | string }>(
      quire,
      `select user_id from mails where kind = 'deletion requested' and user_id in (${confirmed.id}, ${unconfirmed.id})`,
    );
    expect(mails.map(({ user_id }) => Number(user_id))).toEqual([confirmed.id]);
  });

  test('returns 403 to programs, and a wrong password reveals nothing', async () => {
    const user = await quire.user();
    await leave(user);
    const right = await quire.call('POST', '/api/auth/token', {
      body: { username: user.username, password: user.password },
    });
    expect(right).toMatchObject({ status: 403 });
    const wrong = await quire.call('POST', '/api/auth/token', {
      body: { username: user.username, password: 'wrong password' },
    });
    expect(wrong).toMatchObject({ status: 401 });
  });

  test('is not deleted before its time, and cannot be kept after it', async () => {
    const user = await quire.user();
    await leave(user);
    await quire.app.sweep();
    expect(codeIn(await logIn(user))).not.toBe('');
    await runSql(quire, `UPDATE users SET removal_due_at = 1 WHERE id = ${user.id}`);
    expect((await answerLeaving(codeIn(await logIn(user)), 'keep')).status).toBe(409);
  });

  test(`can be kept ${MAX_LEAVINGS_PER_DAY} times in a day, however fresh the login is`, async () => {
    const user = await quire.user();
    const cookie = await user.login();
    expect((await leave(user, {}, cookie)).status).toBe(200);
    const keep = async () => answerLeaving(codeIn(await logIn(user)), 'keep');
    for (let times = 1; times < MAX_LEAVINGS_PER_DAY; times++) {
      expect((await keep()).status).toBe(200);
      expect((await leave(user, {}, cookie)).status).toBe(200);
    }
    expect((await keep()).status).toBe(200);
    expect(await leave(user, {}, cookie)).toMatchObject({ status: 429 });
    expect(await user.call('GET', '/api/auth/me')).toMatchObject({ status: 200 });
  });

  test('is kept by a code of this deletion only, and not by one of an earlier deletion', async () => {
    const user = await quire.user();
    const cookie = await user.login();
    await leave(user, {}, cookie);
    const code = codeIn(await logIn(user));
    expect((await answerLeaving(code, 'keep')).status).toBe(200);
    quire.advance(1_000);
    await leave(user, {}, cookie);
    expect((await quire.request(`/leaving?code=${code}`)).status).toBe(400);
    expect((await answerLeaving(code, 'keep')).status).toBe(400);
    expect(await user.call('GET', '/api/auth/me')).toMatchObject({ status: 401 });
    expect((await answerLeaving(codeIn(await logIn(user)), 'keep')).status).toBe(200);
  });

  test('is not kept while it is suspended, even with a code from before', async () => {
    const user = await quire.user();
    await leave(user);
    const code = codeIn(await logIn(user));
    const suspend = (at: string) =>
      runSql(quire, `UPDATE users SET suspended_at = ${at} WHERE id = ${user.id}`);
    await suspend('1');
    expect((await quire.request(`/leaving?code=${code}`)).status).toBe(400);
    expect((await answerLeaving(code, 'keep')).status).toBe(400);
    await suspend('null');
    expect((await answerLeaving(code, 'keep')).status).toBe(200);
  });

  test('is refused for the last administrator', async () => {
    const [one, two] = [await quire.user(), await quire.user()];
    await runSql(quire, `UPDATE users SET is_admin = 1 WHERE id IN (${one.id}, ${two.id})`);
    const answers = await Promise.all([leave(one), leave(two)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    await runSql(quire, `UPDATE users SET is_admin = 0 WHERE id IN (${one.id}, ${two.id})`);
  });
});

describe('a removed account', () => {
  let user: TestUser;
  let owner: TestUser;
  let shared: { id: number };
  let team: { id: number };
  let diary: { id: number };
  let spentBefore: unknown;
  let usedBefore = 0;
  /** The token of the owner has expired since. */
  let ownerToken: string;

  const ledgerSums = () =>
    readSql(
      quire,
      'SELECT account, CAST(SUM(tokens) AS TEXT) AS tokens FROM ledger_entries GROUP BY account ORDER BY account',
    );
  const readUsage = async (id: number) => {
    const [row] = await readSql<{ bytes: number }>(quire, `SELECT bytes FROM usage WHERE user_id = ${id}`);
    return Number(row?.bytes);
  };

  beforeAll(async () => {
    user = await quire.user('leaver');
    owner = await quire.user('stayer');
    await user.login();
    await user.call('POST', '/api/auth/tokens', { body: { name: 't', scopes: ['pages:read'] } });
    await fillOwnThings(user);
    shared = await owner.publish({
      name: 'Shared',
      storage_mode: 'social_app',
    });
    diary = await owner.publish({ name: 'Their diary', storage_mode: 'solo_app' });
    team = await owner.publish({ name: 'Team', storage_mode: 'team_app' });
    await fillElsewhere();
    await fillByHand(user.id);
    spentBefore = await ledgerSums();
    usedBefore = await readUsage(owner.id);
    expect(await leave(user)).toMatchObject({ status: 200 });
    quire.advance(7 * DAY_MS + 1000);
    await quire.app.sweep();
    const { username, password } = owner;
    const login = await quire.call('POST', '/api/auth/token', { body: { username, password } });
    ownerToken = login.body.accessToken;
  });

  async function fillOwnThings(of: TestUser) {
    const page = await of.publish({ name: 'Own', storage_mode: 'social_app' });
    await of.call('POST', `/api/pages/${page.id}/social-data/notes`, { body: { data: { a: 1 } } });
    await quire.request(`/api/pages/${page.id}/files/a.txt`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${of.token}`, 'content-type': 'text/plain' },
      body: 'a file',
    });
    const form = new FormData();
    form.set('name', 'x');
    form.set('file', new File(['bytes of a form file'], 'f.txt'));
    const sent = await quire.request(`/api/pages/${page.id}/forms/contact?redirect=false`, {
      method: 'POST',
      body: form,
    });
    expect(sent.status).toBeLessThan(300);
    await of.call('POST', `/api/pages/${page.id}/messages`, { body: { role: 'user', content: 'hello' } });
    const database = await deployDatabase(quire, of, 'leavers-function');
    await database.rows('CREATE TABLE t (x)');
    await of.call('PUT', '/api/functions/leavers-function/secrets', { body: { secrets: { A: 'b' } } });
    const code = `export default { queue() {}, async fetch(request, env) {
      await env.QUEUE.send('leaver@example.com', { delaySeconds: 3600 });
      return new Response('sent');
    } };`;
    const made = await of.call('POST', '/api/functions', { body: { slug: 'leavers-queue', code } });
    expect(made.status).toBe(201);
    expect((await of.call('POST', '/api/functions/leavers-queue', { body: {} })).status).toBe(200);
    const jobs = await readSql(quire, `SELECT 1 AS one FROM function_jobs WHERE body LIKE '%leaver@%'`);
    expect(jobs.length).toBe(1);
  }

  async function fillElsewhere() {
    for (const by of [user, owner])
      await by.call('POST', `/api/pages/${shared.id}/social-data/notes`, {
        body: { data: { by: by.username } },
      });
    for (const by of [user, owner])
      await by.call('POST', `/api/pages/${diary.id}/solo-data/days`, { body: { data: { by: by.username } } });
    await runSql(
      quire,
      `INSERT INTO team_members (page_id, user_id, role, joined_at) VALUES (${team.id}, ${user.id}, 'member', 1)`,
    );
    const file = new FormData();
    file.set('file', new File(['a file of the team'], 't.txt'));
    const up = await quire.request(`/api/pages/${team.id}/team-files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.token}` },
      body: file,
    });
    expect(up.status).toBeLessThan(300);
    const people = { mode: 'people', people: [user.username, `${user.username}@example.com`, 'somebody'] };
    const named = await owner.publish({ name: 'For people' });
    expect(await owner.call('PATCH', `/api/pages/${named.id}`, { body: { access: people } })).toMatchObject({
      status: 200,
    });
  }

  /** What only browsers, providers and mail servers could make. */
  async function fillByHand(id: number) {
    await runSql(
      quire,
      `INSERT INTO passkeys (user_id, credential_id, public_key, counter, transports, name, is_synced, created_at) VALUES (${id}, 'c', 'k', 0, '[]', 'n', 0, 1)`,
      `INSERT INTO recovery_codes (user_id, code_hash) VALUES (${id}, 'h')`,
      `INSERT INTO external_logins (user_id, issuer, subject, created_at, last_used_at) VALUES (${id}, 'i', 's', 1, 1)`,
      `INSERT INTO registration_invites (secret_hash, created_by, note, uses, max_uses, created_at, expires_at) VALUES ('h', ${id}, '', 0, 1, 1, 9999999999999)`,
      `INSERT INTO oauth_grants (user_id, client_id, name, origin, is_verified, resource, scopes, created_at, used_at, expires_at) VALUES (${id}, 'c', 'n', 'o', 0, 'r', '', 1, 1, 9999999999999)`,
      `INSERT INTO credit_consents (user_id, page_id, limit_tokens, used_tokens, created_at) VALUES (${id}, ${shared.id}, 5, 0, 1)`,
      `INSERT INTO publish_consents (user_id, page_id, created_at) VALUES (${id}, ${shared.id}, 1)`,
      `INSERT INTO mails (recipient, mailbox, kind, content, created_at, expires_at, attempts) VALUES ('leaver@example.com', 'leaver@example.com', 'test', '{}', 1, 9999999999999, 0)`,
    );
  }

  test('has a decided fate in every table, and every table is known', async () => {
    const tables = [...(await listColumns(quire)).keys()].sort();
    expect(tables).toEqual(Object.keys(FATES).sort());
  });

  test('is in no column that refers to users, by key or by name', async () => {
    const columns = await listColumns(quire);
    const byName = [...columns].flatMap(([table, names]) =>
      names.filter((name) => NAMES_USER.test(name)).map((name) => `${table}.${name}`),
    );
    const all = new Set([...byName, ...(await referencesTo(quire, 'users')), 'users.id']);
    expect(all.size).toBeGreaterThan(25);
    const left: string[] = [];
    for (const place of all) {
      const [table = '', column = ''] = place.split('.');
      if (FATES[table] === 'kept') continue;
      const rows = await readSql(quire, `SELECT 1 AS one FROM ${table} WHERE ${column} = ${user.id}`);
      if (rows.length > 0) left.push(place);
    }
    expect(left).toEqual([]);
  });

  test('is in no text of the database but the audit log', async () => {
    const found: string[] = [];
    for (const [table, names] of await listColumns(quire)) {
      if (FATES[table] === 'kept') continue;
      const anywhere = names.map((name) => `CAST(${name} AS TEXT) LIKE '%leaver@%'`).join(' OR ');
      const rows = await readSql(quire, `SELECT 1 AS one FROM ${table} WHERE ${anywhere}`);
      if (rows.length > 0) found.push(table);
    }
    expect(found).toEqual([]);
    const audit = await readSql<{ action: string }>(
      quire,
      `SELECT action FROM audit_entries WHERE target_kind = 'user' AND target_id = ${user.id} ORDER BY id`,
    );
    expect(audit.map(({ action }) => action)).toEqual(['user.leave', 'user.remove']);
  });

  test('leaves no files and no database behind', async () => {
    const left = () =>
      readdirSync(join(quire.dataFolder, 'blobs'), { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map((file) => join(file.parentPath, file.name));
    const kept = await readSql<{ id: string }>(quire, 'SELECT id FROM team_files');
    expect(kept.length).toBe(1);
    while (left().length > 1) await Bun.sleep(50);
    expect(left()[0]).toEndWith(kept[0]?.id ?? 'nothing');
    expect(existsSync(join(quire.dataFolder, 'databases', String(user.id)))).toBe(false);
  });

  test('keeps the ledger as numbers, with the same sums', async () => {
    expect(await ledgerSums()).toEqual(spentBefore as never);
    const [account] = await readSql<{ balance: string; ledger: string }>(
      quire,
      `SELECT CAST(balance_tokens AS TEXT) AS balance, CAST((SELECT SUM(tokens) FROM ledger_entries JOIN ledger_transfers ON id = transfer_id
       WHERE user_id = 0 AND account = 'available') AS TEXT) AS ledger FROM credit_accounts WHERE user_id = 0`,
    );
    expect(account?.balance).toBe(account?.ledger as string);
  });

  test('keeps public records and team files without the name, and deletes private ones', async () => {
    const notes = await quire.call('GET', `/api/pages/${shared.id}/social-data/notes?order=asc`);
    expect(notes.body.records.map(({ createdBy }: { createdBy: object }) => createdBy)).toEqual([
      { id: 0, username: 'deleted user' },
      { id: owner.id, username: owner.username },
    ]);
    const files = await owner.call('GET', `/api/pages/${team.id}/team-files`, { token: ownerToken });
    expect(JSON.stringify(files.body)).toContain('deleted user');
    const days = await readSql<{ records: number }>(
      quire,
      `SELECT CAST(SUM(records) AS INTEGER) AS records FROM record_counts JOIN collections ON id = collection_id WHERE page_id = ${diary.id}`,
    );
    expect(Number(days[0]?.records)).toBe(1);
  });

  test('gives the owners of other pages their quota back', async () => {
    const record = JSON.stringify({ by: user.username }).length + 256;
    const names = `${user.username}${user.username}@example.com`.length;
    expect(await readUsage(owner.id)).toBe(usedBefore - record - names);
    const people = await readSql(quire, 'SELECT name FROM page_people');
    expect(people).toEqual([{ name: 'somebody' }]);
  });

  test('frees the username, and cannot be registered or logged in as', async () => {
    const again = await quire.user('leaver');
    expect(again.id).not.toBe(user.id);
    const asRemoved = await quire.call('POST', '/api/auth/login', {
      body: { username: 'deleted user', password: '' },
    });
    expect(asRemoved.status).toBeOneOf([400, 401]);
  });
});
