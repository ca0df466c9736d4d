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
import { blocksIn, GUIDE, Guide, SECTIONS, WITH_VERSIONS } from '../support/cli/guide.ts';
import { databaseMachine, JoiningMachine } from '../support/cli/machine.ts';
import { startPostgres } from '../support/engines/postgres.ts';
import { startRedis } from '../support/engines/redis.ts';
import { startS3 } from '../support/engines/s3.ts';
import { runSql } from '../support/engines/storage.ts';
import { PASSWORD } from '../support/http/call.ts';
import { call, publish, register } from '../support/http/client.ts';
import { freePort, startServer, type TestServer, waitUntil } from '../support/server.ts';
import { Collector } from '../support/traces/collector.ts';

/** The sections of `docs/operating.md`. What needs two versions is in `upgrade.test.ts`. */

const PROJECT = join(import.meta.dir, '../..');

let root: string;
let data: string;
let port: number;
let server: TestServer | undefined;
let settings: Record<string, string>;
let token: string;
let names: Array<[there: string, here: string]>;
let guide: Guide;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'quire-operating-'));
  data = join(root, 'data');
  for (const name of ['backups', 'replica', 'data']) mkdirSync(join(root, name), { mode: 0o700 });
  port = await freePort();
  settings = { QUIRE_REPLICA: `file://${root}/replica`, QUIRE_BACKUP_SCHEDULE: '30 3 * * *' };
  names = [
    ['/opt/quire/current/quire', `${process.execPath} ${join(PROJECT, 'bin/launch.ts')}`],
    ['/etc/', `${root}/`],
    ['localhost:3000', `localhost:${port}`],
    ['10.0.0.1:3000', `127.0.0.1:${port}`],
    ['/var/backups/quire', join(root, 'backups')],
    ['/var/lib/quire', data],
  ];
  guide = new Guide({
    ...{ folder: root, start, stop, readLog: () => server?.output() ?? '' },
    names,
  });
  await start();
  ({ token } = await register(server as TestServer, 'ada'));
  await publish(server as TestServer, token);
}, 120_000);
afterAll(async () => {
  await server?.kill();
  rmSync(root, { recursive: true });
});

function writeSettings(name: string, all: Record<string, string>): void {
  const lines = Object.entries(all).map(([setting, value]) => `${setting}=${value}\n`);
  writeFileSync(join(root, name), lines.join(''), { mode: 0o600 });
}

async function start(): Promise<void> {
  writeSettings('quire.env', { PORT: String(port), QUIRE_DATA: data, ...settings });
  server = await startServer({ dataFolder: data, port, settings });
}

async function stop(): Promise<void> {
  await server?.stop();
  server = undefined;
}

test('The first week', async () => {
  expect(await guide.runSection('The first week')).toContain('first.tar.gz');
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
    await guide.runSection(title);
  },
  120_000,
);

test('Find what was slow', async () => {
  const collector = new Collector();
  try {
    for (const name of Object.keys(collector.settings)) expect(GUIDE).toContain(`\n${name}=`);
    Object.assign(settings, collector.settings);
    expect(await guide.runSection('Find what was slow')).toContain('quire_trace_spans_total{result="sent"}');
    await waitUntil(async () => collector.spans.some(({ name }) => name === 'GET probe'));
  } finally {
    for (const name of Object.keys(collector.settings)) delete settings[name];
    await collector.stop();
  }
}, 120_000);

test('A hostile user', async () => {
  expect(await guide.runSection('A hostile user')).toContain('limit="login-address"');
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
  expect(await guide.runSection('A backup fails')).toContain('by-hand.tar.gz');
}, 120_000);

test('The replica is behind', async () => {
  const status = join(root, 'replica');
  await waitUntil(
    async () => existsSync(status) && (await guide.runSection('The replica is behind')).includes('newest'),
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
  expect(await guide.runBlock(replace)).toContain('Encrypted 1 secrets with the new key.');
  expect(await readWord()).toBe('sesame');
  delete settings.QUIRE_SECRET_OLD_FILE;
  await guide.runBlock(remove);
  expect(await readWord()).toBe('sesame');
  // A move to a cluster, and a replica, must not take the leaked key.
  expect(existsSync(join(data, 'secret'))).toBe(false);
}, 120_000);

test('A lost machine', async () => {
  await guide.runBlock([
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
  await guide.runSection('A lost machine');
  expect((await call(server as TestServer, 'GET', `/p/${slug}`)).status).toBe(404);
  expect((await call(server as TestServer, 'POST', '/api/functions/keeps-a-word', { body: {} })).body).toBe(
    'sesame',
  );
}, 120_000);

test('Moving to three nodes', async () => {
  const [postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()]);
  const machines: JoiningMachine[] = [];
  try {
    const [makeDatabase = [], move = [], first = [], makeToken = [], joinIt = []] =
      blocksIn('Moving to three nodes');
    const elsewhere = await databaseMachine(postgres.url, root, guide);
    expect(await elsewhere.runBlock(makeDatabase)).toContain('CREATE ROLE');
    const node = {
      ...{ PORT: String(port), QUIRE_DATA: `${data}-node`, QUIRE_CLUSTER_SHARDS: '1', ...s3.settings },
      ...{ DATABASE_URL: `postgres://quire:change-me@${new URL(postgres.url).host}/quire` },
      ...{ REDIS_URL: redis.url, QUIRE_HOST: '127.0.0.1' },
      QUIRE_CLUSTER_ADDRESS: `127.0.0.1:${await freePort()}`,
    };
    writeSettings('quire-node.env', node);
    expect(await guide.runBlock(move)).toContain('databases');
    data = node.QUIRE_DATA;
    settings = { ...node, QUIRE_SECRET: settings.QUIRE_SECRET ?? '' };
    expect(await guide.runBlock(first)).toContain('"status"');

    for (const here of ['127.0.0.2', '127.0.0.3']) {
      const [joinToken = ''] = (await guide.runBlock(makeToken)).split('\n');
      const machine = new JoiningMachine({
        ...{ root, port, guide, address: ['10.0.0.2', here] },
        names: [['<token>', joinToken], ...names],
      });
      machines.push(machine);
      expect(await machine.guide.runBlock(joinIt)).toContain('"status"');
    }
    // What one of them stores, the others have.
    const { slug } = await publish({ host: '127.0.0.2', port }, token, { name: 'From the second' });
    for (const host of ['127.0.0.1', '127.0.0.2', '127.0.0.3']) {
      expect((await call({ host, port }, 'GET', `/p/${slug}`)).status).toBe(200);
      expect((await call({ host, port }, 'POST', '/api/functions/keeps-a-word', { body: {} })).body).toBe(
        'sesame',
      );
    }
  } finally {
    for (const machine of machines) await machine.stop();
    await stop();
    await Promise.all([postgres.stop(), redis.stop(), s3.stop()]);
  }
}, 300_000);

test('every command of every section was run, or is one of those that no test can run', () => {
  const sections = SECTIONS.filter((title) => !WITH_VERSIONS.includes(title));
  expect(sections.length).toBeGreaterThan(12);
  expect(sections.flatMap((title) => guide.listLeft(title))).toEqual([]);
  const { commands, services, skipped } = guide.done;
  expect([...skipped].sort()).toEqual([
    'systemctl daemon-reload',
    'systemctl status quire --no-pager',
    'timedatectl',
  ]);
  const written = new Set(sections.flatMap(blocksIn).flat());
  const ran = [...commands, ...services].filter((line) => written.has(line));
  expect(ran.length).toBe(written.size - skipped.size);
});
