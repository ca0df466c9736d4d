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

test('restores the parts and collections that are named, and nothing else', async () => {
  const send = async (method: string, path: string, body?: object) =>
    (await call(server, method, path, { token: owner.token, ...(body && { body }) })).body;
  const fields = { name: 'Old', html_content: '<p>old</p>', storage_mode: 'team_app' };
  const { id } = (await send('POST', '/api/pages', fields)).page;
  const data = (collection: string) => `/api/pages/${id}/team-data/${collection}`;
  const records: Record<string, string> = {};
  for (const name of ['notes', 'tasks'])
    records[name] = `${data(name)}/${(await send('POST', data(name), { data: { text: 'old' } })).id}`;
  const { at } = await send('POST', `/api/pages/${id}/moments`, { name: 'Before' });
  await send('PATCH', `/api/pages/${id}`, { name: 'New', html_content: '<p>new</p>' });
  for (const path of Object.values(records)) await send('PATCH', path, { data: { text: 'new' } });
  const read = async () => [
    (await send('GET', `/api/pages/${id}`)).page.html_content,
    (await send('GET', records.notes ?? '')).data.text,
    (await send('GET', records.tasks ?? '')).data.text,
  ];
  const restore = (...options: string[]) => shell.run(['pages', 'restore', String(id), ...options]);

  const some = await restore(at, '--parts', 'records', '--collections', 'notes');
  expect(some.stdout + some.stderr).toContain(`Restored ${at}: 1 record. Undo it with `);
  expect(await read()).toEqual(['<p>new</p>', 'old', 'new']);
  const both = await restore(at, '--parts', 'page, records', '--json');
  expect(JSON.parse(both.stdout).changes).toMatchObject({ page_version: expect.any(Number), records: 1 });
  expect(await read()).toEqual(['<p>old</p>', 'old', 'old']);

  const refused: Array<[string[], string]> = [
    [
      [at, '--parts', 'page,files'],
      'There is no part files. The parts are page, functions, records, databases.',
    ],
    [[at, '--parts', 'page,'], '--parts has an empty name. Write names with commas between them.'],
    [
      [at, '--parts', 'page', '--collections', 'notes'],
      '--collections chooses among records: add records to --parts, or leave one of the two out.',
    ],
    [['1', '--parts', 'page'], '--parts needs a time: a version is restored as a whole.'],
    [['1', '--collections', 'notes'], '--collections needs a time: a version is restored as a whole.'],
    [['1', '--dry-run'], '--dry-run needs a time: a version is restored as a whole.'],
  ];
  for (const [options, message] of refused) {
    const { code, stderr } = await restore(...options);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
  expect(await read()).toEqual(['<p>old</p>', 'old', 'old']);
});
