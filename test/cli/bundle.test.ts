import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descendants, isRunning } from '../support/faults/process.ts';
import { freePort } from '../support/server.ts';

const ROOT = join(import.meta.dir, '../..');

/** A copy of the program that the tests may change. */
let copy: string;
beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'quire-bundle-'));
  for (const name of [
    'bin',
    'cli',
    'contract',
    'dashboard',
    'docs',
    'sdk',
    'server',
    'workers',
    'package.json',
  ]) {
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  await bundle();
}, 120_000);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

async function run(script: string, ...args: string[]) {
  const child = Bun.spawn([process.execPath, join(copy, 'bin', script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { output: await child.stdout.text(), code: await child.exited };
}

/** Puts another word into the summary of a command. It has as many letters, so the file keeps its size. */
function edit(file: string, from: string, to: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
}

const manifestPath = () => join(copy, '.cache/bundle.json');
/** Of the bundle without the server. */
const clientPath = () => join(copy, '.cache/client.json');
const readMain = (manifest: string) => (JSON.parse(readFileSync(manifest, 'utf8')) as { main: string }).main;
const source = () => join(copy, 'server/commands/index.ts');
/** Empty if the process has ended. */
function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

const help = async () => (await run('launch.ts', 'help')).output;

/** Makes a bundle that tells itself from the source. */
async function bundle(): Promise<void> {
  expect(await run('bundle.ts')).toEqual({ code: 0, output: '' });
  const [main, client] = [readMain(manifestPath()), readMain(clientPath())];
  edit(main, 'run the server', 'run the bundle');
  edit(main, 'show your account and server', 'show your account and bundle');
  edit(client, 'show your account and server', 'show your account and client');
  for (const file of [main, client]) rmSync(`${file}.jsc`);
}

const whoami = async () => (await run('launch.ts', 'whoami', '--help')).output;

test('quire runs from its bundle until a file in it changes, even if it keeps its size and time', async () => {
  expect(await help()).toContain('run the bundle');
  const { atime, mtime } = statSync(source());
  edit(source(), 'run the server', 'run the sleigh');
  utimesSync(source(), atime, mtime);
  expect(await help()).toContain('run the sleigh');
  // As in a copy: another time, but the same content as in the bundle.
  edit(source(), 'run the sleigh', 'run the server');
  expect(await help()).toContain('run the bundle');
}, 120_000);

test('commands that call a server have a bundle without it, which only files of theirs make useless', async () => {
  expect(await whoami()).toContain('show your account and client');
  expect(statSync(readMain(clientPath())).size).toBeLessThan(statSync(readMain(manifestPath())).size / 4);
  const app = join(copy, 'server/app.ts');
  const text = readFileSync(app, 'utf8');
  writeFileSync(app, `${text}// Changed.\n`);
  expect(await whoami()).toContain('show your account and client');
  expect(await help()).toContain('run the server');
  writeFileSync(app, text);
  const login = join(copy, 'cli/client/login.ts');
  edit(login, 'show your account and server', 'show your account and sleigh');
  expect(await whoami()).toContain('show your account and sleigh');
  edit(login, 'show your account and sleigh', 'show your account and server');
  // The whole bundle has these commands too.
  renameSync(clientPath(), `${clientPath()}-elsewhere`);
  expect(await whoami()).toContain('show your account and bundle');
  renameSync(`${clientPath()}-elsewhere`, clientPath());
}, 120_000);

test('a bundle is not used if others can write to its folder', async () => {
  const cache = join(copy, '.cache');
  for (const mode of [0o777, 0o775]) {
    chmodSync(cache, mode);
    expect(await help()).toContain('run the server');
  }
  chmodSync(cache, 0o755);
  expect(await help()).toContain('run the bundle');
  renameSync(cache, `${cache}-elsewhere`);
  symlinkSync(`${cache}-elsewhere`, cache);
  expect(await help()).toContain('run the server');
  unlinkSync(cache);
  renameSync(`${cache}-elsewhere`, cache);
}, 120_000);

test('a bundle that another version of Bun made is not used, and a broken one neither', async () => {
  const text = readFileSync(manifestPath(), 'utf8');
  for (const broken of [text.replace(Bun.revision, 'another'), text.slice(0, 100), 'null', '']) {
    writeFileSync(manifestPath(), broken);
    expect(await help()).toContain('run the server');
  }
  writeFileSync(manifestPath(), text);
  expect(await help()).toContain('run the bundle');
}, 120_000);

test('a file that changes while it is bundled leaves no bundle', async () => {
  for (const path of [manifestPath(), clientPath()]) rmSync(path, { force: true });
  const bundling = run('bundle.ts');
  let isOver = false;
  const ended = bundling.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    utimesSync(source(), new Date(), new Date());
    await Bun.sleep(5);
  }
  expect((await ended).code).toBe(1);
  expect(existsSync(manifestPath())).toBe(false);
  expect(existsSync(clientPath())).toBe(false);
}, 120_000);

test('the process that makes a bundle ends with the server', async () => {
  rmSync(manifestPath(), { force: true });
  const server = Bun.spawn([process.execPath, join(copy, 'bin/launch.ts'), 'serve'], {
    env: { ...process.env, PORT: String(await freePort()), QUIRE_DATA: join(copy, 'data') },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let bundler: number | undefined;
  while (bundler === undefined) {
    expect(server.exitCode).toBeNull();
    await Bun.sleep(20);
    bundler = descendants(server.pid).find((pid) => readCommand(pid).includes('bin/bundle.ts'));
  }
  server.kill('SIGKILL');
  await server.exited;
  while (isRunning(bundler)) await Bun.sleep(20);
  expect(existsSync(manifestPath())).toBe(false);
}, 60_000);

test('the exit code of a failed command is passed on', async () => {
  expect((await run('launch.ts', 'nonsense')).code).toBe(2);
}, 60_000);
