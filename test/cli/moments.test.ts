import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** The history of a page in a shell: `quire pages moments` and `restore`. */

let server: TestServer;
let owner: Account;
let shell: Shell;

beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  owner = await register(server, 'cli-moments');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: owner.token });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

test('keeps, lists and restores moments', async () => {
  const send = (method: string, path: string, body: object) =>
    call(server, method, path, { token: owner.token, body });
  const { id } = (await send('POST', '/api/pages', { name: 'Old', html_content: '<p>old</p>' })).body.page;
  const kept = await shell.run(['pages', 'moments', String(id), '--keep', 'Before', '--json']);
  const { at } = JSON.parse(kept.stdout);
  await send('PATCH', `/api/pages/${id}`, { name: 'New', html_content: '<p>new</p>' });
  const list = await shell.run(['pages', 'moments', String(id)]);
  expect(list.stdout).toContain(`${at}  Before`);
  const dry = await shell.run(['pages', 'restore', String(id), at, '--dry-run']);
  expect(dry.stdout + dry.stderr).toContain('Would change: version 3 of the page.');
  const back = await shell.run(['pages', 'restore', String(id), at]);
  expect(back.stdout + back.stderr).toContain(`Restored ${at}: version 3 of the page. Undo it with `);
  const { page } = (await call(server, 'GET', `/api/pages/${id}`, { token: owner.token })).body;
  expect(page.html_content).toBe('<p>old</p>');
  const wrong = await shell.run(['pages', 'restore', String(id), 'yesterday']);
  expect(wrong.stderr).toContain(
    'yesterday is neither a version number nor a time such as 2030-01-31T12:00:00Z.',
  );
});
