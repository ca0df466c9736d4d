import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** A page leaves with its functions and data, and comes in again. */

const SECRET = 'the value that nobody may see';

let server: TestServer;
let ada: Account;
let eve: Account;
let shell: Shell;
beforeAll(async () => {
  server = await startServer({
    settings: { QUIRE_LOG_LEVEL: 'silent', QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' },
  });
  ada = await register(server, 'ada');
  eve = await register(server, 'eve');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: ada.token });
  await deploy('notes', NOTES, {
    enableDatabase: true,
    files: {
      'lib/now.ts': "import { kind } from '../function.ts';\nexport const now = (): string => kind;\n",
      'hello.md': '# Hello',
    },
    schedules: [{ cron: '0 3 * * 1-5' }, { cron: '0 4 * * *', timezone: 'Europe/Berlin' }],
  });
  await deploy('archive', 'export default { fetch: () => new Response("archive") };', {
    useDatabase: 'notes',
    isPublic: false,
  });
  await deploy('uncalled', 'export default { fetch: () => new Response("uncalled") };');
  await deploy('hers', 'export default { fetch: () => new Response("hers") };', {}, eve);
  await api('PUT', '/api/functions/notes/secrets/API_KEY', { value: SECRET });
  await ask('notes', { text: "it's; here" });
  await publish();
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

const NOTES = `import { now } from './lib/now.ts';
import hello from './hello.md';
export const kind: string = 'typed';
export default {
  async fetch(request: Request, env: { DB: D1Database; API_KEY?: string }) {
    const { text } = await request.json() as { text?: string };
    await env.DB.exec('CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL)');
    if (text) await env.DB.prepare('INSERT INTO notes (text) VALUES (?)').bind(text).run();
    const { results } = await env.DB.prepare('SELECT text FROM notes ORDER BY id').all();
    return Response.json({ notes: results.map((row) => row.text), now: now(), hello, hasKey: env.API_KEY !== undefined });
  },
  async scheduled() { console.log(kind); },
};`;

const HTML = `<!doctype html><title>Notes</title><script src="app.js"></script>
<form data-quire-form="contact"><input name="a"></form>
<script>PageFunctions.call('notes', {}); fetch('/api/functions/hers', { method: 'POST' }); SoloData.list('todos');</script>`;

async function api(method: string, path: string, body?: unknown, as: Account = ada) {
  const answer = await call(server, method, path, { token: as.token, ...(body !== undefined && { body }) });
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const deploy = (slug: string, code: string, fields: object = {}, as = ada) =>
  api('POST', '/api/functions', { slug, code, ...fields }, as);
const ask = (slug: string, body: object = {}, as = ada) => api('POST', `/api/functions/${slug}`, body, as);

async function publish() {
  const folder = join(shell.folder, 'site-of-notes');
  const files = {
    'index.html': HTML,
    'app.js': "PageFunctions.fetch('archive', '/'); // unfurl: fetch('/api/functions/unfurl-url')",
    'deep/er/font.bin': '\0\x01',
    'page.json': JSON.stringify({ name: 'Notes', slug: 'notes-page', storage_mode: 'solo_app', spa: true }),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const { page } = await shell.json(['pages', 'push', folder]);
  // Nothing on the page calls it, but it belongs to the page.
  const { functions } = (await api('GET', `/api/pages/${page.id}`)).page;
  await api('PATCH', `/api/pages/${page.id}`, { functions: [...functions, 'uncalled'] });
  for (const title of ['one', 'two'])
    await api('POST', `/api/pages/${page.id}/solo-data/todos`, { data: { title } });
}

const read = (...path: string[]) => readFileSync(join(shell.folder, ...path), 'utf8');
const paths = (folder: string) =>
  readdirSync(join(shell.folder, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(shell.folder, folder, '/').length))
    .sort();

test('a page is exported with its files, functions, database, schedules and records, and a report', async () => {
  const { taken, left, folder, page } = await shell.json(['pages', 'export', 'notes-page', 'out']);
  expect([folder, page.slug]).toEqual(['out', 'notes-page']);
  expect(paths('out')).toEqual([
    'EXPORT.md',
    'data/todos.ndjson',
    'functions/archive/package.json',
    'functions/archive/src/index.js',
    'functions/archive/wrangler.toml',
    'functions/notes/migrations/0000_export.sql',
    'functions/notes/package.json',
    'functions/notes/src/function.ts',
    'functions/notes/src/hello.md',
    'functions/notes/src/lib/now.ts',
    'functions/notes/wrangler.toml',
    'functions/uncalled/package.json',
    'functions/uncalled/src/index.js',
    'functions/uncalled/wrangler.toml',
    'site/_redirects',
    'site/app.js',
    'site/deep/er/font.bin',
    'site/index.html',
  ]);
  expect(read('out/site/index.html')).toBe(HTML);
  expect(
    read('out/data/todos.ndjson')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).data.title),
  ).toEqual(['one', 'two']);
  expect(Bun.TOML.parse(read('out/functions/notes/wrangler.toml'))).toEqual({
    name: 'notes',
    main: 'src/function.ts',
    compatibility_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    compatibility_flags: ['nodejs_compat'],
    rules: [{ type: 'Text', globs: ['**/*.md'], fallthrough: true }],
    d1_databases: [
      {
        binding: 'DB',
        database_name: 'notes',
        database_id: '00000000-0000-0000-0000-000000000000',
        migrations_dir: 'migrations',
      },
    ],
    triggers: { crons: ['0 3 * * MON-FRI'] },
  });
  expect(read('out/functions/notes/wrangler.toml')).toContain('wrangler secret put API_KEY');
  expect(taken).toContainEqual({
    path: 'functions/notes/',
    what: 'a Worker, with its database as SQL, with 1 schedule',
  });
  const why = (path: string) =>
    left
      .filter((each: { path: string }) => each.path === path)
      .map((each: { why: string }) => each.why)
      .join('\n');
  expect(why('site/index.html')).toMatch(/calls functions[\s\S]*collections[\s\S]*forms/);
  expect(why('functions/hers')).toContain('belongs to eve');
  expect(why('functions/unfurl-url')).toContain('a part of Quire');
  expect(why('functions/archive')).toContain('only you could call it');
  expect(why('functions/notes')).toMatch(/API_KEY[\s\S]*|Europe\/Berlin/);
  expect(why('data')).toContain('your own records only');
  const report = read('out/EXPORT.md');
  for (const { path, why: said } of left) expect(report).toContain(`- \`${path}\`: ${said}`);
});

test('the value of a secret is nowhere in an export', () => {
  for (const path of paths('out')) expect([path, read('out', path).includes(SECRET)]).toEqual([path, false]);
});

test('the dump makes the database with SQLite alone', () => {
  const database = new Database(':memory:');
  database.run(read('out/functions/notes/migrations/0000_export.sql'));
  expect(database.query('SELECT * FROM notes').all()).toEqual([{ id: 1, text: "it's; here" }]);
});

test('two functions with one database have one dump', () => {
  const [archive] = (
    Bun.TOML.parse(read('out/functions/archive/wrangler.toml')) as { d1_databases: object[] }
  ).d1_databases;
  expect(archive).toMatchObject({ database_name: 'notes', migrations_dir: '../notes/migrations' });
});

test('the Worker moves in again, and answers as before', async () => {
  const pushed = await shell.run(['functions', 'push', 'out/functions/notes', '--slug', 'notes-again'], {
    env: { QUIRE_TOKEN: eve.token },
  });
  expect([pushed.code, pushed.stdout]).toEqual([0, expect.stringContaining('created    notes-again')]);
  expect(pushed.stderr).toContain('Applied 0000_export.sql.');
  expect(await ask('notes-again', { text: 'more' }, eve)).toEqual({
    notes: ["it's; here", 'more'],
    now: 'typed',
    hello: '# Hello',
    hasKey: false,
  });
  const { schedules } = await api('GET', '/api/functions/notes-again', undefined, eve);
  expect(schedules).toMatchObject([{ cron: '0 3 * * MON-FRI', timezone: 'UTC' }]);
});

test('a Worker that moved in leaves with its binding, its variables and its past migrations, and comes back', async () => {
  const folder = join(shell.folder, 'worker');
  const files = {
    'wrangler.jsonc': `{ "name": "visits", "main": "src/index.ts", "vars": { "GREETING": "Hello" },
      "d1_databases": [{ "binding": "VISITS", "database_name": "visits", "database_id": "x" }] }`,
    'src/index.ts': `export default { async fetch(_: Request, env: { VISITS: D1Database; GREETING: string }) {
      await env.VISITS.exec('INSERT INTO visits DEFAULT VALUES');
      return Response.json([env.GREETING, await env.VISITS.prepare('SELECT count(*) AS n FROM visits').first('n')]);
    } };`,
    'migrations/0001_visits.sql': 'CREATE TABLE visits (id INTEGER PRIMARY KEY);',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  await shell.json(['functions', 'push', folder]);
  expect(await ask('visits')).toEqual(['Hello', 1]);
  const { left } = await shell.json([
    'pages',
    'export',
    'notes-page',
    'with-visits',
    '--functions',
    'visits',
  ]);
  expect(left.filter(({ path }: { path: string }) => path === 'functions/visits')).toEqual([]);
  expect(Bun.TOML.parse(read('with-visits/functions/visits/wrangler.toml'))).toMatchObject({
    vars: { GREETING: 'Hello' },
    d1_databases: [{ binding: 'VISITS' }],
  });
  const again = ['functions', 'push', 'with-visits/functions/visits', '--slug', 'visits-again'];
  expect((await shell.json(again)).migrations).toEqual(['0000_export.sql']);
  expect(await ask('visits-again')).toEqual(['Hello', 2]);
  // Its first migration counts as applied, so the old folder can follow.
  const { results } = await shell.json([
    'functions',
    'sql',
    'visits-again',
    'SELECT name FROM d1_migrations ORDER BY id',
  ]);
  expect(results).toEqual([{ name: '0001_visits.sql' }, { name: '0000_export.sql' }]);
});

test('imports of packages become names with versions in package.json', async () => {
  const code = `// import 'npm:never@1' is only a comment
import { z } from 'npm:zod@4';
import old from "npm:zod@3/v3";
import { Hono } from 'npm:@scope/hono/tiny';
export default { fetch: () => new Response('npm:text@1') };`;
  const { Packages } = await import('../../cli/pages/export/packages.ts');
  const packages = new Packages({ hono: '4' });
  expect(packages.rewrite(code).split('\n').slice(1)).toEqual([
    "import { z } from 'zod';",
    'import old from "zod-3/v3";',
    "import { Hono } from '@scope/hono/tiny';",
    "export default { fetch: () => new Response('npm:text@1') };",
  ]);
  expect(packages.rewrite('/** @jsxImportSource npm:preact@10 */')).toBe('/** @jsxImportSource preact */');
  expect(packages.dependencies).toMatchObject({
    zod: '4',
    'zod-3': 'npm:zod@3',
    preact: '10',
    '@scope/hono': 'latest',
    hono: '4',
  });
});

test('a folder with files, and an archive, are overwritten only with --force', async () => {
  writeFileSync(join(shell.folder, 'out/mine.txt'), 'mine');
  writeFileSync(join(shell.folder, 'out/site/gone.html'), 'of an earlier version');
  const refused = await shell.run(['pages', 'export', 'notes-page', 'out']);
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('out is not empty')]);
  expect(existsSync(join(shell.folder, 'out/site/gone.html'))).toBe(true);
  expect((await shell.run(['pages', 'export', 'notes-page', 'out', '--force'])).code).toBe(0);
  expect(read('out/mine.txt')).toBe('mine');
  expect(existsSync(join(shell.folder, 'out/site/gone.html'))).toBe(false);

  const { file } = await shell.json(['pages', 'export', 'notes-page', 'out.zip']);
  expect(file).toBe('out.zip');
  const listed = Bun.spawnSync(['unzip', '-tqq', join(shell.folder, 'out.zip')]);
  expect([listed.exitCode, listed.stdout.toString()]).toEqual([0, '']);
  expect((await shell.run(['pages', 'export', 'notes-page', 'out.zip'])).code).toBe(5);
  expect((await shell.run(['pages', 'export', 'notes-page', 'site-of-notes/index.html'])).code).toBe(5);
});

test('the export of somebody else’s page, and of a name that is not one, changes nothing', async () => {
  const before = readdirSync(shell.folder).sort();
  const strange = await shell.run(['pages', 'export', 'notes-page', 'never'], {
    env: { QUIRE_TOKEN: eve.token },
  });
  expect(strange.code).not.toBe(0);
  expect((await shell.run(['pages', 'export', 'no-such-page', 'never'])).code).toBe(4);
  expect((await shell.run(['pages', 'export', 'notes-page', 'never', '--functions', '../x'])).code).toBe(2);
  expect(readdirSync(shell.folder).sort()).toEqual(before);
});
