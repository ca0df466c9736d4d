import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_EXPORTS_PER_DAY } from '../../../contract/accounts/privacy.ts';
import { administrator } from '../../support/accounts/administrator.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { deployDatabase } from '../../support/functions/database.ts';
import { type UnpackedExport, unpackExport as unpack } from '../../support/privacy/export.ts';

let quire: TestApp;
beforeAll(async () => {
  quire = await testApp();
});
afterAll(() => quire.stop());

const unpackExport = (response: Response) => unpack(response, quire.dataFolder);
const fetchExport = async (user: TestUser) =>
  quire.request('/api/auth/export', { headers: { authorization: `Bearer ${user.token}` } });

describe('the export of an account', () => {
  let user: TestUser;
  let visitor: TestUser;
  let archive: UnpackedExport;
  let draft: number;
  const longPath = `${'long-folder-name/'.repeat(10)}file.txt`;

  beforeAll(async () => {
    user = await quire.user();
    visitor = await quire.user();
    const page = await user.publish({ name: 'Wall', storage_mode: 'social_app' });
    const data = `/api/pages/${page.id}/social-data/notes`;
    for (const by of [user, visitor]) await by.call('POST', data, { body: { data: { by: by.username } } });
    await user.call('PATCH', `/api/pages/${page.id}`, { body: { html_content: '<p>Second' } });
    for (const path of [longPath, 'é.txt']) {
      const put = await quire.request(
        `/api/pages/${page.id}/files/${path.split('/').map(encodeURIComponent).join('/')}`,
        {
          method: 'PUT',
          headers: { authorization: `Bearer ${user.token}`, 'content-type': 'text/plain' },
          body: `content of ${path}`,
        },
      );
      expect(put.status).toBeLessThan(300);
    }
    const reported = await quire.call('POST', `/api/pages/${page.id}/errors`, {
      body: { message: 'x is not defined' },
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' },
    });
    expect(reported.status).toBe(204);
    // Errors are counted in memory at first. Reading them stores them.
    const listed = await user.call('GET', `/api/pages/${page.id}/errors`);
    expect(listed.body.errors).toHaveLength(1);
    const drafts = `/api/pages/${page.id}/drafts`;
    const made = await user.call('POST', drafts, { body: { html_content: '<p>Third', note: 'for June' } });
    draft = made.body.draft.id;
    await user.call('PATCH', `/api/pages/${page.id}/versions/1`, { body: { note: 'the first' } });
    await user.call('PATCH', `/api/pages/${page.id}`, { body: { html_content: '<p>Second', note: 'now' } });
    const solo = await user.publish({ name: 'Diary', storage_mode: 'solo_app' });
    for (const by of [user, visitor])
      await by.call('POST', `/api/pages/${solo.id}/solo-data/days`, { body: { data: { by: by.username } } });
    const database = await deployDatabase(quire, user, 'counter');
    await database.rows('CREATE TABLE t (x)');
    await database.rows("INSERT INTO t VALUES ('stored')");
    const queries = '/api/functions/counter/database/queries';
    await user.call('POST', queries, { body: { name: 'all', sql: 'SELECT * FROM t' } });
    await user.call('PATCH', '/api/functions/counter/versions/1', { body: { note: 'it counts' } });
    const worker = `export default {
      async fetch(_, env) { await env.QUEUE.send({ to: 'Ada' }, { delaySeconds: 600, key: 'ada' }); return new Response(); },
      queue() {},
    };`;
    await user.call('POST', '/api/functions', { body: { slug: 'worker', code: worker } });
    await user.call('POST', '/api/functions/worker');
    archive = await unpackExport(await fetchExport(user));
  });

  test('explains itself and says who the person is, without secrets', () => {
    expect(archive.text('README.txt')).toContain('account.json');
    const account = archive.json('account.json');
    expect(account).toMatchObject({
      id: user.id,
      username: user.username,
      email: `${user.username}@example.com`,
    });
    const everything = archive.paths
      .filter((path) => /\.(jsonl?|txt)$/.test(path))
      .map((path) => archive.text(path))
      .join('');
    for (const secret of [user.token, user.refreshToken, user.password])
      expect(everything).not.toContain(secret);
    expect(everything).not.toMatch(/secret_hash|password_hash|\$argon2/);
  });

  test('has pages with their files, earlier versions and records', () => {
    expect(archive.json('pages/wall/page.json')).toMatchObject({ name: 'Wall', storage_mode: 'social_app' });
    expect(archive.text('pages/wall/site/index.html')).toBe('<p>Second');
    expect(archive.text(`pages/wall/site/${longPath}`)).toBe(`content of ${longPath}`);
    expect(archive.text('pages/wall/site/é.txt')).toBe('content of é.txt');
    expect(archive.text('pages/wall/versions/1/index.html')).toContain('Hello');
    const notes = archive.lines('pages/wall/data/social_data/notes.jsonl');
    expect(notes.map(({ data }) => data.by)).toEqual([user.username, visitor.username]);
    expect(archive.paths).not.toContain('INCOMPLETE.txt');
  });

  test('has drafts, and notes on versions', () => {
    expect(archive.json(`pages/wall/drafts/${draft}/draft.json`)).toMatchObject({ note: 'for June' });
    expect(archive.text(`pages/wall/drafts/${draft}/index.html`)).toBe('<p>Third');
    expect(archive.json('pages/wall/versions/1/version.json')).toMatchObject({ note: 'the first' });
    expect(archive.json('pages/wall/page.json')).toMatchObject({ note: 'now' });
    expect(archive.json('functions/counter/versions/1/version.json')).toMatchObject({ note: 'it counts' });
  });

  test('has how a page was used, and errors in browsers', () => {
    const { errors } = archive.json('pages/wall/analytics.json');
    expect(errors).toMatchObject([{ message: 'x is not defined', count: 1 }]);
  });

  test('never has the private records of visitors', () => {
    const days = archive.lines('pages/diary/data/solo_data/days.jsonl');
    expect(days.map(({ data }) => data.by)).toEqual([user.username]);
  });

  test('has functions, and their databases as SQLite files', () => {
    const { databaseFolder } = archive.json('functions/counter/function.json');
    expect(archive.text('functions/counter/code.js')).toContain('fetch');
    const database = new Database(join(archive.folder, databaseFolder, 'database.sqlite'));
    expect(database.query('SELECT x FROM t').all()).toEqual([{ x: 'stored' }]);
    database.close();
    expect(archive.json(`${databaseFolder}/saved-queries.json`)).toEqual([
      { name: 'all', sql: 'SELECT * FROM t' },
    ]);
  });

  test('has the messages of functions', () => {
    const jobs = archive.lines('functions/worker/jobs.jsonl');
    expect(jobs).toMatchObject([{ state: 'waiting', key: 'ada', body: '{"to":"Ada"}', tries: 0 }]);
  });

  test('has the history of credits', () => {
    expect(archive.json('credits/credits.json').balance).toBeGreaterThan(0);
    expect(archive.lines('credits/history.jsonl')[0]).toMatchObject({ kind: 'granted' });
  });

  test('works while data is written and pages are deleted', async () => {
    const owner = await quire.user();
    const pages = await Promise.all([1, 2, 3].map((i) => owner.publish({ name: `Going ${i}` })));
    const response = await fetchExport(owner);
    const reading = unpackExport(response);
    for (const { id } of pages) await owner.call('DELETE', `/api/pages/${id}`);
    const { paths } = await reading;
    expect(paths).toContain('account.json');
  });
});

describe('an export needs a proof', () => {
  const OLD_MS = 11 * 60_000;
  const fetchStatus = async (headers: Record<string, string>, path = '/api/auth/export') => {
    const response = await quire.request(path, { headers });
    await response.body?.cancel();
    return response.status;
  };

  test('of a token: the password was given for it within ten minutes, whatever was refreshed since', async () => {
    const { token, refreshToken } = await quire.user();
    const of = (bearer: string) => fetchStatus({ authorization: `Bearer ${bearer}` });
    expect(await of(token)).toBe(200);
    quire.advance(OLD_MS);
    const { body } = await quire.call('POST', '/api/auth/token/refresh', { body: { refreshToken } });
    expect([await of(token), await of(body.accessToken)]).toEqual([403, 403]);
    quire.advance(-OLD_MS);
  });

  test('of a session: a fresh login, or a link for the password', async () => {
    const user = await quire.user();
    const [cookie, another] = [await user.login(), await user.login()];
    quire.advance(OLD_MS);
    const dashboard = await quire.call('POST', '/api/auth/session-token', { cookie });
    expect(await fetchStatus({ authorization: `Bearer ${dashboard.body.accessToken}` })).toBe(403);
    expect(await fetchStatus({ cookie })).toBe(403);
    const prove = (body: object) => quire.call('POST', '/api/auth/export', { cookie, body });
    expect(await prove({})).toMatchObject({ status: 403, body: { details: [{ path: 'password' }] } });
    expect(await prove({ password: 'not the password' })).toMatchObject({ status: 401 });
    const { link } = (await prove({ password: user.password })).body;
    expect(await fetchStatus({ cookie: another }, link)).toBe(403);
    expect(await fetchStatus({}, link)).toBe(401);
    expect(await fetchStatus({ cookie }, link)).toBe(200);
    expect(await fetchStatus({ cookie }, link)).toBe(403);
    const late = (await prove({ password: user.password })).body.link;
    quire.advance(61_000);
    expect(await fetchStatus({ cookie }, late)).toBe(403);
    expect(await fetchStatus({ cookie: await user.login() })).toBe(200);
    quire.advance(-OLD_MS - 61_000);
  });
});

describe('an export breaks off', () => {
  const ends: Array<[string, (user: TestUser, cookie: string) => Promise<unknown>]> = [
    ['when its session ends', (_, cookie) => quire.call('POST', '/api/auth/logout', { cookie })],
    [
      'when another session ends it',
      async (user) => quire.call('DELETE', '/api/auth/sessions', { cookie: await user.login() }),
    ],
    [
      'when the account is suspended',
      async (user) =>
        (await administrator(quire)).admin('POST', `/api/admin/users/${user.id}/suspend`, { reason: 'x' }),
    ],
  ];
  test.each(ends)('%s', async (_, end) => {
    const user = await quire.user();
    for (let i = 0; i < 5; i++) {
      const noise = randomBytes(1_500_000).toString('base64');
      await user.publish({ html_content: `<p>${noise}` });
    }
    const cookie = await user.login();
    const response = await quire.request('/api/auth/export', { headers: { cookie } });
    const reader = response.body?.getReader();
    await reader?.read();
    await end(user, cookie);
    const rest = async () => {
      while (!(await reader?.read())?.done);
    };
    await expect(rest()).rejects.toThrow('has ended');
  });

  test('not when another login of the same person ends', async () => {
    const user = await quire.user();
    const [cookie, other] = [await user.login(), await user.login()];
    const response = await quire.request('/api/auth/export', { headers: { cookie } });
    await quire.call('POST', '/api/auth/logout', { cookie: other });
    await unpackExport(response);
  });
});

describe('limits of exports', () => {
  test('a program needs the scope account, and a stranger gets nothing', async () => {
    const user = await quire.user();
    const { body } = await user.call('POST', '/api/auth/tokens', {
      body: { name: 't', scopes: ['pages:read'] },
    });
    expect(await quire.call('GET', '/api/auth/export', { token: body.token })).toMatchObject({
      status: 403,
    });
    expect(await quire.call('GET', '/api/auth/export')).toMatchObject({ status: 401 });
  });

  test('a browser downloads it with the login cookie, and only from our own origin', async () => {
    const user = await quire.user();
    const cookie = await user.login();
    const download = await quire.request('/api/auth/export', {
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    });
    expect(download.headers.get('content-disposition')).toContain(`quire-${user.username}.tar.gz`);
    await unpackExport(download);
    const elsewhere = { cookie, 'sec-fetch-site': 'cross-site' };
    expect((await quire.request('/api/auth/export', { headers: elsewhere })).status).toBe(401);
  });

  test('a user has one at a time, and an abandoned one frees its place and leaves no file', async () => {
    const user = await quire.user();
    const database = await deployDatabase(quire, user, 'left-behind');
    await database.rows('CREATE TABLE t (x)');
    const first = await fetchExport(user);
    expect((await fetchExport(user)).status).toBe(409);
    await first.body?.cancel();
    await unpackExport(await fetchExport(user));
    const exports = join(quire.dataFolder, 'databases', 'exports');
    expect(readdirSync(exports, { withFileTypes: true })).toEqual([]);
  });

  test(`a user has ${MAX_EXPORTS_PER_DAY} in a day`, async () => {
    const user = await quire.user();
    for (let i = 0; i < MAX_EXPORTS_PER_DAY; i++) await unpackExport(await fetchExport(user));
    expect((await fetchExport(user)).status).toBe(429);
  });
});
