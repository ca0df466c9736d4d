import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Ended, openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** A function that somebody else changed meanwhile is not overwritten: in a browser, or from another folder. */

let server: TestServer;
let ada: Account;
let shell: Shell;
beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent', QUIRE_DEPLOYS_PER_HOUR: '0' } });
  ada = await register(server, 'ada');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: ada.token });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

const says = (word: string) => `export default { fetch: () => new Response('${word}') };\n`;
function write(name: string, text: string): void {
  mkdirSync(dirname(join(shell.folder, name)), { recursive: true });
  writeFileSync(join(shell.folder, name), text);
}
const read = (name: string) => readFileSync(join(shell.folder, name), 'utf8');
const push = (...args: string[]) => shell.run(['functions', 'push', ...args, '--json']);

async function api(method: string, path: string, body?: object) {
  const answer = await call(server, method, path, { token: ada.token, ...(body && { body }) });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status}`);
  return answer.body;
}
/** What somebody does in a browser. */
const changeElsewhere = (slug: string, word: string) =>
  api('PATCH', `/api/functions/${slug}`, { code: says(word) });
const readCode = async (slug: string) => (await api('GET', `/api/functions/${slug}/code`)).code;

function expectConflict(ended: Ended, currentVersion: number): void {
  expect(ended).toMatchObject({ code: 5, stderr: expect.stringContaining('--force') });
  expect(ended.json()).toMatchObject({ code: 'CONFLICT', currentVersion });
}

test('a file does not overwrite a newer version, unless it is forced or pulled first', async () => {
  write('poll.js', says('one'));
  expect((await push('poll.js')).code).toBe(0);
  await changeElsewhere('poll', 'theirs');
  write('poll.js', says('mine'));
  expectConflict(await push('poll.js'), 2);
  // Neither is the refusal forgotten.
  expectConflict(await push('poll.js'), 2);
  expect(await readCode('poll')).toBe(says('theirs'));

  expect((await push('poll.js', '--force')).json()).toMatchObject({ action: 'updated', version: 3 });
  write('poll.js', says('mine again'));
  expect((await push('poll.js')).json()).toMatchObject({ action: 'updated', version: 4 });

  await changeElsewhere('poll', 'theirs again');
  await shell.json(['functions', 'pull', 'poll', 'poll.js', '--force']);
  write('poll.js', read('poll.js').replace('theirs', 'ours'));
  expect((await push('poll.js')).json()).toMatchObject({ action: 'updated', version: 6 });
  expect(await readCode('poll')).toBe(says('ours again'));
});

test('a function that was never pulled is not overwritten by a first push', async () => {
  await api('POST', '/api/functions', { slug: 'made-elsewhere', code: says('theirs') });
  write('made-elsewhere.js', says('mine'));
  const refused = await push('made-elsewhere.js');
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('--force') });
  expect(await readCode('made-elsewhere')).toBe(says('theirs'));

  // The same code is no conflict, and gives no right to change it.
  write('made-elsewhere.js', says('theirs'));
  expect((await push('made-elsewhere.js')).json()).toMatchObject({ action: 'unchanged' });
  write('made-elsewhere.js', says('mine'));
  expect((await push('made-elsewhere.js')).code).toBe(5);

  await shell.json(['functions', 'pull', 'made-elsewhere', 'made-elsewhere.js', '--force']);
  write('made-elsewhere.js', says('mine'));
  expect((await push('made-elsewhere.js')).code).toBe(0);
});

test('a restored version is not overwritten, and settings alone are no conflict', async () => {
  write('timer.js', says('one'));
  await push('timer.js');
  write('timer.js', says('two'));
  await push('timer.js');
  await shell.json(['functions', 'restore', 'timer', '1']);
  write('timer.js', says('three'));
  expectConflict(await push('timer.js'), 3);

  write('timer.js', says('one'));
  expect((await push('timer.js', '--private')).json()).toMatchObject({ action: 'updated', version: 3 });
  write('timer.js', says('three'));
  expect((await push('timer.js')).json()).toMatchObject({ action: 'updated', version: 4 });
});

test('of two folders that push at once, one wins and the other is told', async () => {
  write('race.js', says('zero'));
  await push('race.js');
  await shell.json(['functions', 'pull', 'race', 'other/race.js']);
  write('race.js', says('here'));
  write('other/race.js', says('there'));
  const ended = await Promise.all([push('race.js'), push('other/race.js')]);
  expect(ended.map(({ code }) => code).sort()).toEqual([0, 5]);
  expect((await api('GET', '/api/functions/race/code')).version).toBe(2);
});

test('a folder with a page changes neither the page nor its function if one of them is newer', async () => {
  write('site/index.html', '<p>one');
  write('site/page.json', '{ "slug": "site", "function": { "slug": "site-fn" } }');
  write('site/function.js', says('one'));
  const { page } = await shell.json(['pages', 'push', 'site']);
  const fetchHtml = async () => (await api('GET', `/api/pages/${page.id}`)).page.html_content;

  await changeElsewhere('site-fn', 'theirs');
  write('site/index.html', '<p>two');
  write('site/function.js', says('two'));
  for (const command of ['pages', 'functions'])
    expectConflict(await shell.run([command, 'push', 'site', '--json']), 2);
  expect([await fetchHtml(), await readCode('site-fn')]).toEqual(['<p>one', says('theirs')]);

  const dev = shell.start(['dev', 'site', '--live']);
  await dev.until(/function site-fn: .*version 2, not 1[\s\S]*--force[\s\S]*Watching/, 'stderr');
  await dev.interrupt();
  expect(await readCode('site-fn')).toBe(says('theirs'));

  expect((await shell.run(['pages', 'pull', 'site', 'site'])).code).toBe(5);
  await shell.json(['pages', 'pull', 'site', 'site', '--force']);
  expect(read('site/function.js')).toBe(says('theirs'));
  write('site/function.js', says('ours'));
  await shell.json(['pages', 'push', 'site']);
  expect(await readCode('site-fn')).toBe(says('ours'));

  await api('PATCH', `/api/pages/${page.id}`, { html_content: '<p>theirs' });
  write('site/index.html', '<p>three');
  write('site/function.js', says('three'));
  expectConflict(await shell.run(['pages', 'push', 'site', '--json']), 2);
  expect([await fetchHtml(), await readCode('site-fn')]).toEqual(['<p>theirs', says('ours')]);

  await shell.json(['pages', 'push', 'site', '--force']);
  expect([await fetchHtml(), await readCode('site-fn')]).toEqual(['<p>three', says('three')]);
});

test('a pulled function shares the database that it shared', async () => {
  await api('POST', '/api/functions', { slug: 'has-it', code: says('a'), enableDatabase: true });
  await api('POST', '/api/functions', { slug: 'a-user', code: says('b'), useDatabase: 'has-it' });
  const settings = async (slug: string) => {
    expect((await shell.run(['functions', 'pull', slug, slug])).code).toBe(0);
    return JSON.parse(read(`${slug}/function.json`));
  };
  expect(await settings('has-it')).toMatchObject({ slug: 'has-it', enableDatabase: true });
  const shared = await settings('a-user');
  expect(shared).toMatchObject({ slug: 'a-user', useDatabase: 'has-it' });
  expect(shared).not.toHaveProperty('enableDatabase');
  await api('DELETE', '/api/functions/a-user');
  // The folder has never deployed the other function, so it does not reach its database unasked.
  expect((await push('a-user')).code).not.toBe(0);
  expect((await push('a-user', '--force')).json()).toMatchObject({ action: 'created' });
  const { usedBy } = await api('GET', '/api/functions/has-it/database');
  expect(usedBy).toEqual(['a-user', 'has-it']);
});

test('a function is called as a visitor of its page', async () => {
  const code = `export default { fetch: ({ headers }) => Response.json(
    ['user-name', 'team-role', 'test'].map((name) => headers.get('x-quire-' + name))) };`;
  await api('POST', '/api/functions', { slug: 'teller', code });
  const callAs = (...args: string[]) => shell.run(['functions', 'call', 'teller', ...args, '--json']);
  const alone = await callAs('--as', 'owner');
  expect([alone.code, alone.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('belongs to a page'),
  ]);
  expect(alone.code).not.toBe(0);
  const html_content = '<!doctype html><title>Club</title>';
  await api('POST', '/api/pages', {
    name: 'Club',
    html_content,
    storage_mode: 'team_app',
    functions: ['teller'],
  });
  const told = async (as: string) => (await callAs('--as', as)).json().body;
  expect(await told('owner')).toEqual(['ada', 'owner', '1']);
  expect(await told('nobody')).toEqual([null, null, '1']);
  expect((await callAs('--as', 'stranger')).code).not.toBe(0);
  expect((await callAs('--as', 'owner', '--plain')).code).toBe(2);
});
