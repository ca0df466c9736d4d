import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startSmtp, type TestSmtp } from '../support/mail/smtp.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Who can see a page, and who is in its team: `quire pages access` and `team`, and as a part of page.json. */

let server: TestServer;
let ada: Account;
let shell: Shell;
let smtp: TestSmtp;

beforeAll(async () => {
  smtp = await startSmtp();
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent', QUIRE_SMTP_URL: smtp.url } });
  ada = await register(server, 'ada');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: ada.token });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
  await smtp.stop();
});

const api = async (method: string, path: string, body?: unknown) =>
  (await call(server, method, path, { token: ada.token, ...(body !== undefined && { body }) })).body;
const fetchAccess = async (id: number) => (await api('GET', `/api/pages/${id}`)).page.access;
const give = async (id: number, password: string) =>
  (await call(server, 'POST', `/api/pages/${id}/pass`, { body: { password } })).status;
const push = (folder: string) => shell.run(['pages', 'push', folder]);

function makeFolder(name: string, settings: object): void {
  mkdirSync(join(shell.folder, name), { recursive: true });
  writeFileSync(join(shell.folder, name, 'index.html'), `<title>${name}</title>`);
  writeFileSync(join(shell.folder, name, 'page.json'), JSON.stringify(settings));
}
const settingsIn = (folder: string) =>
  JSON.parse(readFileSync(join(shell.folder, folder, 'page.json'), 'utf8'));

test('shows and changes who can see a page', async () => {
  const { page } = await api('POST', '/api/pages', { name: 'Plans', html_content: '<p>x' });
  const access = async (args: string[], stdin?: string) => {
    const ended = await shell.run(
      ['pages', 'access', 'plans', ...args],
      stdin === undefined ? {} : { stdin },
    );
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    return ended.stdout.trim();
  };
  expect(await access([])).toBe('Anyone can see the page.');
  const until = '2090-01-31T12:00:00Z';
  expect(await access(['--mode', 'password', '--password', '-', '--until', until], 'open sesame\n')).toBe(
    'People who know the password can see the page. Access ends at 2090-01-31T12:00:00.000Z.',
  );
  expect(await give(page.id, 'open sesame')).toBe(200);
  // The mode and the password stay.
  expect(await access(['--until', 'never'])).toBe('People who know the password can see the page.');
  expect(await give(page.id, 'open sesame')).toBe(200);
  expect(await access(['--mode', 'people', '--person', 'Zoe', '--person', 'eve@example.com'])).toBe(
    'These people can see the page: eve@example.com, zoe.',
  );
  expect(await shell.json(['pages', 'access', String(page.id), '--mode', 'private'])).toEqual({
    id: page.id,
    access: { mode: 'private' },
  });
});

test('says what is wrong, and changes nothing', async () => {
  const { page } = await api('POST', '/api/pages', { name: 'Kept', html_content: '<p>x' });
  for (const [args, message] of [
    [['--password', 'x'], 'Add --mode, such as --mode password.'],
    [['--mode', 'password'], 'access.password'],
    [['--mode', 'team'], 'team needs the storage_mode team_app'],
    [['--mode', 'secret'], 'must be one of public, password'],
    [['--until', 'tomorrow'], 'must be a date and time with a time zone'],
  ] as const) {
    const ended = await shell.run(['pages', 'access', 'kept', ...args]);
    expect(ended.code, message).not.toBe(0);
    expect(ended.stderr).toContain(message);
  }
  expect(await fetchAccess(page.id)).toEqual({ mode: 'public' });
});

test('page.json closes a page before it is published, and keeps it so', async () => {
  const access = { mode: 'people', people: ['Zoe', 'bob'], expires_at: '2090-01-01T02:00:00+02:00' };
  makeFolder('closed', { access });
  const { page } = await shell.json(['pages', 'push', 'closed']);
  const saved = { mode: 'people', people: ['bob', 'zoe'], expires_at: '2090-01-01T00:00:00.000Z' };
  expect(await fetchAccess(page.id)).toEqual(saved);
  expect((await fetch(page.url)).status).toBe(403);
  expect(await shell.json(['pages', 'push', 'closed'])).toMatchObject({ action: 'unchanged' });

  expect((await shell.run(['pages', 'pull', 'closed', 'copy'])).code).toBe(0);
  expect(settingsIn('copy').access).toEqual(saved);
  // What page.json leaves out stays.
  makeFolder('closed', { access: { mode: 'people' } });
  expect(await shell.json(['pages', 'push', 'closed'])).toMatchObject({ action: 'unchanged' });
  makeFolder('closed', { access: { mode: 'people', people: ['zoe'], expires_at: null } });
  expect(await shell.json(['pages', 'push', 'closed'])).toMatchObject({ action: 'updated' });
  expect(await fetchAccess(page.id)).toEqual({ mode: 'people', people: ['zoe'] });
  makeFolder('closed', { storage_mode: 'team_app', access: { mode: 'team' } });
  expect(await shell.json(['pages', 'push', 'closed'])).toMatchObject({ action: 'updated' });
  expect(await fetchAccess(page.id)).toEqual({ mode: 'team' });
});

test('the password of a page is in no file, and a page without one is not shown to everyone', async () => {
  makeFolder('locked', { access: { mode: 'password', password: 'open sesame' } });
  const written = await push('locked');
  expect(written.code).not.toBe(0);
  expect(written.stderr).toContain('access.password does not belong in a file.');

  makeFolder('locked', { access: { mode: 'password' } });
  const refused = await push('locked');
  expect(refused.code).not.toBe(0);
  const command = /quire (pages access \d+ --mode password --password -)/.exec(refused.stderr)?.[1] ?? '';
  expect(refused.stderr).toContain('The page exists as a draft that visitors cannot see.');
  expect((await fetch(`${server.baseUrl}/p/locked`)).status).toBe(404);
  expect((await shell.run(command.split(' '), { stdin: 'open sesame' })).code).toBe(0);

  const { page } = await shell.json(['pages', 'push', 'locked']);
  expect((await fetch(page.url)).status).toBe(403);
  expect(await give(page.id, 'open sesame')).toBe(200);
  expect((await shell.run(['pages', 'pull', 'locked', 'unlocked'])).code).toBe(0);
  expect(settingsIn('unlocked').access).toEqual({ mode: 'password' });
});

test('a page that was closed after a pull is not opened by the next push', async () => {
  const { page } = await api('POST', '/api/pages', { name: 'Later', html_content: '<p>x' });
  await shell.run(['pages', 'pull', 'later', 'later']);
  expect(settingsIn('later')).not.toHaveProperty('access');
  await api('PATCH', `/api/pages/${page.id}`, { access: { mode: 'private' } });
  writeFileSync(join(shell.folder, 'later', 'index.html'), '<p>y');
  expect((await push('later')).code).toBe(0);
  expect(await fetchAccess(page.id)).toEqual({ mode: 'private' });
});

test('invites people to the team of a page, and manages who is in it', async () => {
  await api('POST', '/api/pages', { name: 'Board', html_content: '<p>x', storage_mode: 'team_app' });
  const team = (command: string, ...args: string[]) =>
    shell.run(['pages', 'team', command, 'board', ...args]);
  const bob = await register(server, 'bob');
  const join = async (url: string) =>
    (await call(server, 'POST', `/api${new URL(url).pathname}`, { token: bob.token })).status;

  expect((await team('invites')).stdout).toContain('There are no open invites.');
  const made = await team('invite', '--role', 'viewer', '--days', '3', '--uses', '2');
  expect(made.stderr).toMatch(
    /^It invites people as viewer until \d{4}-\d\d-\d\d\. It is not shown again\.$/m,
  );
  expect(await join(made.stdout.trim())).toBe(200);
  const sent = await team('invite', '--email', 'dan@example.com');
  expect(sent.stderr).toContain('It is on its way to dan@example.com.');
  expect((await smtp.nextMail('dan@example.com')).text).toContain(sent.stdout.trim());

  const { invites } = await shell.json(['pages', 'team', 'invites', 'board']);
  expect(invites).toMatchObject([
    { role: 'member', uses: 0, maxUses: 1, email: 'dan@example.com' },
    { role: 'viewer', uses: 1, maxUses: 2 },
  ]);
  expect((await team('revoke', invites[0].id)).stdout).toBe(`Revoked the invite ${invites[0].id}.\n`);
  expect(await join(sent.stdout.trim())).toBe(404);

  expect((await team('role', 'Bob', 'member')).stdout).toBe('Bob is now member.\n');
  const { members } = await shell.json(['pages', 'team', 'list', 'board']);
  expect(members).toMatchObject([
    { user: { username: 'ada' }, role: 'owner' },
    { user: { username: 'bob' }, role: 'member' },
  ]);
  expect((await team('remove', 'bob')).stdout).toBe('Removed bob from the team.\n');
  for (const [args, code, message] of [
    [['role', 'bob', 'member'], 4, 'bob is not in this team.'],
    [['role', 'ada', 'king'], 1, 'must be one of'],
    [['revoke', invites[0].id], 4, 'This invite was not found.'],
    [['invite', '--days', '0'], 2, '--days must be a whole number from 1.'],
    [['invite', '--days', '366'], 1, 'must be a whole number from 1 to 365'],
    [['invite', '--email', 'eve'], 1, 'email'],
  ] as Array<[string[], number, string]>) {
    const [command = '', ...rest] = args;
    const ended = await team(command, ...rest);
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(message)]);
  }
});
