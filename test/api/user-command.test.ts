import { afterAll, beforeAll, expect, test } from 'bun:test';
import { PASSWORD, type TestApp, testApp } from '../support/app.ts';
import { openShell, type Shell } from '../support/cli.ts';

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

test('fails if there is no data folder', async () => {
  const env = { QUIRE_DATA: '/nowhere/at/all', DATABASE_URL: undefined };
  expect(await shell.run(['user', 'list'], { env })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('QUIRE_DATA'),
  });
});
