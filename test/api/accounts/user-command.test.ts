import { afterAll, beforeAll, expect, test } from 'bun:test';
import { PASSWORD, type TestApp, testApp } from '../../support/app.ts';
import { openShell, type Shell } from '../../support/cli/cli.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';

let quire: TestApp;
let shell: Shell;

beforeAll(async () => {
  quire = await testApp({ QUIRE_REGISTRATION: 'closed' });
  shell = openShell({ QUIRE_DATA: quire.dataFolder, DATABASE_URL: quire.databaseUrl });
});
afterAll(async () => {
  await shell.stop();
  await quire.stop();
});

const logIn = (password: string) =>
  quire.call('POST', '/api/auth/token', { body: { username: 'ada', password, scopes: ['pages:read'] } });
const logInForAccount = () =>
  quire.call('POST', '/api/auth/token', { body: { username: 'ada', password: 'another password' } });
const asAdmin = () =>
  quire.call('POST', '/api/auth/token', { body: { username: 'ada', password: PASSWORD, scopes: ['admin'] } });

test('creates accounts from the shell, also while registration is closed and the server runs', async () => {
  const args = ['user', 'create', 'Ada', '--email', 'ada@example.com'];
  const made = await shell.run([...args, '--json'], { stdin: `${PASSWORD}\n` });
  expect(made.code).toBe(0);
  expect(made.json()).toEqual({ id: expect.any(Number), username: 'ada', isAdmin: false });
  expect(made.stdout + made.stderr).not.toContain(PASSWORD);
  expect((await logIn(PASSWORD)).status).toBe(200);

  expect((await shell.run(args, { stdin: PASSWORD })).code).toBe(5);
  const named = (name: string) => ['user', 'create', name, '--email', `${name}@example.com`];
  expect((await shell.run(named('system'), { stdin: PASSWORD })).code).toBe(5);
  expect((await shell.run(['user', 'create', 'eve'], { stdin: PASSWORD })).code).toBe(2);
  const short = await shell.run(['user', 'create', 'eve', '--email', 'eve@example.com'], { stdin: 'short' });
  expect(short).toMatchObject({ code: 1, stderr: expect.stringContaining('password: must have at least 8') });
  const { users } = await shell.json(['user', 'list']);
  expect(users).toMatchObject([{ username: 'ada', email: 'ada@example.com', isAdmin: false, pages: 0 }]);
  expect((await shell.run(['user', 'list'])).stdout).toMatch(/ada +ada@example\.com/);
});

test('grants and revokes administrator rights', async () => {
  expect((await asAdmin()).status).toBe(403);
  expect(await shell.run(['user', 'promote', 'ADA'])).toMatchObject({
    code: 0,
    stdout: 'ADA is now an administrator.\n',
  });
  const { body } = await asAdmin();
  expect((await quire.call('GET', '/api/admin/users', { token: body.accessToken })).status).toBe(200);
  const last = await shell.run(['user', 'demote', 'ada']);
  expect(last).toMatchObject({ code: 5, stderr: expect.stringContaining('only administrator') });
  const boss = ['user', 'create', 'boss', '--email', 'boss@example.com', '--admin'];
  expect((await shell.run(boss, { stdin: PASSWORD })).code).toBe(0);
  expect((await shell.run(['user', 'demote', 'ada'])).code).toBe(0);
  expect((await asAdmin()).status).toBe(403);
  expect((await quire.call('GET', '/api/admin/users', { token: body.accessToken })).status).toBe(403);
  expect((await shell.run(['user', 'promote', 'nobody'])).code).toBe(4);
  expect((await shell.run(['user', 'demote', 'nobody'])).code).toBe(4);
});

test('sets a new password and ends what the old one opened', async () => {
  const { body } = await logIn(PASSWORD);
  expect((await shell.run(['user', 'password', 'ada'], { stdin: 'short' })).code).toBe(1);
  expect((await shell.run(['user', 'password', 'ada'], { stdin: 'another password' })).code).toBe(0);
  expect((await logIn(PASSWORD)).status).toBe(401);
  expect((await logIn('another password')).status).toBe(200);
  expect((await quire.call('GET', '/api/auth/me', { token: body.accessToken })).status).toBe(401);
  expect((await shell.run(['user', 'password', 'nobody'], { stdin: PASSWORD })).code).toBe(4);
});

test('what the operator does is in the audit log, and its user can see it', async () => {
  const rows = await readSql<{ actor_name: string; action: string; target_name: string }>(
    quire,
    'select actor_name, action, target_name from audit_entries order by id',
  );
  expect(new Set(rows.map(({ actor_name }) => actor_name))).toEqual(new Set(['the operator']));
  const ofAda = rows.filter(({ target_name }) => target_name === 'ada').map(({ action }) => action);
  expect(ofAda).toEqual(['user.create', 'user.promote', 'user.demote', 'user.set_password']);
  const token = (await logInForAccount()).body.accessToken;
  const { entries } = (await quire.call('GET', '/api/auth/activity', { token })).body;
  expect(entries[0]).toMatchObject({ actor: 'the operator', action: 'user.set_password' });
});

test('fails if there is no data folder', async () => {
  const env = { QUIRE_DATA: '/nowhere/at/all', DATABASE_URL: undefined };
  expect(await shell.run(['user', 'list'], { env })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('QUIRE_DATA'),
  });
});

test('makes a link that sets a new password once, without confirming the address', async () => {
  const { link } = await shell.json(['user', 'reset', 'ADA']);
  expect(link).toStartWith(`${quire.baseUrl}/reset?code=`);
  const body = { code: new URL(link).searchParams.get('code'), password: PASSWORD };
  await runSql(quire, "update users set email_confirmed_at = null where username = 'ada'");
  expect((await quire.call('POST', '/api/auth/reset', { body })).status).toBe(200);
  expect((await logIn(PASSWORD)).status).toBe(200);
  expect((await quire.call('POST', '/api/auth/reset', { body })).status).toBe(404);
  const [ada] = await readSql<{ email_confirmed_at: number | null }>(
    quire,
    "select email_confirmed_at from users where username = 'ada'",
  );
  expect(ada?.email_confirmed_at).toBeNull();
  expect((await shell.run(['user', 'reset', 'nobody'])).code).toBe(4);
});

test('makes, lists and revokes invites, which work where registration is by invite', async () => {
  const made = await shell.json(['invite', 'create', '--uses', '2', '--note', 'For the class']);
  expect(made).toMatchObject({
    maxUses: 2,
    uses: 0,
    note: 'For the class',
    isMailed: false,
    createdBy: null,
  });
  const invite = new URL(made.link).searchParams.get('invite');
  const register = (username: string) =>
    quire.call('POST', '/api/auth/register', {
      body: { username, email: `${username}@example.com`, password: PASSWORD, invite },
    });
  expect((await register('bob')).status).toBe(403);
  await runSql(quire, "insert into service_settings values ('registration', 'invite', 0)");
  expect((await register('bob')).status).toBe(201);
  const list = await shell.run(['invite', 'list']);
  expect(list.stdout).toMatch(/1 of 2 +the operator/);
  expect(list.stdout).not.toContain(invite ?? '');
  expect((await shell.run(['invite', 'revoke', String(made.id)])).code).toBe(0);
  expect((await register('eve')).status).toBe(403);
  expect((await shell.run(['invite', 'revoke', String(made.id)])).code).toBe(4);
  expect((await shell.run(['invite', 'create', '--uses', '1001'])).code).toBe(1);
});

test('creates an account with a name that nobody can register with', async () => {
  const args = ['user', 'create', 'support', '--email', 'support@example.com'];
  expect((await shell.run(args, { stdin: PASSWORD })).code).toBe(0);
});
