import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { openShell } from '../support/cli/cli.ts';
import { blocksIn, Guide, WITH_VERSIONS } from '../support/cli/guide.ts';
import { buildNext, install, NEXT_VERSION } from '../support/cli/upgrade.ts';
import { environment } from '../support/environment.ts';
import { type Account, call, publish, register } from '../support/http/client.ts';
import { freePort, startServer, type TestServer } from '../support/server.ts';
import { tarball } from '../support/tar.ts';

/** `quire upgrade`, from the current source to a later version and back. */

let folder: string;
let dataFolder: string;
let archive: string;
let old: string;
let owner: Account;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-upgrade-'));
  chmodSync(folder, 0o755);
  dataFolder = join(folder, 'data');
  old = await install(join(folder, 'opt'));
  archive = await buildNext(join(folder, 'next'));
  const server = await start();
  owner = await register(server, 'ada');
  await publish(server, owner.token, { name: 'before' });
  await server.stop();
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const current = () => readlinkSync(join(folder, 'opt/current'));
const next = () => basename(archive).replace('.tar.gz', '');
const program = () => join(folder, 'opt/current/quire');
const start = () => startServer({ program: { path: program(), cwd: folder }, dataFolder });

/** What only an upgrade puts there. */
const leftovers = () =>
  readdirSync(join(folder, 'opt')).filter((name) => ![old, next(), 'current', 'lock'].includes(name));

/** The mail server is down all the time, which must not stop an upgrade. */
const settings: Record<string, string> = { QUIRE_SMTP_URL: 'smtp://127.0.0.1:1' };
const WARNINGS = [expect.stringContaining('mail: ')];

function spawn(...args: string[]) {
  return Bun.spawn([program(), ...args], {
    env: { ...environment, QUIRE_DATA: dataFolder, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(...args);
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

const upgrade = (...args: string[]) => run('upgrade', ...args);

/** Starts what is installed, and returns its version and the slugs of the pages. */
async function look(work?: (server: TestServer) => Promise<unknown>) {
  const server = await start();
  await work?.(server);
  const { body: health } = await call(server, 'GET', '/healthz');
  const slugs = ['before', 'after'];
  const found = await Promise.all(slugs.map((slug) => call(server, 'GET', `/p/${slug}`)));
  expect(await server.stop()).toBe(0);
  return { version: health.version, pages: slugs.filter((_, index) => found[index]?.status === 200) };
}

const hasNewTable = (data = dataFolder) =>
  new Database(join(data, 'quire.db'), { readonly: true })
    .query("select 1 from sqlite_master where name = 'later'")
    .get() !== null;

/** An upgrade that changes nothing. */
async function fails(args: string[], code: number, message: string): Promise<void> {
  const ended = await upgrade(...args);
  expect(ended.stderr).toContain(message);
  expect(ended.code).toBe(code);
  expect(current()).toBe(old);
  expect(leftovers()).toEqual([]);
}

describe('refuses', () => {
  const place = (content: Uint8Array) => {
    const path = join(folder, `quire-99.1.0-linux-${process.arch}.tar.gz`);
    writeFileSync(path, content);
    return path;
  };

  test('something that is not an archive', () => fails([join(folder, `opt/${old}`)], 2, 'is not the name'));

  test('an archive that is cut off, while it is unpacked', async () => {
    const whole = tarball([
      { path: `quire-99.1.0-linux-${process.arch}/quire`, content: 'x'.repeat(99_999) },
    ]);
    await fails([place(whole.subarray(0, -100))], 1, 'is broken');
  });

  test('a program that does not run', async () => {
    const content = tarball([{ path: `quire-99.1.0-linux-${process.arch}/quire`, content: 'x' }]);
    await fails([place(content)], 1, 'does not run here');
  });

  test('to work while a server is running', async () => {
    const server = await start();
    await fails([archive], 5, 'A server is running').finally(server.stop);
  });

  test('a machine on which the server would not start, also in a dry run', async () => {
    const other = Bun.serve({ port: 0, fetch: () => new Response('another program') });
    settings.PORT = String(other.port);
    try {
      for (const args of [[archive], [archive, '--dry-run']])
        await fails(args, 1, `would not start here: port: ${other.port} is in use`);
    } finally {
      delete settings.PORT;
      await other.stop(true);
    }
  });

  test('to go back before there was an upgrade', () => fails(['--back'], 4, 'no earlier version'));

  test('from the source, and says what to do', async () => {
    const shell = openShell();
    const { code, stderr } = await shell.run(['upgrade', archive]);
    expect(stderr).toContain('scripts/ensure-installed.sh production');
    expect(code).toBe(1);
    await shell.stop();
  });
});

test('a dry run changes nothing', async () => {
  const { code, stdout, stderr } = await upgrade(archive, '--dry-run', '--json');
  const versions = { from: packageJson.version, to: NEXT_VERSION };
  expect(JSON.parse(stdout)).toEqual({ ...versions, isDryRun: true, warnings: WARNINGS });
  expect(stderr).toContain('Warning: mail: ');
  expect(code).toBe(0);
  expect(existsSync(join(folder, 'opt', next()))).toBe(false);
  expect(leftovers()).toEqual([]);
});

test('an upgrade that is killed leaves the old version in use', async () => {
  const backups = join(dataFolder, 'upgrades');
  const isUnpacking = () => existsSync(join(folder, 'opt/.unpacking', next()));
  const isBackingUp = () =>
    existsSync(backups) && readdirSync(backups).some((name) => name.includes('unfinished'));
  for (const isThere of [isUnpacking, isBackingUp]) {
    const child = spawn('upgrade', archive);
    while (!isThere()) {
      expect(child.exitCode).toBeNull();
      await Bun.sleep(1);
    }
    child.kill('SIGKILL');
    await child.exited;
    expect(current()).toBe(old);
    expect(await look()).toEqual({ version: packageJson.version, pages: ['before'] });
  }
});

test('upgrades, keeps the old version and its backup, and cleans up after a killed one', async () => {
  const { code, stdout, stderr } = await upgrade(archive, '--json');
  expect(stderr).not.toContain('rror');
  expect(code).toBe(0);
  const { backup, ...versions } = JSON.parse(stdout);
  expect(versions).toEqual({ from: packageJson.version, to: NEXT_VERSION, warnings: WARNINGS });
  expect(readdirSync(join(dataFolder, 'upgrades'))).toEqual([basename(backup)]);
  expect(leftovers()).toEqual(['upgrade.json']);
  expect(current()).toBe(next());
  expect(hasNewTable()).toBe(true);
  const after = await look((server) => publish(server, owner.token, { name: 'after' }));
  expect(after).toEqual({ version: NEXT_VERSION, pages: ['before', 'after'] });
});

test('goes back to the data from before, too, if that is confirmed', async () => {
  const asked = await upgrade('--back', '--restore');
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  const { code, stderr } = await upgrade('--back', '--restore', '--yes');
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('was replaced') });
  expect(current()).toBe(old);
  expect(hasNewTable()).toBe(false);
  expect(await look()).toEqual({ version: packageJson.version, pages: ['before'] });
  const replaced = /is in (\S+)\.\n/.exec(stderr)?.[1] ?? '';
  expect(hasNewTable(replaced)).toBe(true);
  expect(await upgrade('--back')).toMatchObject({ code: 4 });
});

test('goes back to the old version, with everything that was stored since', async () => {
  expect(await upgrade(archive, '--no-backup')).toMatchObject({ code: 0 });
  await look((server) => publish(server, owner.token, { name: 'after' }));
  expect(await upgrade('--back')).toMatchObject({ code: 0 });
  expect(current()).toBe(old);
  expect(hasNewTable()).toBe(true);
  expect(await look()).toEqual({ version: packageJson.version, pages: ['before', 'after'] });
  // It has a table that this version does not know, and can be backed up all the same.
  expect(await run('backup', join(folder, 'backup.tar.gz'))).toMatchObject({ code: 0 });
});

test('the commands of the guide install it, upgrade it and go back', async () => {
  const machine = join(folder, 'machine');
  const data = join(machine, 'data');
  for (const name of ['opt', 'systemd/system']) mkdirSync(join(machine, name), { recursive: true });
  for (const name of readdirSync(dirname(archive)).filter((each) => each.startsWith(next())))
    cpSync(join(dirname(archive), name), join(machine, name));
  const packing = `tar -czf ${old}.tar.gz -C ${folder}/opt ${old} && sha256sum ${old}.tar.gz > ${old}.tar.gz.sha256`;
  expect(Bun.spawnSync(['sh', '-c', packing], { cwd: machine }).exitCode).toBe(0);
  const port = await freePort();
  const program = { path: join(machine, 'opt/quire/current/quire'), cwd: machine };
  let server: TestServer | undefined;
  const guide = new Guide({
    folder: machine,
    names: [
      ['quire-0.1.0-linux-x64', old],
      ['quire-0.2.0-linux-x64.tar.gz', basename(archive)],
      ['localhost:3000', `localhost:${port}`],
      ['/opt/quire', join(machine, 'opt/quire')],
      ['/var/lib/quire', data],
      ['/etc/', `${machine}/`],
    ],
    async start() {
      server = await startServer({ program, dataFolder: data, port });
    },
    async stop() {
      await server?.stop();
    },
    readLog: () => server?.output() ?? '',
  });
  try {
    const [unpack = [], begin = []] = blocksIn('Install');
    await guide.runBlock(unpack);
    writeFileSync(join(machine, 'quire.env'), `PORT=${port}\nQUIRE_DATA=${data}\n`);
    expect(await guide.runBlock(begin)).toContain('/setup');
    const see = async () => (await call({ port }, 'GET', '/healthz')).body.version;
    expect(await see()).toBe(packageJson.version);
    const [upgradeIt = [], goBack = []] = blocksIn('Upgrade');
    await guide.runBlock(upgradeIt);
    expect(await see()).toBe(NEXT_VERSION);
    await guide.runBlock(goBack);
    expect(await see()).toBe(packageJson.version);
    expect(WITH_VERSIONS.flatMap((title) => guide.listLeft(title))).toEqual([]);
  } finally {
    await server?.kill();
  }
}, 240_000);
