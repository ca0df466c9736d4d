import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** What leaves Quire runs with wrangler, Cloudflare's own tool, and a Worker from one of its templates comes in and leaves. */

const TEST_MS = 240_000;
const npm = (args: string[], cwd?: string) =>
  Bun.spawnSync(['npm', ...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    ...(cwd !== undefined && { cwd }),
    stderr: 'ignore',
    timeout: TEST_MS,
  });
const isThere = (name: string) => npm(['view', name, 'version']).success;
const hasWrangler = isThere('wrangler@4');
const hasTemplates = hasWrangler && isThere('create-cloudflare@2');

let server: TestServer;
let ada: Account;
let shell: Shell;
const children: Bun.Subprocess[] = [];
beforeAll(async () => {
  const registry = npm(['config', 'get', 'registry']).stdout.toString().trim();
  server = await startServer({
    settings: {
      QUIRE_LOG_LEVEL: 'silent',
      QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
      QUIRE_NPM_REGISTRY: registry,
    },
  });
  ada = await register(server, 'ada');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: ada.token });
});
afterAll(async () => {
  for (const child of children) child.kill();
  await Promise.all(children.map((child) => child.exited));
  await shell.stop();
  await server.stop();
});

function write(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Publishes a page that calls a function, and exports both. */
async function exportWith(slug: string): Promise<string> {
  const site = join(shell.folder, `${slug}-site`);
  write(site, { 'index.html': `<title>${slug}</title><script>PageFunctions.call('${slug}')</script>` });
  const { page } = await shell.json(['pages', 'push', site]);
  await shell.json(['pages', 'export', page.slug, `${slug}-out`]);
  return join(shell.folder, `${slug}-out/functions/${slug}`);
}

const SETTINGS = { WRANGLER_SEND_METRICS: 'false', CI: 'true', NO_COLOR: '1' };

/** Installs what an exported Worker needs, makes its database, and runs it. Returns its address. */
async function runElsewhere(folder: string): Promise<string> {
  expect(npm(['install'], folder).exitCode).toBe(0);
  const env = { ...shell.env, ...SETTINGS, HOME: shell.home };
  const migrated = Bun.spawnSync(['npm', 'run', 'migrate'], { cwd: folder, env, timeout: TEST_MS });
  expect([migrated.exitCode, migrated.stderr.toString()]).toEqual([0, expect.anything()]);
  const child = Bun.spawn(
    [
      ...['npm', 'run', 'dev', '--', '--ip', '127.0.0.1', '--port', '0', '--inspector-port', '0'],
      ...['--test-scheduled', '--compatibility-date', chooseDate(folder)],
    ],
    { cwd: folder, env, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' },
  );
  children.push(child);
  let seen = '';
  for await (const chunk of child.stdout) {
    seen += Buffer.from(chunk).toString();
    const [, url] = /Ready on (http:\/\/[\d.:]+)/.exec(seen) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`wrangler ended: ${seen}${await new Response(child.stderr).text()}`);
}

/** The date of a Worker, or of the runtime that npm installed, which is older if Node.js is too old for the newest. */
function chooseDate(folder: string): string {
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const [, wanted = ''] = /compatibility_date = "(.*)"/.exec(read('wrangler.toml')) ?? [];
  const { version } = JSON.parse(read('node_modules/workerd/package.json'));
  const newest = version.replace(/^\d+\.(\d{4})(\d\d)(\d\d)\..*$/, '$1-$2-$3');
  return wanted < newest ? wanted : newest;
}

const post = async (url: string, body: object = {}) => {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  return text.startsWith('{') ? JSON.parse(text) : text;
};

const NOTES = `import { Hono } from 'npm:hono@4';
import { AsyncLocalStorage } from 'node:async_hooks';
import hello from './hello.md';
type Env = { Bindings: { DB: D1Database; API_KEY?: string } };
const app = new Hono<Env>();
app.post('/', async (c) => {
  const { text } = await c.req.json();
  if (text) await c.env.DB.prepare('INSERT INTO notes (text) VALUES (?)').bind(text).run();
  const { results } = await c.env.DB.prepare('SELECT text FROM notes ORDER BY id').all();
  return c.json({ notes: results.map((row) => row.text), hello, hasStorage: typeof AsyncLocalStorage, hasKey: c.env.API_KEY !== undefined });
});
export default {
  fetch: app.fetch,
  async scheduled(controller: ScheduledController, env: Env['Bindings']) {
    await env.DB.prepare('INSERT INTO notes (text) VALUES (?)').bind(controller.cron).run();
  },
};`;

test.skipIf(!hasWrangler)(
  'an exported function runs with wrangler, with its database and schedule',
  async () => {
    const body = {
      slug: 'notes',
      code: NOTES,
      files: { 'hello.md': '# Hello' },
      enableDatabase: true,
      schedules: [{ cron: '0 3 * * 1-5' }],
    };
    expect((await call(server, 'POST', '/api/functions', { token: ada.token, body })).status).toBe(201);
    await shell.run(['functions', 'secrets', 'set', 'notes', 'API_KEY'], { stdin: 'hidden' });
    await shell.json(['functions', 'sql', 'notes', 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)']);
    const here = `${server.baseUrl}/api/functions/notes`;
    expect(await post(here, { text: "it's here" })).toMatchObject({ notes: ["it's here"], hasKey: true });

    const url = await runElsewhere(await exportWith('notes'));
    const there = await post(url, { text: 'elsewhere' });
    expect(there).toEqual({
      notes: ["it's here", 'elsewhere'],
      hello: '# Hello',
      hasStorage: 'function',
      hasKey: false,
    });
    await fetch(`${url}/__scheduled?cron=${encodeURIComponent('0 3 * * MON-FRI')}`);
    expect((await post(url)).notes.at(-1)).toBe('0 3 * * MON-FRI');
    expect((await post(here)).notes).toEqual(["it's here"]);
  },
  TEST_MS,
);

/** One of the templates that `npm create cloudflare` offers, as it fills it in. */
function unpackTemplate(template: string, name: string): string {
  const folder = join(shell.folder, 'create-cloudflare');
  mkdirSync(folder, { recursive: true });
  const packed =
    npm(['pack', 'create-cloudflare@2'], folder).stdout.toString().trim().split('\n').at(-1) ?? '';
  expect(Bun.spawnSync(['tar', 'xzf', packed], { cwd: folder }).exitCode).toBe(0);
  const made = join(shell.folder, name);
  cpSync(join(folder, 'package/templates', template), made, { recursive: true });
  for (const file of ['wrangler.jsonc', 'package.json']) {
    const text = readFileSync(join(made, file), 'utf8')
      .replace(/<(?:WORKER|PACKAGE)_NAME>/, name)
      .replace('<COMPATIBILITY_DATE>', '2026-04-01');
    writeFileSync(join(made, file), text);
  }
  return made;
}

test.skipIf(!hasTemplates)(
  'a Worker from Cloudflare’s template, with D1 as its documentation adds it, comes in with one command and leaves with another',
  async () => {
    const folder = unpackTemplate('hello-world/ts', 'd1-tutorial');
    const settings = join(folder, 'wrangler.jsonc');
    const database = `"d1_databases": [{ "binding": "prod_d1_tutorial", "database_name": "prod-d1-tutorial", "database_id": "x" }],\n}`;
    writeFileSync(settings, readFileSync(settings, 'utf8').trimEnd().replace(/\}$/, database));
    write(folder, {
      'migrations/0001_customers.sql': `CREATE TABLE IF NOT EXISTS Customers (CustomerId INTEGER PRIMARY KEY, CompanyName TEXT);
INSERT INTO Customers VALUES (1, 'Alfreds Futterkiste'), (2, 'Around the Horn');`,
    });
    const main = join(folder, 'src/index.ts');
    const query = `const { results } = await env.prod_d1_tutorial.prepare('SELECT * FROM Customers').run();
		return Response.json({ results });`;
    writeFileSync(main, readFileSync(main, 'utf8').replace('return new Response("Hello World!");', query));

    const pushed = await shell.json(['functions', 'push', folder]);
    expect([pushed.slug, pushed.migrations]).toEqual(['d1-tutorial', ['0001_customers.sql']]);
    const expected = {
      results: [
        { CustomerId: 1, CompanyName: 'Alfreds Futterkiste' },
        { CustomerId: 2, CompanyName: 'Around the Horn' },
      ],
    };
    expect(await post(`${server.baseUrl}/api/functions/d1-tutorial`)).toEqual(expected);
    expect(await post(await runElsewhere(await exportWith('d1-tutorial')))).toEqual(expected);
  },
  TEST_MS,
);

test.skipIf(!hasTemplates)(
  'Cloudflare’s template with OpenAPI comes in as it is',
  async () => {
    const { workerUrl } = await shell.json(['functions', 'push', unpackTemplate('openapi/ts', 'tasks')]);
    const { host } = new URL(workerUrl);
    const response = await fetch(`${server.baseUrl}/openapi.json`, { headers: { host } });
    const { paths } = (await response.json()) as { paths: object };
    expect(Object.keys(paths)).toContain('/api/tasks');
  },
  TEST_MS,
);
