import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { runSql } from '../support/engines/storage.ts';
import { PASSWORD } from '../support/http/call.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** `quire admin`, as an administrator uses it. */

let server: TestServer;
let bob: Account;
let shell: Shell;
let slug: string;

beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  await register(server, 'ada');
  bob = await register(server, 'bob');
  await runSql(
    { dataFolder: server.dataFolder, databaseUrl: undefined },
    "update users set is_admin = 1 where username = 'ada'",
  );
  shell = openShell({ QUIRE_URL: server.baseUrl });
  const login = await shell.run(['login', '--username', 'ada', '--password-stdin'], {
    stdin: `${PASSWORD}\n`,
  });
  expect(login.code).toBe(0);
  const made = await call(server, 'POST', '/api/pages', {
    token: bob.token,
    body: { name: 'Bad page', html_content: '<p>x' },
  });
  slug = made.body.page.slug;
  const code = 'export default { fetch: () => new Response("") }';
  await call(server, 'POST', '/api/functions', { token: bob.token, body: { slug: 'bad-function', code } });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

/** Runs a command that succeeds. */
async function quire(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await shell.run(['admin', ...args]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.trim();
}
const json = async (...args: string[]) => JSON.parse(await quire(...args, '--json'));
const fetchStatus = async (path: string, method = 'GET') => (await call(server, method, path, {})).status;

test('lists users, pages, functions and the audit log', async () => {
  expect(await quire('users', '--search', 'bo')).toMatch(/^id +username.*\n *\d+ +bob +/);
  expect((await json('users', '--administrators')).users.map(({ username }: Account) => username)).toEqual([
    'ada',
  ]);
  expect(await json('user', 'bob')).toMatchObject({ username: 'bob', pages: 1, functions: 1 });
  expect(await quire('pages', '--owner', 'bob')).toContain('bad-page');
  expect((await json('functions', '--state', 'public', '--owner', 'bob')).total).toBe(1);
  expect(await quire('audit', '--action', 'none.')).toBe('Nothing was found.');
});

test('suspends and restores a user, with a reason and a confirmation', async () => {
  const refused = async (...args: string[]) => (await shell.run(['admin', ...args])).stderr;
  expect(await refused('suspend', 'bob', '--yes')).toContain('--reason');
  expect(await refused('suspend', 'bob', '--reason', 'Spam')).toContain('--yes');
  expect(await fetchStatus(`/p/${slug}`)).toBe(200);
  expect(await quire('suspend', 'bob', '--reason', 'Spam', '--yes')).toBe('The account is suspended.');
  expect(await fetchStatus(`/p/${slug}`)).toBe(403);
  expect(await quire('users', '--state', 'suspended')).toContain('bob');
  await quire('restore', 'user', 'bob');
  expect(await fetchStatus(`/p/${slug}`)).toBe(200);
});

test('takes a page and a function down, and restores them', async () => {
  await quire('take-down', 'page', slug, '--reason', 'Copied', '--yes');
  await quire('take-down', 'function', 'bad-function', '--reason', 'Copied', '--yes');
  expect(await fetchStatus(`/p/${slug}`)).toBe(451);
  expect(await fetchStatus('/api/functions/bad-function', 'POST')).toBe(451);
  expect(await quire('pages', '--state', 'taken-down')).toContain(slug);
  await quire('restore', 'page', slug);
  await quire('restore', 'function', 'bad-function');
  expect(await fetchStatus(`/p/${slug}`)).toBe(200);
  const { entries } = await json('audit', '--action', 'page.', '--target', slug);
  expect(entries.map(({ action }: { action: string }) => action)).toEqual(['page.restore', 'page.take_down']);
  expect((await shell.run(['admin', 'take-down', 'user', 'bob', '--reason', 'x', '--yes'])).code).toBe(2);
});

test('sets what a user may have and do', async () => {
  await quire('quota', 'bob', '--pages', '5', '--bytes', '0');
  await quire('quota', 'bob', '--pages', 'default', '--functions', '7');
  expect((await json('user', 'bob')).quota).toEqual({ pages: null, functions: 7, bytes: 0 });
  expect(await quire('credits', 'bob', '5', '--reason', 'Thanks')).toBe('The user now has 25 credits.');
  await quire('promote', 'bob', '--yes');
  await quire('demote', 'bob');
  expect(await quire('reset', 'bob', '--quiet')).toContain('/reset?code=');
  await quire('logout', 'bob');
  expect(await quire('registration')).toBe('open');
  expect(await quire('registration', 'closed')).toBe('closed');
  expect(await quire('registration')).toBe('closed');
});

test('deletes a user, who can be restored', async () => {
  expect((await shell.run(['admin', 'delete', 'bob'])).code).toBe(2);
  expect(await quire('delete', 'bob', '--yes')).toContain('seven days');
  expect(await quire('users', '--state', 'leaving')).toContain('bob');
  await quire('restore', 'user', 'bob');
  expect((await json('users', '--state', 'leaving')).total).toBe(0);
});

test('says what is wrong', async () => {
  const readCode = async (args: string[], env = {}) => (await shell.run(['admin', ...args], { env })).code;
  expect(await readCode(['user', 'nobody'])).toBe(4);
  expect(await readCode(['pages', '--state', 'gone'])).not.toBe(0);
  const asBob = await shell.run(['admin', 'users'], { env: { QUIRE_TOKEN: bob.token } });
  expect(asBob.code).toBe(3);
  const last = await shell.run(['admin', 'demote', 'ada']);
  expect([last.code, last.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('only administrator'),
  ]);
  expect(last.code).not.toBe(0);
});
