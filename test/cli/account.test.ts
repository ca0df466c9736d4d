import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD } from '../support/call.ts';
import { openShell, type Shell } from '../support/cli.ts';
import { register } from '../support/fault-client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** `quire account`, as a person uses it who leaves. */

let server: TestServer;
let shell: Shell;

beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  await register(server, 'ada');
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
