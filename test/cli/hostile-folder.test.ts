import { afterAll, beforeAll, expect, test } from 'bun:test';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** A folder can come from anyone. Pushing it must neither take over nor publish what the user has. */

let server: TestServer;
let ada: Account;
let shell: Shell;

beforeAll(async () => {
  server = await startServer({
    settings: { QUIRE_LOG_LEVEL: 'silent', QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' },
  });
  ada = await register(server, 'ada');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: ada.token });
  writeFileSync(
    join(shell.folder, 'payments.js'),
    "export default { fetch: () => new Response('the good one') }",
  );
  await shell.json(['functions', 'push', 'payments.js', '--database']);
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

function makeFolder(name: string, files: Record<string, string>): string {
  const folder = join(shell.folder, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

const pageJson = (settings: Record<string, unknown>) => JSON.stringify(settings);
const callFunction = async (slug: string) => (await call(server, 'POST', `/api/functions/${slug}`)).body;
const BAD = "export default { fetch: (_, env) => new Response('pwned ' + JSON.stringify(env)) }";

test('a folder does not replace a function that it never deployed', async () => {
  makeFolder('starter', {
    'index.html': '<!doctype html><title>Starter</title>',
    'page.json': pageJson({ name: 'Starter', function: { slug: 'payments' } }),
    'function.js': BAD,
    // What a folder says about itself proves nothing.
    '.quire.json': JSON.stringify({
      pages: [],
      functions: [{ server: server.baseUrl, slug: 'payments', seal: '0'.repeat(64) }],
    }),
  });
  for (const command of [
    ['pages', 'push'],
    ['functions', 'push'],
  ]) {
    const refused = await shell.run([...command, 'starter']);
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('--force') });
  }
  expect(await callFunction('payments')).toBe('the good one');
  expect((await shell.json(['pages', 'list', '--search', 'Starter'])).total).toBe(0);
  const dev = shell.start(['dev', 'starter', '--live']);
  await dev.until(/already have a function payments[\s\S]*Watching/, 'stderr');
  await dev.interrupt();
  expect(await callFunction('payments')).toBe('the good one');
});

test('a folder cannot use the database of another function', async () => {
  makeFolder('sharer', {
    'index.html': '<!doctype html><title>Sharer</title>',
    'page.json': pageJson({ function: { slug: 'sharer', useDatabase: 'payments' } }),
    'function.js': BAD,
  });
  const refused = await shell.run(['pages', 'push', 'sharer']);
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('database of your function') });
  expect((await shell.run(['pages', 'push', 'sharer', '--force'])).code).toBe(0);
});

test('a folder can change what it deployed, and what --force once allowed', async () => {
  const files = {
    'index.html': '<!doctype html><title>Own</title>',
    'page.json': pageJson({ function: { slug: 'own' } }),
  };
  for (const word of ['one', 'two']) {
    makeFolder('own', { ...files, 'function.js': `export default { fetch: () => new Response('${word}') }` });
    expect((await shell.run(['pages', 'push', 'own'])).code).toBe(0);
    expect(await callFunction('own')).toBe(word);
  }
  makeFolder('heir', { ...files, 'function.js': "export default { fetch: () => new Response('three') }" });
  expect((await shell.run(['pages', 'push', 'heir'])).code).toBe(5);
  expect((await shell.run(['functions', 'push', 'heir', '--force'])).code).toBe(0);
  makeFolder('heir', { 'function.js': "export default { fetch: () => new Response('four') }" });
  expect((await shell.run(['functions', 'push', 'heir'])).code).toBe(0);
  expect(await callFunction('own')).toBe('four');
});

test('a .quire.json from someone else leads to no page', async () => {
  makeFolder('.', { 'important.html': '<!doctype html><title>Important</title>important' });
  const { page } = await shell.json(['pages', 'push', 'important.html']);
  const forged = JSON.stringify({
    pages: [{ server: server.baseUrl, file: 'index.html', page_id: page.id, version: 1 }],
  });
  const html = '<!doctype html><title>Hacked</title>hacked';
  makeFolder('guide', { 'index.html': html, 'page.json': '{}', '.quire.json': forged });
  makeFolder('named', { 'index.html': html, 'page.json': '{"slug":"important"}', '.quire.json': forged });
  for (const folder of ['guide', 'named']) expect((await shell.run(['pages', 'push', folder])).code).toBe(5);
  const forced = await shell.json(['pages', 'push', 'guide', '--force']);
  expect(forced).toMatchObject({ action: 'created', page: { slug: 'hacked' } });
  // The same document is not enough, because settings and spec would change.
  makeFolder('same', {
    'index.html': '<!doctype html><title>Important</title>important',
    'page.json': '{"slug":"important","is_published":false}',
  });
  expect((await shell.run(['pages', 'push', 'same'])).code).toBe(5);
  expect(await (await fetch(page.url)).text()).toContain('important');
});

test('a .quire.json that is nonsense or leads elsewhere touches nothing outside the folder', async () => {
  makeFolder('.', { 'list.html': '<!doctype html><title>List</title>' });
  const { page } = await shell.json(['pages', 'push', 'list.html']);
  const precious = join(shell.home, 'kept.txt');
  writeFileSync(precious, 'kept');
  const outside = Object.fromEntries(
    ['../../home/kept.txt', precious, '..', ''].map((path) => [
      path,
      new Bun.SHA256().update('kept').digest('hex'),
    ]),
  );
  const entry = { server: server.baseUrl, version: 1, files: outside };
  const known = JSON.parse(readFileSync(join(shell.folder, '.quire.json'), 'utf8'));
  const { seal } = known.pages.find((each: { file: string }) => each.file === 'list.html');
  const texts = [
    '[]',
    '{',
    'null',
    '{"pages":{}}',
    JSON.stringify({ pages: [{ ...entry, file: 'index.html', page_id: -1 }] }),
    JSON.stringify({
      pages: [{ ...entry, file: '../../x', page_id: 1e15 }],
      functions: [{ ...entry, slug: '../..' }],
    }),
    // Even with the right seal, paths outside the folder mean nothing.
    JSON.stringify({ pages: [{ ...entry, seal, file: 'index.html', page_id: page.id }] }),
  ];
  for (const [index, text] of texts.entries()) {
    const folder = makeFolder(`nonsense-${index}`, {
      'index.html': '<!doctype html><title>List</title>',
      '.quire.json': text,
    });
    for (const args of [
      ['diff', folder],
      ['pages', 'pull', String(page.id), folder, '--force'],
    ]) {
      const { code, stderr } = await shell.run(args);
      expect([code, stderr]).not.toContainEqual(expect.stringMatching(/^\s+at /m));
    }
    expect(readFileSync(precious, 'utf8')).toBe('kept');
  }
  const folder = makeFolder('linked-memory', { 'index.html': '<!doctype html><title>Linked memory</title>' });
  symlinkSync(precious, join(folder, '.quire.json'));
  const refused = await shell.run(['pages', 'push', folder]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('links outside its folder') });
  expect(readFileSync(precious, 'utf8')).toBe('kept');
});

test.each(['index.html', 'page.json', 'agent-spec.md', 'function.js', 'data/notes.ndjson'])(
  'a link at %s that leads out of the folder is not followed',
  async (name) => {
    const secret = join(shell.home, 'secret.json');
    writeFileSync(secret, '{"token":"qr_very_secret"}');
    const folder = makeFolder(`linked-${name.replace(/\W/g, '-')}`, {
      'index.html': '<!doctype html><title>Linked</title>',
      'page.json': pageJson({ storage_mode: 'social_app', function: { slug: 'linked' } }),
      'function.js': BAD,
      'data/other.ndjson': '{"a":1}',
    });
    Bun.spawnSync(['ln', '-sf', secret, join(folder, name)]);
    const { code, stdout, stderr } = await shell.run(['pages', 'push', folder, '--data']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('links outside its folder'),
    });
    expect(stdout + stderr).not.toContain('qr_very_secret');
  },
);

test('a link within the folder is read like a file', async () => {
  const folder = makeFolder('within', { 'real.html': '<!doctype html><title>Within</title>' });
  symlinkSync('real.html', join(folder, 'index.html'));
  expect((await shell.run(['pages', 'push', 'within'])).code).toBe(0);
});

test('files replace links and are not written through them', async () => {
  makeFolder('.', { 'wall.html': '<!doctype html><title>Wall</title>' });
  await shell.json(['pages', 'push', 'wall.html', '--storage-mode', 'social_app']);
  const precious = join(shell.home, 'precious.txt');
  writeFileSync(precious, 'precious');
  const folder = makeFolder('trap', { 'keep.txt': '' });
  for (const name of ['index.html.new', '.quire.json.new', 'out.ndjson', 'out.ndjson.new', 'payments.js'])
    symlinkSync(precious, join(folder, name));
  symlinkSync(join(shell.home), join(folder, 'data'));
  expect((await shell.run(['pages', 'pull', 'wall', folder])).code).toBe(0);
  expect((await shell.run(['data', 'export', 'wall', '--out', join(folder, 'out.ndjson')])).code).toBe(0);
  const pull = ['functions', 'pull', 'payments', join(folder, 'payments.js'), '--force'];
  expect((await shell.run(pull)).code).toBe(0);
  expect((await shell.run(['pages', 'pull', 'wall', folder, '--data'])).code).toBe(1);
  expect(readFileSync(precious, 'utf8')).toBe('precious');
  expect(lstatSync(join(folder, 'out.ndjson')).isSymbolicLink()).toBe(false);
  expect(readFileSync(join(folder, 'payments.js'), 'utf8')).toContain('the good one');
  expect(readdirSync(folder).filter((name) => /[0-9a-f]{16}\.new$/.test(name))).toEqual([]);
});
