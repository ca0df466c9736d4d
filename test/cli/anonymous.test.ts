import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** `quire pages push --anonymous`, without a login. */

let on: TestServer;
let off: TestServer;
let shell: Shell;
beforeAll(async () => {
  const settings = { QUIRE_LOG_LEVEL: 'silent' };
  [on, off] = await Promise.all([
    startServer({ settings: { ...settings, QUIRE_ANONYMOUS_PAGES: 'on' } }),
    startServer({ settings }),
  ]);
  shell = openShell({ QUIRE_URL: on.baseUrl });
  writeFileSync(join(shell.folder, 'note.html'), '<!doctype html><title>Note</title><p>Hello');
});
afterAll(async () => {
  await shell.stop();
  await Promise.all([on.stop(), off.stop()]);
});

const push = (path: string, ...more: string[]) => shell.run(['pages', 'push', path, '--anonymous', ...more]);

test('publishes a file without a login, and prints its address and its claim link, also with --quiet', async () => {
  for (const more of [[], ['--quiet']]) {
    const { code, stdout } = await push('note.html', ...more);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/created +http\S+\/p\/page-[0-9a-f]+\n/)]);
    expect(stdout).toMatch(/claim +http\S+\/claim\/\d+\?code=[\w-]+\n/);
  }
  expect(existsSync(join(shell.folder, '.quire.json'))).toBe(false);
  const made = await shell.json(['pages', 'push', 'note.html', '--anonymous']);
  expect(Object.keys(made).sort()).toEqual(['claim', 'expires_at', 'slug', 'url']);
});

test('says what to do where the server does not allow it, and what it cannot publish', async () => {
  const refused = await push('note.html', '--server', off.baseUrl);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(`quire login ${off.baseUrl}`)]);
  mkdirSync(join(shell.folder, 'site'));
  writeFileSync(join(shell.folder, 'site/index.html'), '<title>Site</title>');
  const folder = await push('site');
  expect([folder.code, folder.stderr]).toEqual([2, expect.stringContaining('one .html file')]);
  const key =
    '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n-----END PRIVATE KEY-----';
  writeFileSync(join(shell.folder, 'secret.html'), `<title>x</title><pre>${key}</pre>`);
  expect((await push('secret.html')).stderr).toContain('Nothing was sent');
});

test('without --anonymous, a push still needs a login', async () => {
  const { code, stderr } = await shell.run(['pages', 'push', 'note.html']);
  expect([code, stderr]).toEqual([3, expect.stringContaining('You are not logged in')]);
});
