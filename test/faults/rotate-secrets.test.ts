import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOneMachine, readOldConfig } from '../../server/commands/archive/one-machine.ts';
import { createSealer, ServiceKey } from '../../server/lib/secrets.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { startMigratedDatabase } from '../support/engines/process-postgres.ts';
import { startRedis } from '../support/engines/redis.ts';
import { placeDatabase } from '../support/engines/sqlite.ts';
import { readSql, runSql } from '../support/engines/storage.ts';
import { rounds } from '../support/faults/rounds.ts';
import { call, login, publish, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** The key of the service is replaced while it runs, and nobody notices. */

const OLD = 'the old key, which somebody has seen';
const NEW = 'the new key, which nobody has seen yet';
const SECRETS = rounds(40, 50);
const FUNCTIONS = rounds(4, 40);

let folder: string;
let shell: Shell;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-rotate-'));
  shell = openShell();
});
afterAll(async () => {
  await shell.stop();
  rmSync(folder, { recursive: true });
});

/** Makes functions that return all their secrets, and says what they should return. */
async function makeFunctions(server: TestServer, token: string) {
  const code = 'export default { fetch: (request, env) => Response.json({ ...env }) };';
  const expected: Record<string, string> = {};
  for (let at = 0; at < SECRETS; at++) expected[`NAME_${at}`] = `value ${at}`;
  const slugs = Array.from({ length: FUNCTIONS }, (_, at) => `rotated-${at}`);
  for (const slug of slugs) {
    const made = await call(server, 'POST', '/api/functions', { token, body: { slug, code } });
    expect(made.status).toBe(201);
    for (const [name, value] of Object.entries(expected)) {
      const path = `/api/functions/${slug}/secrets/${name}`;
      expect((await call(server, 'PUT', path, { token, body: { value } })).status).toBeLessThan(300);
    }
  }
  return { slugs, expected };
}

async function expectAll(server: TestServer, made: Awaited<ReturnType<typeof makeFunctions>>) {
  for (const slug of made.slugs) {
    const { status, body } = await call(server, 'POST', `/api/functions/${slug}`, { body: {} });
    expect([slug, status, body]).toEqual([slug, 200, expect.objectContaining(made.expected)]);
  }
}

test('under load, killed in the middle, and nothing is lost', async () => {
  const dataFolder = join(folder, 'one');
  const start = (settings: Record<string, string>, port?: number) =>
    startServer({
      dataFolder,
      settings: { QUIRE_ISOLATION: 'sandbox', QUIRE_FUNCTION_CALLS_PER_MINUTE: '0', ...settings },
      ...(port && { port }),
    });
  await placeDatabase(Bun.spawnSync(['mkdir', '-p', dataFolder]).success ? dataFolder : '');
  let server = await start({ QUIRE_SECRET: OLD });
  const { port } = server;
  const { token } = await register(server, 'ada');
  const cookie = await login(server, 'ada');
  const page = await publish(server, token);
  const made = await makeFunctions(server, token);
  const openPage = async () => {
    const headers = { cookie, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const { body } = await call(server, 'GET', `/p/${page.slug}`, { headers });
    return /data-page-session="([^"]+)"/.exec(body)?.[1] ?? '';
  };
  const askAs = async (session: string) =>
    (
      await call(server, 'POST', `/api/pages/${page.id}/page-session`, {
        headers: { 'x-page-session': session },
      })
    ).status;
  const early = await openPage();
  const isFine = await askAs(early);
  const env = { QUIRE_DATA: dataFolder, QUIRE_SECRET: NEW, QUIRE_SECRET_OLD: OLD };
  const rotate = () => shell.run(['secrets', 'rotate', '--json'], { env });

  const refused = await rotate();
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining(hostname())]);
  expect(refused.stderr).toContain('Nothing has changed');
  await expectAll(server, made);

  await server.stop();
  const tooEarly = await start({ QUIRE_SECRET: NEW }, port);
  expect(tooEarly.output()).toContain('QUIRE_SECRET is not the key that secrets were encrypted with');
  await tooEarly.stop();
  server = await start({ QUIRE_SECRET: NEW, QUIRE_SECRET_OLD: OLD }, port);
  expect(server.output()).not.toContain('QUIRE_SECRET is not the key');
  expect(await askAs(early)).toBe(isFine);
  const place = { dataFolder, databaseUrl: undefined };
  const countKeys = async () =>
    readSql<{ id: string; count: number }>(
      place,
      'select substr(sealed_value, 1, 9) as id, count(*) as count from function_secrets group by 1',
    );

  // Calls and new secrets go on all the time.
  let isOver = false;
  const failures: unknown[] = [];
  const load = (async () => {
    for (let at = 0; !isOver; at++) {
      const slug = made.slugs[at % FUNCTIONS] ?? '';
      const answers = [
        await call(server, 'POST', `/api/functions/${slug}`, { body: {} }),
        await call(server, 'PUT', `/api/functions/${slug}/secrets/NAME_${at % SECRETS}`, {
          token,
          body: { value: `value ${at % SECRETS}` },
        }),
      ];
      failures.push(...answers.filter(({ status }) => status >= 400).map(({ body }) => body));
    }
  })();
  for (let kill = 0; kill < rounds(2, 20); kill++) {
    const child = Bun.spawn([process.execPath, 'bin/launch.ts', 'secrets', 'rotate'], {
      cwd: join(import.meta.dir, '../..'),
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    // As soon as it has begun, or when it is done.
    await waitUntil(async () => child.exitCode !== null || (await countKeys()).length > 1);
    child.kill('SIGKILL');
    await child.exited;
  }
  const done = await rotate();
  isOver = true;
  await load;
  expect([done.code, done.stderr]).toEqual([0, '']);
  expect(done.json()).toMatchObject({ lost: [] });
  expect(failures).toEqual([]);
  expect(await countKeys()).toEqual([{ id: expect.any(String), count: SECRETS * FUNCTIONS }]);
  expect((await rotate()).json()).toMatchObject({ moved: 0, lost: [] });
  const late = await openPage();
  expect(late.split('.')[0]).not.toBe(early.split('.')[0]);
  expect([await askAs(early), await askAs(late)]).toEqual([isFine, isFine]);

  await server.stop();
  server = await start({ QUIRE_SECRET: NEW }, port);
  await expectAll(server, made);
  expect(await askAs(late)).toBe(isFine);
  // The leaked key opens nothing any more.
  expect(await askAs(early)).not.toBe(isFine);
  await server.stop();
}, 240_000);

test('what cannot be opened is named, and everything else is encrypted again', async () => {
  const dataFolder = join(folder, 'lost');
  const place = { dataFolder, databaseUrl: undefined };
  const server = await startServer({ dataFolder, settings: { QUIRE_SECRET: OLD } });
  const { token } = await register(server, 'ada');
  const made = { slug: 'keeps-words', code: 'export default { fetch: () => new Response() };' };
  await call(server, 'POST', '/api/functions', { token, body: made });
  for (const name of ['HELD', 'LOST'])
    await call(server, 'PUT', `/api/functions/keeps-words/secrets/${name}`, { token, body: { value: name } });
  await server.stop();
  const [held, foreign] = [OLD, 'a key that nobody has any more'].map((key) =>
    createSealer(new ServiceKey(Buffer.from(key)), 'quire provider keys'),
  );
  const sealed = createSealer(new ServiceKey(Buffer.from('another')), 'quire function secrets');
  const connections = {
    chat: { provider: 'openai', sealedKey: foreign?.seal('sk-lost', 'chat') },
    images: { provider: 'openai', sealedKey: held?.seal('sk-held', 'images') },
  };
  await runSql(
    place,
    `insert into service_settings (name, value, updated_at) values ('providers', '${JSON.stringify({ connections })}', 1)`,
    "insert into service_settings (name, value, updated_at) values ('keys-of-a-node-of-last-year', '{}', 1)",
    `update function_secrets set sealed_value = '${sealed.seal('x', 'any')}' where name = 'LOST'`,
  );
  const env = { QUIRE_DATA: dataFolder, QUIRE_SECRET: NEW, QUIRE_SECRET_OLD: OLD };
  const lost = ['the key of the provider for chat', 'LOST of the function keeps-words'];
  const done = await shell.run(['secrets', 'rotate', '--json'], { env });
  expect([done.code, done.stderr]).toEqual([0, '']);
  expect(done.json()).toMatchObject({ moved: 2, lost });
  const again = await shell.run(['secrets', 'rotate'], { env });
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(`${lost.join(', ')}.`)]);
  const settings = await readSql<{ name: string; value: string }>(place, 'select * from service_settings');
  expect(settings.filter(({ name }) => name.startsWith('keys-of-'))).toEqual([]);
  const stored = JSON.parse(settings.find(({ name }) => name === 'providers')?.value ?? '').connections;
  expect(stored.chat).toEqual(connections.chat);
  const opened = createSealer(new ServiceKey(Buffer.from(NEW)), 'quire provider keys');
  expect(opened.open(stored.images.sealedKey, 'images')).toBe('sk-held');
}, 120_000);

test('a key in the data folder that was replaced is set aside, and the new one is right for a move', async () => {
  const dataFolder = join(folder, 'kept');
  const first = await startServer({ dataFolder });
  await first.stop();
  const kept = readFileSync(join(dataFolder, 'secret'), 'utf8');
  const both = { QUIRE_DATA: dataFolder, QUIRE_SECRET: NEW, QUIRE_SECRET_OLD: kept };
  const move = (secret: string) =>
    openOneMachine(readOldConfig({ QUIRE_SECRET: secret }, dataFolder, undefined));
  await expect(move(NEW)).rejects.toThrow(`the contents of ${join(dataFolder, 'secret')}`);

  const { QUIRE_SECRET_OLD } = both;
  const during = await startServer({ dataFolder, settings: { QUIRE_SECRET: NEW, QUIRE_SECRET_OLD } });
  const done = await shell.run(['secrets', 'rotate'], { env: both });
  expect([done.code, done.stderr]).toEqual([0, '']);
  await during.stop();
  expect(existsSync(join(dataFolder, 'secret'))).toBe(true);
  await expect(move(kept)).rejects.toThrow('its own QUIRE_SECRET');
  await (await move(NEW)).close();

  const after = await startServer({ dataFolder, settings: { QUIRE_SECRET: NEW } });
  await after.stop();
  expect(existsSync(join(dataFolder, 'secret'))).toBe(false);
  const [aside = ''] = readdirSync(dataFolder).filter((name) => name.startsWith('replaced-secret-'));
  expect(readFileSync(join(dataFolder, aside), 'utf8')).toBe(kept);
  await (await move(NEW)).close();
  await runSql(
    { dataFolder, databaseUrl: undefined },
    "update service_settings set value = '' where name = 'key-everywhere'",
  );
  await expect(move(NEW)).rejects.toThrow('Run "quire secrets rotate" there');
}, 120_000);

test('with three nodes, of which one does not know the new key', async () => {
  const [database, redis] = await Promise.all([startMigratedDatabase(), startRedis()]);
  const shared = { DATABASE_URL: database.url, REDIS_URL: redis.url, QUIRE_ISOLATION: 'sandbox' };
  const both = { ...shared, QUIRE_SECRET: NEW, QUIRE_SECRET_OLD: OLD };
  const nodes: TestServer[] = [];
  try {
    for (const settings of [{ ...shared, QUIRE_SECRET: OLD }, both, both])
      nodes.push(await startServer({ settings }));
    const [unaware, second, third] = nodes as [TestServer, TestServer, TestServer];
    const { token } = await register(unaware, 'ada');
    const page = await publish(second, token);
    const cookie = await login(third, 'ada');
    const sessions = async (node: TestServer) => {
      const headers = { cookie, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
      const { body } = await call(node, 'GET', `/p/${page.slug}`, { headers });
      return /data-page-session="([^"]+)"/.exec(body)?.[1] ?? '';
    };
    const ask = async (node: TestServer, session: string) =>
      (
        await call(node, 'POST', `/api/pages/${page.id}/page-session`, {
          headers: { 'x-page-session': session },
        })
      ).status;
    // Until all know it, nobody uses it, so every node understands every other.
    for (const from of nodes) {
      const session = await sessions(from);
      for (const node of nodes) expect(await ask(node, session)).toBe(200);
    }
    const env = { ...both, QUIRE_DATA: join(folder, 'command') };
    const rotate = () => shell.run(['secrets', 'rotate', '--json'], { env });
    const refused = await rotate();
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('do not know the new key')]);
    await unaware.stop();
    const again = await startServer({ settings: both });
    nodes[0] = again;
    const done = await rotate();
    expect([done.code, done.stderr]).toEqual([0, '']);
    const session = await sessions(again);
    for (const node of nodes) expect(await ask(node, session)).toBe(200);
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await Promise.all([database.stop(), redis.stop()]);
  }
}, 240_000);
