import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHash, generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { plainPath, quickArchive, unpack } from '../support/cli/archive.ts';
import { descendants, isRunning } from '../support/faults/process.ts';
import { untilDecided } from '../support/http/call.ts';
import { type Account, call, login, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { makeZip } from '../support/zip.ts';

/** The archive that operators install. Each request here needs another part of it. */

let folder: string;
let archive: string;
let publicKey: string;
let path: string;
let quire: TestServer;
let owner: Account;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-archive-'));
  // The users of sandboxes start programs that are in it.
  chmodSync(folder, 0o755);
  const keys = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const signingKey = join(folder, 'signing.pem');
  publicKey = join(folder, 'signing.pub');
  writeFileSync(signingKey, keys.privateKey);
  writeFileSync(publicKey, keys.publicKey);
  archive = await quickArchive(join(folder, 'dist'), signingKey);
  path = plainPath(join(folder, 'bin'));
  // Moved, to a path that a URL must escape, and started through a link.
  const installed = join(folder, 'a place #1');
  renameSync(unpack(archive, folder), installed);
  symlinkSync(join(installed, 'quire'), join(folder, 'quire'));
  const cwd = join(folder, 'somewhere');
  mkdirSync(cwd);
  writeFileSync(join(cwd, '.env'), 'QUIRE_REGISTRATION=closed\n');
  writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./hostile.ts"]\n');
  writeFileSync(join(cwd, 'hostile.ts'), 'process.exit(66);\n');
  quire = await startServer({ program: { path: join(folder, 'quire'), cwd }, settings: { PATH: path } });
  owner = await register(quire, 'ada');
}, 240_000);
afterAll(async () => {
  await quire?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const send = (method: string, to: string, body?: unknown) =>
  call(quire, method, to, { token: owner.token, ...(body !== undefined && { body }) });

async function publish(html_content: string): Promise<{ id: number; slug: string; warnings: unknown[] }> {
  const { status, body } = await send('POST', '/api/pages', { name: 'Page', html_content });
  expect(status).toBe(201);
  return { ...body.page, warnings: body.warnings };
}

async function deploy(slug: string, code: object): Promise<unknown> {
  const { status, body } = await send('POST', '/api/functions', { slug, ...code });
  expect({ status, body }).toMatchObject({ status: 201 });
  return (await call(quire, 'POST', `/api/functions/${slug}`)).body;
}

test('has the samples for operators, which the documentation tells them to copy', () => {
  const samples = readdirSync(join(import.meta.dir, '../../deploy'));
  expect(readdirSync(join(folder, 'a place #1/deploy')).sort()).toEqual(samples.sort());
});

test('has its checksum beside it, and that of the list of its packages', () => {
  const name = `quire-${packageJson.version}-linux-${process.arch}`;
  const lines = [`${name}.tar.gz`, `${name}.cdx.json`].map((file) => {
    const bytes = readFileSync(join(dirname(archive), file));
    return `${createHash('sha256').update(bytes).digest('hex')}  ${file}\n`;
  });
  expect(readFileSync(`${archive}.sha256`, 'utf8')).toBe(lines.join(''));
});

test('has checksums that openssl verifies with the public key', () => {
  const verify = () =>
    Bun.spawnSync([
      ...['openssl', 'pkeyutl', '-verify', '-rawin', '-pubin', '-inkey', publicKey],
      ...['-in', `${archive}.sha256`, '-sigfile', `${archive}.sha256.sig`],
    ]).exitCode;
  expect(verify()).toBe(0);
  const sums = readFileSync(`${archive}.sha256`, 'utf8');
  writeFileSync(
    `${archive}.sha256`,
    sums.replace(/^./, (first) => (first === '0' ? '1' : '0')),
  );
  expect(verify()).not.toBe(0);
  writeFileSync(`${archive}.sha256`, sums);
});

test('says what it is made of: every package in it, with version, licence and checksum', () => {
  const bill = JSON.parse(readFileSync(archive.replace(/tar\.gz$/, 'cdx.json'), 'utf8'));
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
  const refs = bill.components.map((component: { 'bom-ref': string }) => component['bom-ref']);
  expect(new Set(refs).size).toBe(refs.length);
  for (const { ref, dependsOn } of bill.dependencies) {
    expect(['quire', ...refs]).toContain(ref);
    for (const other of dependsOn) expect(refs).toContain(other);
  }
  const hono = bill.components.find(({ name }: { name: string }) => name === 'hono');
  expect(hono).toMatchObject({
    purl: `pkg:npm/hono@${hono.version}`,
    licenses: [{ expression: 'MIT' }],
    hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
  });
  const workerd = `node_modules/@cloudflare/workerd-linux-${process.arch === 'x64' ? '64' : process.arch}`;
  expect(refs).toContain(workerd);
  expect(refs).not.toContain('node_modules/typescript');
});

test('publishes pages, with the threads that check, render and unpack them', async () => {
  const { warnings } = await publish('<h1>Hello</h1><script>let x = ;</script>');
  expect(warnings).toMatchObject([{ code: 'SCRIPT_SYNTAX' }]);
  // Too large to render, and to parse, on the thread that serves requests.
  const { id, slug } = await publish(`<h1>Large</h1>${'<p>text</p>'.repeat(40_000)}`);
  expect((await call(quire, 'GET', `/p/${slug}`)).body).toContain('<script src="/sdk/');
  const put = await fetch(`http://127.0.0.1:${quire.port}/api/pages/${id}/files`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/zip' },
    body: makeZip([{ name: 'about.html', content: '<h1>About</h1>' }]),
  });
  expect(put.status).toBe(200);
  expect((await call(quire, 'GET', `/p/${slug}/about`)).body).toContain('<h1>About</h1>');
});

test('runs functions with databases, and compiles TypeScript', async () => {
  const counter = `export default { async fetch(request, env) {
    await env.DB.exec('CREATE TABLE IF NOT EXISTS hits (at INTEGER)');
    await env.DB.prepare('INSERT INTO hits VALUES (1)').run();
    return Response.json(await env.DB.prepare('SELECT count(*) AS hits FROM hits').first());
  } };`;
  expect(await deploy('counter', { code: counter, enableDatabase: true })).toEqual({ hits: 1 });
  const typed = `import { double } from './double.ts';
    export default { fetch: (): Response => Response.json({ answer: double(21) }) };`;
  const files = { 'double.ts': 'export const double = (n: number): number => n * 2;' };
  expect(await deploy('typed', { code: typed, files })).toEqual({ answer: 42 });
});

test('draws pictures, and checks a page in a browser', async () => {
  const { id } = await publish('<!doctype html><html><title>Check</title><img src="/x.png">');
  const drawn = await send('POST', `/api/pages/${id}/generate-preview-image`, {});
  expect(drawn).toMatchObject({ status: 200, body: { success: true } });
  const checked = await untilDecided(() => send('POST', `/api/pages/${id}/check`, {}));
  expect(checked).toMatchObject({ status: 200, body: { title: 'Check' } });
  // What axe finds in the page.
  const rules = checked.body.accessibility.map(({ rule }: { rule: string }) => rule);
  expect(rules).toContain('html-has-lang');
});

test('has the dashboard, the SDK and the documentation', async () => {
  const cookie = await login(quire, 'ada');
  const get = async (to: string) => (await call(quire, 'GET', to, { cookie })).body;
  const [, script = ''] = /"(\/assets\/dashboard\/[\w.]+\.js)"/.exec(await get('/pages')) ?? [];
  expect(await get(script)).toContain('Publish');
  expect(await get('/sdk/quire.d.ts')).toContain('PageLive');
  expect(await get('/docs/running')).toContain('systemd');
});

test('its doctor finds everything, and does not ask for Node.js', async () => {
  const child = Bun.spawn([join(folder, 'quire'), 'doctor', '--json'], {
    env: { PATH: path, PORT: String(quire.port), QUIRE_DATA: quire.dataFolder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { ok, checks } = (await child.stdout.json()) as { ok: boolean; checks: { name: string }[] };
  expect(ok).toBe(true);
  expect(checks.map(({ name }) => name)).not.toContain('node.js');
});

test('stops with code 0, and leaves no process behind', async () => {
  const below = descendants(quire.pid);
  expect(below.length).toBeGreaterThan(0);
  expect(await quire.stop()).toBe(0);
  while (below.some(isRunning)) await Bun.sleep(20);
});
