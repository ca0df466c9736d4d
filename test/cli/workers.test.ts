import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Workers move in with their settings of wrangler. */

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

const push = (...args: string[]) => shell.run(['functions', 'push', ...args]);
const ask = async (slug: string, method = 'POST') =>
  (await call(server, method, `/api/functions/${slug}`, { token: ada.token })).body;

const WORKER = {
  'wrangler.toml': `name = "My_Notes"
main = "src/index.ts"
compatibility_date = "2026-01-01"

[vars]
GREETING = "Hello"
LIMITS = { most = 3 }

[[d1_databases]]
binding = "NOTES"
database_name = "notes"
database_id = "00000000-0000-0000-0000-000000000000"

[triggers]
crons = ["0 3 * * *"]
`,
  'src/index.ts': `import { count } from './lib/count';
interface Env { NOTES: D1Database; DB: D1Database; GREETING: string; LIMITS: string }
export default {
  async fetch(request: Request, env: Env) {
    await env.NOTES.prepare('INSERT INTO notes (text) VALUES (?)').bind(env.GREETING).run();
    return Response.json({ count: await count(env.NOTES), same: await count(env.DB), limits: JSON.parse(env.LIMITS) });
  },
  async scheduled() {},
};`,
  'src/lib/count.ts': `export const count = async (db: D1Database) =>
  (await db.prepare('SELECT count(*) AS n FROM notes').first<{ n: number }>())!.n;`,
  'migrations/0001_notes.sql': 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);',
  'migrations/0002_more.sql': "INSERT INTO notes (text) VALUES ('it''s; here');",
};

test('a Worker with D1, migrations, crons and variables runs, and its next push applies what is new', async () => {
  const folder = makeFolder('notes', WORKER);
  const first = await push(folder);
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('created    my-notes')]);
  expect(first.stderr).toContain('Applied 0001_notes.sql.\nApplied 0002_more.sql.');
  expect(await ask('my-notes')).toEqual({ count: 2, same: 2, limits: { most: 3 } });
  expect((await ask('my-notes', 'GET')).schedules).toMatchObject([{ cron: '0 3 * * *' }]);

  writeFileSync(join(folder, 'migrations/0003_last.sql'), 'DELETE FROM notes;');
  const second = await push(folder);
  expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('updated')]);
  expect(second.stderr).toContain('Applied 0003_last.sql.');
  expect(await ask('my-notes')).toMatchObject({ count: 1 });
});

test('a migration that fails leaves nothing of itself, and says so', async () => {
  const folder = makeFolder('failing', {
    ...WORKER,
    'wrangler.toml': WORKER['wrangler.toml'].replace('My_Notes', 'failing'),
    'migrations/0002_more.sql': 'CREATE TABLE half (a); INSERT INTO nowhere VALUES (1);',
  });
  const pushed = await push(folder);
  expect([pushed.code, pushed.stderr]).toEqual([1, expect.stringContaining('nowhere')]);
  expect(pushed.stderr).toContain('migrations/0002_more.sql');
  expect((await call(server, 'GET', '/api/functions/failing', { token: ada.token })).status).toBe(404);
});

test('migrations that do not fit into a deploy are applied after it', async () => {
  const folder = makeFolder('vast', {
    ...WORKER,
    'wrangler.toml': WORKER['wrangler.toml'].replace('My_Notes', 'vast'),
    'migrations/0003_vast.sql': `${' '.repeat(1024 * 1024)}DELETE FROM notes;`,
  });
  const pushed = await push(folder);
  expect([pushed.code, pushed.stderr]).toEqual([0, expect.stringContaining('Applied 0003_vast.sql.')]);
  expect(await ask('vast')).toMatchObject({ count: 1 });
});

test('a folder with a function brings its migrations along', async () => {
  const folder = makeFolder('plain', {
    'function.js': `export default { fetch: async (request, env) =>
      Response.json((await env.DB.prepare('SELECT text FROM notes').all()).results) }`,
    'migrations/0001_notes.sql': WORKER['migrations/0001_notes.sql'],
    'migrations/0002_more.sql': WORKER['migrations/0002_more.sql'],
  });
  const pushed = await push(folder, '--database');
  expect([pushed.code, pushed.stderr]).toEqual([0, expect.stringContaining('Applied 0002_more.sql.')]);
  expect(await ask('plain')).toEqual([{ text: "it's; here" }]);
  expect((await push(folder, '--database')).stdout).toContain('unchanged');
});

test('what functions do not have is named before anything is deployed', async () => {
  const folder = makeFolder('partly', {
    'wrangler.jsonc': `{ "name": "partly", "main": "worker.js", // a comment
      "kv_namespaces": [{ "binding": "KV", "id": "1" }], "r2_buckets": [], "durable_objects": { "bindings": [] },
      "vars": { "lower": "x" }, "d1_databases": [{ "binding": "A" }, { "binding": "B" }], }`,
    'worker.js': 'export default { fetch: (request, env) => Response.json(Object.keys(env).sort()) }',
  });
  const refused = await push(folder);
  expect(refused.code).toBe(2);
  for (const said of ['KV', 'Durable Objects', 'the database B', 'the variable lower', '--partly'])
    expect(refused.stderr).toContain(said);
  expect(refused.stderr).not.toContain('R2');
  expect((await call(server, 'GET', '/api/functions/partly', { token: ada.token })).status).toBe(404);
});

test.each([
  ['wrangler.toml', 'name = [', 'cannot be read'],
  ['wrangler.toml', 'name = "x"', 'names no main module'],
  ['wrangler.json', '{ "main": "gone.js" }', 'gone.js does not exist'],
])('%s with %j is refused', async (file, text, message) => {
  const pushed = await push(makeFolder(`bad-${message.slice(0, 5).trim()}`, { [file]: text }));
  expect(pushed.code).not.toBe(0);
  expect(pushed.stderr).toContain(message);
});

test('the server reads the settings too, and refuses those that it cannot', async () => {
  const deploy = (slug: string, settings: string) =>
    call(server, 'POST', '/api/functions', {
      token: ada.token,
      body: {
        slug,
        enableDatabase: true,
        code: 'export default { fetch: (request, env) => Response.json(Object.keys(env).sort()) }',
        files: { 'wrangler.toml': settings },
      },
    });
  expect((await deploy('named', '[[d1_databases]]\nbinding = "Posts"')).status).toBe(201);
  expect(await ask('named')).toEqual(expect.arrayContaining(['DB', 'Posts']));
  for (const bad of [
    '[[d1_databases]]\nbinding = "a b"',
    '[[d1_databases]]\nbinding = "A"\n[[d1_databases]]\nbinding = "B"',
    'd1_databases = 1',
    `a = ${'['.repeat(60_000)}`,
  ]) {
    const refused = await deploy('refused', bad);
    expect([refused.status, refused.body.code, refused.body.file]).toEqual([
      422,
      'DEPLOY_FAILED',
      'wrangler.toml',
    ]);
  }
});
