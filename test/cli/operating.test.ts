import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSql } from '../support/engines/storage.ts';
import { environment } from '../support/environment.ts';
import { PASSWORD } from '../support/http/call.ts';
import { call, publish, register } from '../support/http/client.ts';
import { freePort, startServer, type TestServer, waitUntil } from '../support/server.ts';

/**
 * The commands of `docs/operating.md`, run as they are written. Only the paths, the user and the service manager are
 * others, and what asks systemd about the machine reads the log of the server.
 */

const PROJECT = join(import.meta.dir, '../..');
const GUIDE = readFileSync(join(PROJECT, 'docs/operating.md'), 'utf8');
/** Programs of the machine that are not everywhere. */
const OF_THE_MACHINE = /^(systemctl status|timedatectl)\b/;

let root: string;
let data: string;
let port: number;
let server: TestServer | undefined;
let settings: Record<string, string>;
let token: string;
/** What was run, by section. */
const ran = new Map<string, number>();

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'quire-operating-'));
  data = join(root, 'data');
  for (const name of ['backups', 'replica', 'data']) mkdirSync(join(root, name), { mode: 0o700 });
  port = await freePort();
  settings = { QUIRE_REPLICA: `file://${root}/replica`, QUIRE_BACKUP_SCHEDULE: '30 3 * * *' };
  await start();
  ({ token } = await register(server as TestServer, 'ada'));
  await publish(server as TestServer, token);
}, 120_000);
afterAll(async () => {
  await server?.kill();
  rmSync(root, { recursive: true });
});

async function start(): Promise<void> {
  const all = { PORT: String(port), QUIRE_DATA: data, ...settings };
  writeFileSync(
    join(root, 'quire.env'),
    Object.entries(all)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
    { mode: 0o600 },
  );
  server = await startServer({ dataFolder: data, port, settings });
}

async function stop(): Promise<void> {
  if (server) writeFileSync(join(root, 'log'), server.output());
  await server?.stop();
  server = undefined;
}

function blocksIn(title: string): string[][] {
  const [, text = ''] = new RegExp(`^## ${title}\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(GUIDE) ?? [];
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, lines = '']) =>
    lines.trim().split('\n'),
  );
  ran.set(title, blocks.length);
  return blocks;
}

async function runBlock(lines: string[]): Promise<string> {
  let output = '';
  for (const line of lines) {
    if (OF_THE_MACHINE.test(line)) continue;
    const [, verb] = /^systemctl (restart|start|stop) quire$/.exec(line) ?? [];
    if (verb) {
      if (verb !== 'start') await stop();
      if (verb !== 'stop') await start();
      continue;
    }
    output += await runLine(line);
  }
  return output;
}

async function runLine(line: string): Promise<string> {
  const log = join(root, 'log');
  if (server) writeFileSync(log, server.output());
  const here = line
    .replace(/^journalctl [^|]*/, `cat ${log} `)
    .replace('runuser -u quire -- ', '')
    .replace(' -o quire -g quire', '')
    .replaceAll('/opt/quire/current/quire', `${process.execPath} ${join(PROJECT, 'bin/launch.ts')}`)
    .replaceAll('/etc/quire.env', join(root, 'quire.env'))
    .replaceAll('localhost:3000', `localhost:${port}`)
    .replaceAll('/var/backups/quire', join(root, 'backups'))
    .replaceAll('/var/lib/quire', data);
  const child = Bun.spawn(['sh', '-c', here], {
    cwd: root,
    env: environment,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  // What is looked for may not be there.
  const isFine = code === 0 || (line.includes('| grep') && code === 1);
  expect([line, isFine ? '' : `${code}: ${stdout}${stderr}`]).toEqual([line, '']);
  return stdout + stderr;
}

async function runSection(title: string): Promise<string> {
  let output = '';
  for (const block of blocksIn(title)) output += await runBlock(block);
  return output;
}

test('The first week', async () => {
  expect(await runSection('The first week')).toContain('first.tar.gz');
  expect(existsSync(join(data, 'first.tar.gz'))).toBe(true);
}, 120_000);

test.each([
  'A server is down',
  'Requests fail or are slow',
  'The disk fills up',
  'A clock is wrong',
  'Mail is not sent',
])(
  '%s',
  async (title) => {
    await runSection(title);
  },
  120_000,
);

test('A hostile user', async () => {
  expect(await runSection('A hostile user')).toContain('limit="login-address"');
});

test('A backup fails', async () => {
  const running = server as TestServer;
  await runSql(
    { dataFolder: data, databaseUrl: undefined },
    "update users set is_admin = 1 where username = 'ada'",
  );
  const body = { username: 'ada', password: PASSWORD, scopes: ['admin'] };
  const { accessToken } = (await call(running, 'POST', '/api/auth/token', { body })).body;
  const backups = '/api/admin/backups';
  expect((await call(running, 'POST', backups, { token: accessToken })).status).toBeLessThan(300);
  await waitUntil(async () => {
    const list = (await call(running, 'GET', backups, { token: accessToken })).body.backups;
    return list[0]?.state === 'complete';
  });
  expect(await runSection('A backup fails')).toContain('by-hand.tar.gz');
}, 120_000);

test('The replica is behind', async () => {
  const status = join(root, 'replica');
  await waitUntil(
    async () => existsSync(status) && (await runSection('The replica is behind')).includes('newest'),
  );
}, 120_000);

test('A leaked key', async () => {
  const code = 'export default { fetch: (request, env) => new Response(env.WORD) };';
  const running = server as TestServer;
  const made = await call(running, 'POST', '/api/functions', { token, body: { slug: 'keeps-a-word', code } });
  expect(made.status).toBe(201);
  const path = '/api/functions/keeps-a-word';
  await call(running, 'PUT', `${path}/secrets/WORD`, { token, body: { value: 'sesame' } });
  const readWord = async () => (await call(server as TestServer, 'POST', path, { body: {} })).body;
  const [replace = [], remove = []] = blocksIn('A leaked key');
  // As the text says where no key was set.
  settings.QUIRE_SECRET = 'a new key that nobody else has seen yet';
  settings.QUIRE_SECRET_OLD_FILE = join(data, 'secret');
  expect(GUIDE).toContain('QUIRE_SECRET_OLD_FILE=/var/lib/quire/secret');
  expect(await runBlock(replace)).toContain('Encrypted 1 secrets with the new key.');
  expect(await readWord()).toBe('sesame');
  delete settings.QUIRE_SECRET_OLD_FILE;
  await runBlock(remove);
  expect(await readWord()).toBe('sesame');
}, 120_000);

test('A lost machine', async () => {
  await runBlock([
    'runuser -u quire -- /opt/quire/current/quire backup --env-file /etc/quire.env /var/backups/quire/newest.tar.gz',
  ]);
  const { slug } = await publish(server as TestServer, token, { name: 'After the backup' });
  await stop();
  renameSync(data, join(root, 'lost'));
  // Another machine has another replica, or none.
  delete settings.QUIRE_REPLICA;
  const env = readFileSync(join(root, 'quire.env'), 'utf8');
  writeFileSync(join(root, 'quire.env'), env.replace(/^QUIRE_REPLICA=.*\n/m, ''));
  cpSync(join(root, 'backups/newest.tar.gz'), join(root, 'backups/copy.tar.gz'));
  await runSection('A lost machine');
  expect((await call(server as TestServer, 'GET', `/p/${slug}`)).status).toBe(404);
  expect((await call(server as TestServer, 'POST', '/api/functions/keeps-a-word', { body: {} })).body).toBe(
    'sesame',
  );
}, 120_000);

test('every section with commands was run', () => {
  const titles = GUIDE.split(/^## /m)
    .filter((section) => section.includes('```sh'))
    .map((section) => section.split('\n')[0] ?? '');
  expect(titles.filter((title) => !ran.get(title))).toEqual([]);
});
