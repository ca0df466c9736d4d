import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { type DnsServer, startDns } from '../support/pages/dns.ts';
import { startServer, type TestServer } from '../support/server.ts';

const SETTINGS = { QUIRE_LOG_LEVEL: 'silent', QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' };
const EXAMPLES = join(import.meta.dir, '../../examples');

let dns: DnsServer;
let here: TestServer;
let there: TestServer;
let ada: Account;
let eve: Account;
let shell: Shell;
let elsewhere: Record<string, string>;

beforeAll(async () => {
  dns = await startDns();
  [here, there] = await Promise.all([
    startServer({ settings: { ...SETTINGS, QUIRE_DNS_SERVERS: dns.address } }),
    startServer({ settings: SETTINGS }),
  ]);
  ada = await register(here, 'ada');
  eve = await register(here, 'eve');
  const zoe = await register(there, 'zoe');
  shell = openShell({ QUIRE_URL: here.baseUrl, QUIRE_TOKEN: ada.token });
  elsewhere = { QUIRE_URL: there.baseUrl, QUIRE_TOKEN: zoe.token };
});
afterAll(async () => {
  await shell.stop();
  await Promise.all([here.stop(), there.stop()]);
  await dns.stop();
});

const api = async (path: string, method = 'GET', body?: unknown) =>
  (await call(here, method, path, { token: ada.token, ...(body !== undefined && { body }) })).body;

/** Writes the folder of a page and returns its path. */
function makeFolder(name: string, files: Record<string, string>): string {
  const folder = join(shell.folder, name);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

test('lists the earlier addresses of a page, and gives one up', async () => {
  const { page } = await api('/api/pages', 'POST', { name: 'Was here', html_content: '<p>Hi' });
  const slugs = (...args: string[]) => shell.run(['pages', 'slugs', ...args]);
  expect((await slugs('list', 'was-here')).stdout).toContain('This page has had no other address.');
  await api(`/api/pages/${page.id}`, 'PATCH', { slug: 'is-there' });
  expect((await slugs('list', 'is-there')).stdout).toMatch(/\/p\/was-here +\d{4}-\d\d-\d\d/);
  const released = await slugs('release', 'is-there', 'was-here');
  expect([released.code, released.stdout]).toEqual([
    0,
    expect.stringContaining('/p/was-here no longer leads'),
  ]);
  expect((await slugs('release', 'is-there', 'was-here')).code).toBe(4);
});

test('adds, verifies, lists and removes the domains of a page', async () => {
  const { page } = await api('/api/pages', 'POST', { name: 'Shop', html_content: '<p>Shop' });
  const domains = (...args: string[]) => shell.run(['pages', 'domains', ...args]);
  expect((await domains('list', 'shop')).stdout).toContain('This page has no domains.');
  const added = await domains('add', 'shop', 'bücher.example');
  expect(added.stdout).toContain('xn--bcher-kva.example (bücher.example) is pending.');
  expect(added.stdout).toMatch(/TXT +_quire\.xn--bcher-kva\.example +quire-verification=/);
  expect(added.stderr).toContain('quire pages domains verify shop xn--bcher-kva.example');

  const early = await domains('verify', 'shop', 'bücher.example');
  expect([early.code, early.stdout]).toEqual([1, expect.stringContaining('There is no TXT record at')]);
  const [{ dns: records }] = (await shell.json(['pages', 'domains', 'list', String(page.id)])).domains;
  dns.set(records[0].name, { txt: [records[0].value] });
  const verified = await domains('verify', 'shop', 'xn--bcher-kva.example');
  expect([verified.code, verified.stdout.trim()]).toEqual([
    0,
    'xn--bcher-kva.example (bücher.example) is verified.',
  ]);
  expect((await domains('list', 'shop')).stdout).toContain('main address');
  expect((await domains('remove', 'shop', 'bücher.example')).code).toBe(0);
  expect((await domains('remove', 'shop', 'bücher.example')).code).not.toBe(0);
});

test('pushes a folder as a page, and creates no new version the second time', async () => {
  makeFolder('first', { 'index.html': '<!doctype html><title>First &amp; best</title><h1>One</h1>' });
  const created = await shell.json(['pages', 'push', 'first']);
  expect(created).toEqual({
    warnings: [],
    left: [],
    action: 'created',
    page: { id: expect.any(Number), slug: 'first-best', url: `${here.baseUrl}/p/first-best`, version: 1 },
  });
  expect((await fetch(created.page.url)).status).toBe(200);
  expect(await shell.json(['pages', 'push', 'first'])).toMatchObject({
    action: 'unchanged',
    page: { version: 1 },
  });

  makeFolder('first', { 'index.html': '<!doctype html><title>First</title><h1>Two</h1>' });
  expect(await shell.json(['pages', 'push', 'first'])).toMatchObject({
    action: 'updated',
    page: { version: 2 },
  });
  const { page, versionCount } = await api(`/api/pages/${created.page.id}`);
  // The title becomes the name only the first time.
  expect(page.name).toBe('First & best');
  expect({ versionCount, html: page.html_content }).toEqual({
    versionCount: 2,
    html: expect.stringContaining('Two'),
  });
});

test('exports a page without data', async () => {
  expect(await shell.json(['pages', 'pull', 'first-best', 'plain', '--data'])).toMatchObject({ data: [] });
  expect(await shell.json(['pages', 'push', 'plain', '--data'])).toMatchObject({
    action: 'unchanged',
    data: [],
  });
});

test('a newer version by someone else is a conflict, and is lost neither by it nor by --force', async () => {
  const folder = makeFolder('shared', { 'index.html': '<!doctype html><p>mine' });
  const { page } = await shell.json(['pages', 'push', folder]);
  await api(`/api/pages/${page.id}`, 'PATCH', { html_content: '<!doctype html><p>theirs' });
  makeFolder('shared', { 'index.html': '<!doctype html><p>mine again' });

  const refused = await shell.run(['pages', 'push', folder, '--json']);
  expect(refused.code).toBe(5);
  expect(refused.json()).toMatchObject({ code: 'CONFLICT', currentVersion: 2 });
  expect(refused.stderr).toContain('--force');
  expect((await api(`/api/pages/${page.id}`)).page.html_content).toContain('theirs');

  // Local files are not overwritten either.
  const pull = await shell.run(['pages', 'pull', String(page.id), folder]);
  expect(pull).toMatchObject({ code: 5, stderr: expect.stringContaining('index.html') });
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain('mine again');

  expect(await shell.json(['pages', 'push', folder, '--force'])).toMatchObject({ page: { version: 3 } });
  const { versions } = await shell.json(['pages', 'versions', String(page.id)]);
  expect(versions.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
  const restored = await shell.json(['pages', 'restore', page.slug, '2']);
  expect(restored).toMatchObject({ id: page.id, version: 4 });
  // Files that were pushed and not changed since can be overwritten.
  expect((await shell.run(['pages', 'pull', page.slug, folder])).code).toBe(0);
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain('theirs');
  expect(await shell.json(['pages', 'push', folder])).toMatchObject({
    action: 'unchanged',
    page: { version: 4 },
  });
});

test('a page that is pulled here and pushed elsewhere is the same there, with its data and its function', async () => {
  const original = join(EXAMPLES, 'team-board');
  const [html, settings] = ['index.html', 'page.json'].map((file) =>
    readFileSync(join(original, file), 'utf8'),
  );
  const code = "export default { fetch: () => new Response('Hi') }";
  const wanted = {
    ...JSON.parse(settings ?? ''),
    slug: 'our-board',
    is_unlisted: true,
    features: { page_api_ai_enabled: true, page_api_spawn_enabled: true },
    agent_functions: [
      { slug: 'board-helper', description: 'Helps', inputSchema: { type: 'object', required: ['a'] } },
    ],
    function: { slug: 'board-helper', displayName: 'Helper', isPublic: true, enableDatabase: true },
  };
  makeFolder('board', { 'index.html': html ?? '', 'page.json': JSON.stringify(wanted), 'function.js': code });
  const { page } = await shell.json(['pages', 'push', 'board']);
  expect(page.slug).toBe('our-board');
  const cards = [1, 2, 3].map((position) => ({ title: `Card ${position} \u2028`, column: 'todo', position }));
  writeFileSync(join(shell.folder, 'cards.ndjson'), cards.map((card) => JSON.stringify(card)).join('\n'));
  await shell.json(['data', 'import', 'our-board', 'cards', 'cards.ndjson']);

  const pulled = await shell.json(['pages', 'pull', 'our-board', 'copy', '--data']);
  const own = ['function.json', 'function.js'].map((name) => `functions/board-helper/${name}`);
  expect(pulled.files).toEqual(['index.html', 'page.json', 'agent-spec.md', ...own]);
  expect(pulled.data).toEqual([{ collection: 'cards', records: 3 }]);
  const pushed = await shell.json(['pages', 'push', 'copy', '--data'], { env: elsewhere });
  expect(pushed).toMatchObject({
    action: 'created',
    page: { slug: 'our-board' },
    functions: [{ action: 'created' }],
  });
  const again = await shell.json(['pages', 'pull', 'our-board', 'again', '--data'], { env: elsewhere });
  expect(again.files).toEqual(pulled.files);
  for (const file of pulled.files) {
    expect(readFileSync(join(shell.folder, 'again', file), 'utf8')).toBe(
      readFileSync(join(shell.folder, 'copy', file), 'utf8'),
    );
  }
  const readData = (folder: string) =>
    readFileSync(join(shell.folder, folder, 'data/cards.ndjson'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).data);
  expect(readData('copy')).toEqual(cards);
  expect(readData('again')).toEqual(cards);
  expect((await shell.json(['pages', 'push', 'copy'], { env: elsewhere })).action).toBe('unchanged');
  // Otherwise there would be two of each record.
  expect((await shell.run(['pages', 'push', 'copy', '--data'], { env: elsewhere })).code).toBe(5);
  const spec = await fetch(`${there.baseUrl}/api/pages/our-board/agent-spec`).then((response) =>
    response.text(),
  );
  expect(spec).toContain(`/api/pages/${pushed.page.id}/team-data/cards`);
});

test('a page is published only when all of it is uploaded', async () => {
  const settings = {
    name: 'Half',
    storage_mode: 'social_app',
    schemas: { entries: { fields: { x: { type: 'wrong' } } } },
  };
  makeFolder('half', { 'index.html': '<p>half', 'page.json': JSON.stringify(settings) });
  expect((await shell.run(['pages', 'push', 'half'])).code).toBe(1);
  expect((await fetch(`${here.baseUrl}/p/half`)).status).toBe(404);
  makeFolder('half', {
    'page.json': JSON.stringify({ ...settings, schemas: { entries: { fields: { x: { type: 'string' } } } } }),
  });
  expect((await shell.run(['pages', 'push', 'half'])).code).toBe(0);
  expect((await fetch(`${here.baseUrl}/p/half`)).status).toBe(200);
  expect((await shell.json(['pages', 'list', '--search', 'Half'])).total).toBe(1);
});

test('pushes drafts, single files and options', async () => {
  makeFolder('.', { 'note.html': '<!doctype html><p>A note' });
  const args = [
    'pages',
    'push',
    'note.html',
    '--name',
    'A note',
    '--slug',
    'a-note-of-mine',
    '--draft',
    '--storage-mode',
    'solo_app',
  ];
  const { page } = await shell.json(args);
  expect(page.slug).toBe('a-note-of-mine');
  expect((await fetch(page.url)).status).toBe(404);
  const { pages } = await shell.json(['pages', 'list', '--search', 'A note']);
  expect(pages).toMatchObject([{ slug: 'a-note-of-mine', is_published: false, storage_mode: 'solo_app' }]);
  const table = (await shell.run(['pages', 'list'])).stdout;
  expect(table).toMatch(/a-note-of-mine +A note +solo_app +draft/);
  expect(await shell.json(['pages', 'open', 'a-note-of-mine'])).toEqual({ url: page.url, opened: false });
  expect((await shell.run(['pages', 'push', 'note.html', '--quiet', '--name', 'Another'])).stdout).toBe('');
  expect((await shell.run(['pages', 'delete', page.slug])).code).toBe(2);
  expect(await shell.json(['pages', 'delete', page.slug, '--yes'])).toEqual({ deleted: page.id });
  const gone = await shell.run(['pages', 'push', 'note.html']);
  expect(gone).toMatchObject({ code: 4, stderr: expect.stringContaining('.quire.json') });
});

test('what is missing, someone else’s or taken has its exit code', async () => {
  expect((await shell.run(['pages', 'push', 'nowhere'])).code).toBe(4);
  expect((await shell.run(['pages', 'pull', 'no-such-page'])).code).toBe(4);
  expect((await shell.run(['pages', 'open', '999999'])).code).toBe(4);
  expect((await shell.run(['pages', 'restore', 'first-best', 'x'])).code).toBe(2);
  expect((await shell.run(['pages', 'restore', 'first-best', '99'])).code).toBe(4);
  const { body } = await call(here, 'POST', '/api/pages', {
    token: eve.token,
    body: { name: 'Of Eve', html_content: '<p>eve' },
  });
  expect((await shell.run(['pages', 'delete', String(body.page.id), '--yes'])).code).toBe(3);
  makeFolder('taken', { 'index.html': '<p>mine' });
  const taken = await shell.run(['pages', 'push', 'taken', '--slug', 'of-eve']);
  expect(taken).toMatchObject({ code: 5, stderr: expect.stringContaining('of-eve is already used') });
  // A page of the user that this folder does not know is not overwritten without asking.
  makeFolder('mine', { 'index.html': '<p>mine', 'page.json': '{ "name": "M", "slug": "mine-alone" }' });
  await shell.json(['pages', 'push', 'mine']);
  makeFolder('clone', { 'index.html': '<p>other', 'page.json': '{ "name": "M", "slug": "mine-alone" }' });
  expect((await shell.run(['pages', 'push', 'clone'])).code).toBe(5);
  expect((await shell.run(['pages', 'push', 'clone', '--force'])).code).toBe(0);
});

test.each([
  ['{\n  "name": "x",\n}\n', 'page.json:3:1: expected a name in double quotes, found }\n3 | }\n    ^'],
  ['{\n  "name": oops }', 'page.json:2:11: expected a value, found o\n2 |   "name": oops }\n              ^'],
  ['{\n  "nmae": "x"\n}', 'page.json:2:3: nmae is not a known field\n2 |   "nmae": "x"\n      ^'],
  [
    '{\n  "features": { "page_api_ai_enabled": "yes" } }',
    'page.json:2:17: features.page_api_ai_enabled must be true or false',
  ],
  ['{', 'page.json:1:1: expected a name in double quotes, found the end of the text'],
])('shows an error in page.json at its line: %j', async (text, message) => {
  makeFolder('faulty', { 'index.html': '<p>x', 'page.json': text });
  const { code, stderr } = await shell.run(['pages', 'push', 'faulty']);
  expect(code).toBe(1);
  expect(stderr).toContain(message);
});

test('checks a page, prints what happens, and saves a picture', async () => {
  makeFolder('checked', {
    'index.html': '<!doctype html>\n<title>Checked</title>\n<script>console.info("hi");\nboom()</script>',
  });
  await shell.json(['pages', 'push', 'checked']);
  const { code, stdout } = await shell.run(['pages', 'check', 'checked', '--screenshot', 'checked.png']);
  expect(code).toBe(1);
  expect(stdout).toContain('info: hi (line 3)');
  expect(stdout).toContain('ReferenceError: boom is not defined (line 4)');
  expect(readFileSync(join(shell.folder, 'checked.png')).subarray(1, 4).toString()).toBe('PNG');
  const wrong = await shell.run(['pages', 'check', 'checked', '--viewport', 'watch']);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('--viewport must be desktop or phone.'),
  ]);
});
