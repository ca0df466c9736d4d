import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { makeZip } from '../support/zip.ts';

/** `quire import`: a report first, and published when the person agrees. */

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

const HTML = '<!doctype html><title>Moved in</title><p>the moved page';
const quire = (...args: string[]) => shell.run(['import', ...args]);
const countPages = async () => (await call(server, 'GET', '/api/pages', { token: ada.token })).body.total;

test('imports a folder after it has said what it takes and what it leaves', async () => {
  const folder = makeFolder('site', {
    'dist/index.html': HTML,
    'dist/app.js': '1',
    'src/app.ts': '1',
    'package.json': '{"scripts":{"build":"vite build"},"dependencies":{"vite":"7"}}',
    '.env': 'KEY=1',
    'node_modules/x/index.js': '1',
    'notes.txt': 'x',
    '.quireignore': 'notes.txt',
  });
  symlinkSync('/etc/passwd', join(folder, 'dist/passwd'));
  const shown = await quire(folder, '--dry-run');
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain('Page      Moved in: 2 files, 1 KB');
  expect(shown.stdout).toMatch(/Taken\n {2}dist\/index.html +document\n {2}dist\/app.js +file\n/);
  expect(shown.stdout).toMatch(/ {2}src\/app.ts +is not part of what is published/);
  expect(shown.stdout).toMatch(/ {2}\.env +is not sent: starts with a dot/);
  expect(shown.stdout).toMatch(/ {2}node_modules\/ +is not sent: packages/);
  expect(shown.stdout).toMatch(/ {2}notes.txt +is not sent: in .quireignore/);
  expect(shown.stdout).toMatch(/ {2}dist\/passwd +is not sent: links outside its folder/);
  const before = await countPages();
  const unasked = await quire(folder);
  expect([unasked.code, unasked.stdout]).toEqual([2, '']);
  expect(unasked.stderr).toContain('Add --yes to publish it');
  expect(await countPages()).toBe(before);
  const made = await quire(folder, '--yes', '--slug', 'moved');
  expect([made.code, made.stdout]).toEqual([0, `published  ${server.baseUrl}/p/moved\n`]);
  expect((await call(server, 'GET', '/p/moved/')).body).toContain('the moved page');
});

test('imports archives, documents and functions, and answers in JSON', async () => {
  const zip = join(shell.folder, 'site.zip');
  writeFileSync(
    zip,
    makeZip([
      { name: 'a/index.html', content: HTML },
      { name: 'a/b.txt', content: 'b' },
    ]),
  );
  const report = JSON.parse((await quire(zip, '--dry-run', '--json')).stdout);
  expect(report).toMatchObject({
    kind: 'site',
    published: null,
    taken: [{ path: 'index.html' }, { path: 'b.txt' }],
  });
  const page = makeFolder('one', { 'Saved page.html': HTML });
  const made = await quire(join(page, 'Saved page.html'), '--yes', '--json', '--title', 'My page');
  expect(JSON.parse(made.stdout)).toMatchObject({
    kind: 'saved page',
    published: { page: { slug: 'my-page' } },
  });
  const worker = makeFolder('worker', {
    'wrangler.jsonc':
      '{ "name": "cli-imported", "main": "index.js", "kv_namespaces": [{ "binding": "KV" }] }',
    'index.js': 'export default { fetch: () => new Response("moved") };',
  });
  const deployed = await quire(worker, '--yes');
  expect(deployed.stdout).toContain('deployed   cli-imported at ');
  expect(deployed.stderr).toContain('wrangler.jsonc  has what functions do not have: KV');
  expect((await call(server, 'POST', '/api/functions/cli-imported')).body).toBe('moved');
});

test('says what is wrong, with the codes of every command', async () => {
  expect(await quire(join(shell.folder, 'missing'))).toMatchObject({ code: 4 });
  const empty = makeFolder('nothing', { 'notes.md': 'x' });
  const nothing = await quire(empty, '--yes');
  expect(nothing.code).toBe(1);
  expect(nothing.stderr).toContain('Nothing can be published.');
  expect(nothing.stderr).toContain('a site needs an index.html');
  const inside = await quire('http://169.254.169.254/latest/', '--yes');
  expect(inside.code).toBe(1);
  expect(inside.stderr).toContain('The address cannot be imported: it is not a public address');
});
