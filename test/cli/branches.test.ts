import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** `quire pages branches`. */

let server: TestServer;
let owner: Account;
let shell: Shell;

beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  owner = await register(server, 'cli-branches');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: owner.token });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

test('makes, lists and deletes branches', async () => {
  const body = { name: 'Menu', html_content: '<p>menu</p>' };
  const { page } = (await call(server, 'POST', '/api/pages', { token: owner.token, body })).body;
  const branches = (...args: string[]) => shell.run(['pages', 'branches', ...args]);
  expect((await branches('list', page.slug)).stdout).toContain('This page has no branches.');
  const made = await branches('create', page.slug, 'winter', '--data', 'schema');
  expect(made.code).toBe(0);
  expect(made.stdout + made.stderr).toContain(`The branch winter is at ${server.baseUrl}/p/menu--winter.`);
  expect((await branches('list', page.slug)).stdout).toMatch(
    /winter +(ready|making) +schema .*\/p\/menu--winter/,
  );
  const listed = await shell.json(['pages', 'branches', 'list', page.slug]);
  expect(listed.branches).toMatchObject([{ name: 'winter', of: page.id, data: 'schema' }]);
  const wrong = await branches('create', page.slug, 'spring', '--data', 'some');
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('--data must be all, schema, masked.'),
  ]);
  expect((await branches('create', page.slug, 'winter')).stderr).toContain('has a branch winter already');
  expect((await branches('delete', page.slug, 'winter')).code).toBe(0);
  expect((await branches('delete', page.slug, 'winter')).stderr).toContain('This page has no branch winter.');
  const left = await call(server, 'GET', `/api/pages/${page.id}`, { token: owner.token });
  expect(left.body.page.html_content).toBe('<p>menu</p>');
});
