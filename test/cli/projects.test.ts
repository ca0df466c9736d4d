import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Folders as people have them: projects that have to be built, and folders with things that nobody should see. */

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

function makeFolder(name: string, files: Record<string, string>): string {
  const folder = join(shell.folder, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

const push = (...args: string[]) => shell.run(['pages', 'push', ...args]);
const listPages = async () => (await call(server, 'GET', '/api/pages', { token: ada.token })).body.pages;

/** Its build deletes the folder that it writes to, as builds do. */
const BUILD = `const { rmSync, mkdirSync, writeFileSync } = require('node:fs');
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist/assets', { recursive: true });
writeFileSync('dist/index.html', '<title>Built</title><script type="module" src="/assets/app-B1wKq9Yd.js"></script>');
writeFileSync('dist/assets/app-B1wKq9Yd.js', String(Date.now()));
console.log('built');`;
const PROJECT = {
  'package.json': JSON.stringify({
    scripts: { build: 'node build.cjs' },
    dependencies: { 'react-router': '7' },
    devDependencies: { vite: '7' },
  }),
  'index.html': '<title>Source</title><script type="module" src="/src/main.tsx"></script>',
  'src/main.tsx': 'export {}',
  'build.cjs': BUILD,
};

test('a project is built and its build is pushed, each time to the same page', async () => {
  const folder = makeFolder('project', PROJECT);
  const refused = await push(folder);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('--build to run npm run build'),
  ]);
  expect(await listPages()).toEqual([]);

  const first = await push(folder, '--build');
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('/p/built (version')]);
  expect(first.stdout).not.toContain('> node build.cjs');
  expect(first.stderr).toContain('Push with --spa');
  const again = await push(folder, '--build', '--spa');
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('updated')]);
  expect((await push(join(folder, 'dist'))).stdout).toContain('unchanged');
  expect(await listPages()).toMatchObject([{ slug: 'built', spa: true }]);
  expect(existsSync(join(folder, '.quire.json'))).toBe(true);
  expect(existsSync(join(folder, 'dist/.quire.json'))).toBe(false);
});

test('a build is sent without what .quireignore of its project names, and nothing in it is read as settings', async () => {
  const build = `const { mkdirSync, writeFileSync } = require('node:fs');
for (const folder of ['function', 'data', 'maps']) mkdirSync('dist/' + folder, { recursive: true });
for (const file of ['function/index.html', 'data/a.ndjson', 'page.json', 'a.map', 'maps/a.txt', 'keep.map', '.nojekyll'])
  writeFileSync('dist/' + file, file);
writeFileSync('dist/.quireignore', '!keep.map');
writeFileSync('dist/index.html', '<title>Ignored</title>');`;
  const folder = makeFolder('ignored', {
    ...PROJECT,
    'build.cjs': build,
    '.quireignore': '*.map\n/dist/maps/\n/keep.txt',
  });
  const made = await shell.json(['pages', 'push', folder, '--build']);
  expect(made.left).toEqual([
    { path: '.nojekyll', why: 'starts with a dot' },
    { path: 'a.map', why: 'in .quireignore' },
    { path: 'maps/', why: 'in .quireignore' },
  ]);
  const { body } = await call(server, 'GET', `/api/pages/${made.page.id}/files`, { token: ada.token });
  expect(body.files.map(({ path }: { path: string }) => path).sort()).toEqual([
    'data/a.ndjson',
    'function/index.html',
    'keep.map',
    'page.json',
  ]);
});

test('what a page folder has for itself and does not use is named', async () => {
  const files = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`function/${name}.html`, name]));
  const folder = makeFolder('named', {
    'index.html': '<title>Named</title>',
    'page.json': '{}',
    'data/notes.ndjson': '',
    ...files,
  });
  const { code, stderr } = await push(folder);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(
      'Not sent: data/notes.ndjson (records, only with --data); 4 files in function/ (no function imports it)',
    ),
  ]);
});

test('a build that fails or makes nothing is said, and nothing is sent', async () => {
  const failing = makeFolder('failing', { ...PROJECT, 'build.cjs': 'process.exit(3)' });
  const failed = await push(failing, '--build');
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('npm run build failed')]);
  const empty = makeFolder('empty', { ...PROJECT, 'build.cjs': '' });
  expect((await push(empty, '--build')).stderr).toContain('has made no index.html in dist');
});

test('a folder that only has packages is a page', async () => {
  const { code } = await push(
    makeFolder('plain', { 'index.html': '<title>Plain</title>', 'package.json': '{}' }),
  );
  expect(code).toBe(0);
});

test('what looks like a secret or a server stops the push until it is allowed', async () => {
  const folder = makeFolder('glitch', {
    'index.html': '<title>Glitch</title>',
    'server.js': "require('express')().listen(3000)",
    'keys/site.pem': 'x',
    'config.js': `export const key = 'AKIA${'A'.repeat(16)}'`,
    'notes.txt': `-----BEGIN OPENSSH PRIVATE KEY-----`,
    'fine.js': 'fetch("/api").then((response) => response.json())',
  });
  const stopped = await push(folder);
  expect(stopped.code).toBe(1);
  expect(stopped.stderr).toContain('server.js is a server, which does not run here');
  expect(stopped.stderr).toContain('keys/site.pem is a file for private keys.');
  expect(stopped.stderr).toContain('config.js contains a key of AWS.');
  expect(stopped.stderr).toContain('notes.txt contains a private key.');
  expect(stopped.stderr).not.toContain('fine.js');
  expect(stopped.stderr).toContain('--allow-secrets');
  expect((await listPages()).map(({ slug }: { slug: string }) => slug)).not.toContain('glitch');

  expect((await push(folder, '--allow-secrets')).code).toBe(0);
  writeFileSync(join(folder, 'index.html'), '<title>Glitch</title>two');
  expect((await push(folder)).code).toBe(0);
  writeFileSync(
    join(folder, 'config.js'),
    readFileSync(join(folder, 'config.js'), 'utf8').replace('AKIA', ' AKIA'),
  );
  expect((await push(folder)).code).toBe(1);
});

test('a document whose script has to be built first gets a warning', async () => {
  const folder = makeFolder('source', {
    'index.html': '<title>Source</title><script type="module" src="main.tsx"></script>',
    'main.tsx': 'export {}',
  });
  expect((await push(folder)).stderr).toContain('Browsers cannot run main.tsx.');
});
