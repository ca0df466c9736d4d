import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ageLogins } from '../support/accounts/old-logins.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { PASSWORD } from '../support/http/call.ts';
import { type Account, call, login, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** `quire account`, as a person uses it who leaves. */

let server: TestServer;
let shell: Shell;
let ada: Account;

beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  ada = await register(server, 'ada');
  shell = openShell({ QUIRE_URL: server.baseUrl });
  const login = await shell.run(['login', '--username', 'ada', '--password-stdin'], {
    stdin: `${PASSWORD}\n`,
  });
  expect(login.code).toBe(0);
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

test('exports the account into a file, and leaves no part of one if it is refused', async () => {
  const { file, bytes } = await shell.json(['account', 'export', 'mine.tar.gz']);
  expect(file).toBe('mine.tar.gz');
  expect(bytes).toBeGreaterThan(500);
  const list = Bun.spawnSync(['tar', '-tzf', join(shell.folder, file)]);
  expect(list.stdout.toString()).toContain('account.json');
  const refused = await shell.run(['account', 'export', 'other.tar.gz'], {
    env: { QUIRE_TOKEN: 'qr_wrong' },
  });
  expect(refused.code).not.toBe(0);
  expect(readdirSync(shell.folder)).toEqual(['mine.tar.gz']);
});

test('shows what uses the storage, the largest first', async () => {
  const small = { name: 'Small', html_content: '<p>small' };
  const large = { name: 'Large', html_content: 'x'.repeat(20_000) };
  for (const body of [small, large])
    expect((await call(server, 'POST', '/api/pages', { token: ada.token, body })).status).toBe(201);
  const { code, stdout } = await shell.run(['account', 'storage']);
  expect(code).toBe(0);
  const rows = stdout.split('\n').filter((line) => line.startsWith('page '));
  expect(rows.map((line) => line.split(/ {2,}/).slice(2, 6))).toEqual([
    ['Large', '20 KB', 'documents 20 KB', expect.stringMatching(/^\/pages\/\d+\/settings$/)],
    ['Small', '1 KB', 'documents 1 KB', expect.stringMatching(/^\/pages\/\d+\/settings$/)],
  ]);
  const report = await shell.json(['account', 'storage']);
  expect([report.bytes, report.otherBytes]).toEqual([20_008, 0]);
});

describe('when the login is older than ten minutes', () => {
  let cookie: string;
  beforeAll(async () => {
    cookie = await login(server, 'ada');
    ageLogins(server, ada);
  });

  const countLogins = async () => {
    const { body } = await call(server, 'GET', '/api/auth/sessions', { cookie });
    return body.sessions.length;
  };

  test('asks for the password on a terminal, and leaves no other login behind', async () => {
    const before = await countLogins();
    const asked = await shell.onTerminal(
      ['account', 'export', 'asked.tar.gz'],
      [['Your password', `${PASSWORD}\r`]],
    );
    expect(asked.seen).toContain('Exported your account to asked.tar.gz');
    expect(asked.seen).not.toContain(PASSWORD);
    expect(asked.code).toBe(0);
    expect(await countLogins()).toBe(before);
  });

  test('reads the password from standard input', async () => {
    const args = ['account', 'export', 'piped.tar.gz'];
    const noTerminal = await shell.run(args);
    expect([noTerminal.code, noTerminal.stderr]).toEqual([2, expect.stringContaining('--password-stdin')]);
    const wrong = await shell.run([...args, '--password-stdin'], { stdin: 'wrong password\n' });
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain('The current password is wrong.');
    expect(readdirSync(shell.folder)).not.toContain('piped.tar.gz');
    const { bytes } = await shell.json([...args, '--password-stdin'], { stdin: `${PASSWORD}\n` });
    expect(bytes).toBe(Bun.file(join(shell.folder, 'piped.tar.gz')).size);
  });
});

test('exports with a new token in the environment, which takes no password', async () => {
  const args = ['account', 'export', 'token.tar.gz'];
  const env = { QUIRE_TOKEN: ada.token };
  const refused = await shell.run([...args, '--password-stdin'], { env, stdin: `${PASSWORD}\n` });
  expect(refused.stderr).toContain('QUIRE_TOKEN');
  expect(refused.code).not.toBe(0);
  const exported = await shell.run(args, { env });
  expect([exported.code, exported.stderr]).toEqual([0, '']);
});

test('deletes the account with the right name and password only', async () => {
  const leave = (name: string, password: string) =>
    shell.run(['account', 'delete', name, '--password-stdin'], { stdin: `${password}\n` });
  expect((await leave('ada', 'wrong password')).code).not.toBe(0);
  const left = await leave('ada', PASSWORD);
  expect([left.code, left.stderr]).toEqual([0, '']);
  expect(left.stdout).toContain('Your account will be deleted on');
  const again = await leave('ada', PASSWORD);
  expect(again.stderr).toContain('To keep it, log in with a browser.');
  expect((await shell.run(['whoami'])).code).not.toBe(0);
});
