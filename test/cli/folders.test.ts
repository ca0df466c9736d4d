import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createApi, type StreamedBody } from '../../cli/client/api.ts';
import { uploadFiles } from '../../cli/pages/files/upload.ts';
import { fileEndpoints } from '../../contract/pages/files/file-endpoints.ts';
import { MAX_PAGE_FILE_BYTES, MAX_PAGE_FILES } from '../../contract/rules/limits.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Pages with files: a whole folder is pushed and pulled. */

let server: TestServer;
let ada: Account;
let shell: Shell;

beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  ada = await register(server, 'ada');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: ada.token });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

function makeFolder(name: string, files: Record<string, string | Uint8Array>): string {
  const folder = join(shell.folder, name);
  for (const [file, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), contents);
  }
  return folder;
}

const HTML =
  '<!doctype html><title>Site</title><img src="img/logo.png"><link rel="stylesheet" href="style.css">';
const LOGO = new Uint8Array([137, 80, 78, 71, 0, 255, 13, 10, 45, 45]);
const fetchFiles = async (id: number): Promise<Array<{ path: string; hash: string }>> =>
  (await call(server, 'GET', `/api/pages/${id}/files`, { token: ada.token })).body.files;
const fetchPaths = async (id: number) => (await fetchFiles(id)).map(({ path }) => path);
const read = (folder: string, name: string) => readFileSync(join(shell.folder, folder, name), 'utf8');

test('sends a whole folder, then only what changed, as one version', async () => {
  const folder = makeFolder('site', {
    'index.html': HTML,
    'style.css': 'p {}',
    'img/logo.png': LOGO,
    'about/index.html': '<p>about',
    'fonts/a b "c" %22 é.woff2': 'font',
    'empty.txt': '',
    'data/cities.json': '[]',
    // Not sent.
    '.env': 'SECRET=1',
    '.git/config': 'x',
    'node_modules/a/index.js': 'x',
    'img/.DS_Store': 'x',
    'style.css~': 'x',
    'draft/one.txt': 'x',
    'notes.txt': 'x',
    '.quireignore': '# mine\n/draft/\n*.txt\n!empty.txt\n',
  });
  const made = await shell.json(['pages', 'push', 'site']);
  expect(made).toMatchObject({ action: 'created', warnings: [], files: { total: 6, sent: 6, removed: 0 } });
  expect(made.left).toEqual([
    { path: '.env', why: 'starts with a dot' },
    { path: '.git/', why: 'starts with a dot' },
    { path: 'draft/', why: 'in .quireignore' },
    { path: 'img/.DS_Store', why: 'starts with a dot' },
    { path: 'node_modules/', why: 'packages' },
    { path: 'notes.txt', why: 'in .quireignore' },
    { path: 'style.css~', why: 'backup' },
  ]);
  expect(await fetchPaths(made.page.id)).toEqual([
    'about/index.html',
    'data/cities.json',
    'empty.txt',
    'fonts/a b "c" %22 é.woff2',
    'img/logo.png',
    'style.css',
  ]);
  const logo = await fetch(`${made.page.url}/img/logo.png`);
  expect(new Uint8Array(await logo.arrayBuffer())).toEqual(LOGO);
  expect(await shell.json(['pages', 'push', 'site'])).toMatchObject({
    action: 'unchanged',
    page: { version: made.page.version },
    files: { sent: 0 },
  });

  // A moved file is not sent again.
  makeFolder('site', { 'index.html': `${HTML}<p>2`, 'style.css': 'p { color: red }', 'img/mark.png': LOGO });
  rmSync(join(folder, 'img/logo.png'));
  const { stdout, stderr } = await shell.run(['pages', 'push', 'site']);
  expect(stderr).toContain(
    'Not sent: .env, .git/, img/.DS_Store (starts with a dot); draft/, notes.txt (in .quireignore); node_modules/ (packages); style.css~ (backup)\n',
  );
  expect(stdout).toContain(`(version ${made.page.version + 1})`);
  expect(stdout).toContain('1 of 6 files sent (1 KB), 1 removed');
  expect(await fetchPaths(made.page.id)).toContain('img/mark.png');
});

test('a folder comes back as it was, and local changes are not lost', async () => {
  const { page } = await shell.json(['pages', 'push', 'site']);
  const pulled = await shell.json(['pages', 'pull', String(page.id), 'copy']);
  expect(pulled.files).toContain('fonts/a b "c" %22 é.woff2');
  expect(readFileSync(join(shell.folder, 'copy/img/mark.png'))).toEqual(Buffer.from(LOGO));
  expect(await shell.json(['pages', 'push', 'copy'])).toMatchObject({ action: 'unchanged' });

  // Someone else removes a file, turns one into a folder, and changes one.
  rmSync(join(shell.folder, 'site/about'), { recursive: true });
  rmSync(join(shell.folder, 'site/empty.txt'));
  makeFolder('site', { 'style.css': 'theirs', 'empty.txt/in.css': 'x' });
  await shell.json(['pages', 'push', 'site']);
  makeFolder('copy', { 'style.css': 'mine', 'own.css': 'not on the server' });
  const refused = await shell.run(['pages', 'pull', String(page.id), 'copy']);
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain('Your changes to style.css in ');
  expect([read('copy', 'style.css'), existsSync(join(shell.folder, 'copy/about'))]).toEqual(['mine', true]);
  expect((await shell.run(['pages', 'push', 'copy'])).code).toBe(5);

  const forced = await shell.json(['pages', 'pull', String(page.id), 'copy', '--force']);
  expect(forced.removed.sort()).toEqual(['about/index.html', 'empty.txt']);
  expect([read('copy', 'style.css'), read('copy', 'empty.txt/in.css')]).toEqual(['theirs', 'x']);
  expect(read('copy', 'own.css')).toBe('not on the server');
  expect(existsSync(join(shell.folder, 'copy/about'))).toBe(false);
});

test('says what cannot be sent and what to do, and sends nothing', async () => {
  const many = Object.fromEntries(
    Array.from({ length: MAX_PAGE_FILES + 1 }, (_, n) => [`many/${n}.txt`, 'x']),
  );
  const cases: Array<[name: string, files: Record<string, string>, said: string]> = [
    ['reserved', { 'api/pages/x.js': '' }, 'api/pages/x.js must not begin with api/pages/'],
    ['backslash', { 'a\\b.txt': '' }, 'must not contain a backslash'],
    ['case', { 'A.txt': '', 'a.txt': '' }, 'differs from A.txt only in upper and lower case'],
    ['own', { 'Page.json': '{}' }, 'differs from page.json only in upper and lower case'],
    ['forms', { '\u00e9.txt': '1', 'e\u0301.txt': '2' }, 'is there twice'],
    ['many', many, '2,001 files, 2,001 of them in many/. A page can have 2,000 files.'],
  ];
  for (const [name, files, said] of cases) {
    makeFolder(name, { 'index.html': HTML, ...files });
    const { code, stderr } = await shell.run(['pages', 'push', name]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(said) });
    expect(stderr).toContain('.quireignore');
    expect(stderr).toContain('Nothing was sent.');
  }
  const large = makeFolder('large', { 'index.html': HTML, 'film.mp4': '' });
  truncateSync(join(large, 'film.mp4'), MAX_PAGE_FILE_BYTES + 1);
  expect((await shell.run(['pages', 'push', 'large'])).stderr).toContain('film.mp4 has 25.0 MB');
  expect((await shell.json(['pages', 'list'])).total).toBe(1);
  // At the limits it works.
  truncateSync(join(large, 'film.mp4'), MAX_PAGE_FILE_BYTES);
  expect(await shell.json(['pages', 'push', 'large'])).toMatchObject({ files: { total: 1, sent: 1 } });
  rmSync(join(shell.folder, 'many/many/0.txt'));
  expect(await shell.json(['pages', 'push', 'many'])).toMatchObject({ files: { total: MAX_PAGE_FILES } });
});

test('names of macOS, which are written in two characters, are one file here and there', async () => {
  makeFolder('accents', { 'index.html': HTML, 'cafe\u0301.txt': 'one' });
  const { page } = await shell.json(['pages', 'push', 'accents']);
  expect(await fetchPaths(page.id)).toEqual(['caf\u00e9.txt']);
  expect((await fetch(`${page.url}/caf%C3%A9.txt`)).status).toBe(200);
  await call(server, 'PUT', `/api/pages/${page.id}/files/caf%C3%A9.txt`, {
    token: ada.token,
    body: 'two',
    headers: { 'content-type': 'text/plain' },
  });
  await shell.json(['pages', 'pull', String(page.id), 'accents']);
  expect(await shell.json(['pages', 'push', 'accents'])).toMatchObject({
    action: 'unchanged',
    files: { total: 1 },
  });
});

test('links lead neither out of the folder nor to what is not sent', async () => {
  const secret = join(shell.home, 'secret.txt');
  writeFileSync(secret, 'qr_very_secret');
  const targets: Array<[target: string, said: string]> = [
    [secret, 'links outside its folder'],
    ['.env', 'links to a file that is not sent'],
    ['sub', 'links to a folder'],
    ['nowhere', 'links to a file that does not exist'],
  ];
  for (const [index, [target, said]] of targets.entries()) {
    const folder = makeFolder(`links-${index}`, { 'index.html': HTML, '.env': 'SECRET', 'sub/a.txt': 'a' });
    symlinkSync(target, join(folder, 'link.txt'));
    const { code, stderr } = await shell.run(['pages', 'push', folder]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`link.txt ${said}`) });
  }
  const folder = makeFolder('links-index', { '.env': 'SECRET' });
  symlinkSync('.env', join(folder, 'index.html'));
  const { stderr } = await shell.run(['pages', 'push', folder]);
  expect(stderr).toContain('index.html links to a file that is not sent');
  Bun.spawnSync(['mkfifo', join(shell.folder, 'links-3/pipe')]);
  rmSync(join(shell.folder, 'links-3/link.txt'));
  expect((await shell.run(['pages', 'push', 'links-3'])).stderr).toContain('pipe is not a file');
});

test('a first push that fails leaves a draft, and the next one finishes it', async () => {
  makeFolder('halfway', {
    'index.html': HTML,
    'a.txt': 'a',
    'page.json': '{ "name": "Halfway", "slug": "x" }',
  });
  // The service refuses a slug of one letter, after the page exists.
  const failed = await shell.run(['pages', 'push', 'halfway']);
  expect(failed.code).not.toBe(0);
  expect(failed.stderr).toContain('draft that visitors cannot see. Push again');
  expect((await fetch(`${server.baseUrl}/p/halfway`)).status).toBe(404);
  makeFolder('halfway', { 'page.json': '{ "name": "Halfway" }' });
  const done = await shell.json(['pages', 'push', 'halfway']);
  expect(done).toMatchObject({ page: { slug: 'halfway' }, files: { sent: 1 } });
  expect((await fetch(`${done.page.url}/a.txt`)).status).toBe(200);
  expect((await shell.json(['pages', 'list', '--search', 'Halfway'])).total).toBe(1);
});

test('a file that changes while it is sent changes nothing', async () => {
  const { page } = await shell.json(['pages', 'push', 'site']);
  const before = await fetchFiles(page.id);
  const file = join(makeFolder('changing', { 'a.txt': 'after' }), 'a.txt');
  const hash = new Bun.CryptoHasher('sha256').update('before').digest('hex');
  const api = createApi(server.baseUrl, ada.token);
  for (const size of [5, 3, 9]) {
    const change = { keep: {}, send: [{ path: 'a.txt', file, size, hash }], removed: [] };
    const send = (stream: StreamedBody) =>
      api.call(fileEndpoints.replacePageFiles, {
        params: { id: page.id },
        query: { base_version: page.version },
        stream,
      });
    const sent = uploadFiles({ html: '<p>new', change, send }, undefined);
    await expect(sent).rejects.toThrow('a.txt changed while it was sent');
  }
  expect(await fetchFiles(page.id)).toEqual(before);
  expect((await shell.json(['pages', 'versions', String(page.id)])).versions[0].version).toBe(page.version);
});

test('a pull writes through no link', async () => {
  const { page } = await shell.json(['pages', 'push', 'site']);
  const folder = makeFolder('trap', { 'index.html': HTML });
  symlinkSync(shell.home, join(folder, 'img'));
  const refused = await shell.run(['pages', 'pull', String(page.id), 'trap', '--force']);
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('img is in the way') });
  expect(existsSync(join(shell.home, 'mark.png'))).toBe(false);
  rmSync(join(folder, 'img'));
  const precious = join(shell.home, 'precious.txt');
  writeFileSync(precious, 'precious');
  symlinkSync(precious, join(folder, 'style.css'));
  expect((await shell.run(['pages', 'pull', String(page.id), 'trap'])).code).toBe(5);
  expect((await shell.run(['pages', 'pull', String(page.id), 'trap', '--force'])).code).toBe(0);
  expect(lstatSync(join(folder, 'style.css')).isSymbolicLink()).toBe(false);
  expect(readFileSync(precious, 'utf8')).toBe('precious');
});

test('a single document leaves the files of its page as they are', async () => {
  const { page } = await shell.json(['pages', 'push', 'site']);
  rmSync(join(shell.folder, 'site/page.json'), { force: true });
  const alone = makeFolder('alone', { 'index.html': `${HTML}<p>alone` });
  await shell.json(['pages', 'pull', String(page.id), 'alone', '--force']);
  makeFolder('alone', { 'index.html': `${HTML}<p>changed` });
  rmSync(join(alone, 'page.json'));
  const pushed = await shell.json(['pages', 'push', 'alone/index.html']);
  expect(pushed).toMatchObject({ action: 'updated', page: { id: page.id } });
  expect((await fetchFiles(page.id)).length).toBeGreaterThan(3);
});

test('dev sends what is saved in old and new folders', async () => {
  makeFolder('living', { 'index.html': HTML, 'css/a.css': '1', 'page.json': '{ "slug": "living" }' });
  const dev = shell.start(['dev', 'living', '--live']);
  await dev.until(/\/p\/living\?quire-dev[\s\S]*Watching/, 'stderr');
  makeFolder('living', { 'css/a.css': '2' });
  await dev.until(/version 3\), 1 of 1 file sent/);
  makeFolder('living', { 'new/deep/b.css': '1' });
  await dev.until(/version 4\)/);
  makeFolder('living', { 'new/deep/b.css': '2' });
  await dev.until(/version 5\)/);
  rmSync(join(shell.folder, 'living/new'), { recursive: true });
  await dev.until(/version 6\), 0 of 1 file sent, 1 removed/);
  expect((await dev.interrupt()).code).toBe(0);
  expect(await (await fetch(`${server.baseUrl}/p/living/css/a.css`)).text()).toBe('2');
});
