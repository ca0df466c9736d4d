import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BINDINGS } from '../../contract/rules/function-names.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** A folder under version control: a clone of it on another machine can do what the first one can. */

let server: TestServer;
let ada: Account;
/** Two machines of the same person. */
let here: Shell;
let there: Shell;
beforeAll(async () => {
  server = await startServer({
    settings: {
      QUIRE_LOG_LEVEL: 'silent',
      QUIRE_DEPLOYS_PER_HOUR: '0',
      QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
    },
  });
  ada = await register(server, 'ada');
  const login = { QUIRE_URL: server.baseUrl, QUIRE_TOKEN: ada.token };
  [here, there] = [openShell(login), openShell(login)];
});
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await server.stop();
});

function write(shell: Shell, name: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(shell.folder, name)), { recursive: true });
  writeFileSync(join(shell.folder, name), content);
}
const read = (shell: Shell, name: string) => readFileSync(join(shell.folder, name), 'utf8');
/** What git does with a folder that is committed. */
const clone = (name: string) =>
  cpSync(join(here.folder, name), join(there.folder, name), { recursive: true });
const says = (word: string) => `export default { fetch: () => new Response('${word}') };\n`;
const html = (word: string) => `<!doctype html><title>Club</title>\n<h1>${word}</h1>\n`;

async function api(method: string, path: string, body?: object) {
  const answer = await call(server, method, path, { token: ada.token, ...(body && { body }) });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status}`);
  return answer.body;
}
const answer = async (slug: string) => (await call(server, 'POST', `/api/functions/${slug}`)).body;

/** A page with two functions. */
function writeClub(): void {
  write(here, 'club/index.html', html('one'));
  write(here, 'club/style.css', 'h1 { color: red }\n');
  write(here, 'club/page.json', '{ "slug": "club", "name": "Club" }');
  for (const slug of ['club-news', 'club-poll']) {
    write(here, `club/functions/${slug}/function.json`, JSON.stringify({ slug, description: 'Of the club' }));
    write(
      here,
      `club/functions/${slug}/function.ts`,
      `import { word } from './lib/word.ts';\nexport default { fetch: () => new Response(word) };\n`,
    );
    write(here, `club/functions/${slug}/lib/word.ts`, `export const word: string = '${slug}';\n`);
  }
}

test('a page comes and goes with its functions, and a clone pushes without --force', async () => {
  writeClub();
  const pushed = await here.json(['pages', 'push', 'club']);
  expect(pushed).toMatchObject({ action: 'created', files: { total: 1 } });
  expect(await answer('club-poll')).toBe('club-poll');
  const { page } = await api('GET', `/api/pages/${pushed.page.id}`);
  expect(page.functions).toEqual(['club-news', 'club-poll']);
  expect((await fetch(`${pushed.page.url}/functions/club-poll/function.ts`)).status).toBe(404);
  expect((await here.json(['pages', 'push', 'club'])).action).toBe('unchanged');

  clone('club');
  write(there, 'club/index.html', html('two'));
  write(there, 'club/functions/club-poll/lib/word.ts', "export const word: string = 'changed';\n");
  const changed = await there.json(['pages', 'push', 'club']);
  expect(changed.functions.map(({ action }: { action: string }) => action)).toEqual(['unchanged', 'updated']);
  expect(await answer('club-poll')).toBe('changed');

  // The first machine knows an older version of both.
  write(here, 'club/functions/club-poll/lib/word.ts', "export const word: string = 'mine';\n");
  const refused = await here.run(['pages', 'push', 'club', '--json']);
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('quire diff') });
  expect(refused.json()).toMatchObject({ code: 'CONFLICT' });
  const alone = await here.run(['functions', 'push', 'club/functions/club-poll', '--json']);
  expect(alone).toMatchObject({ code: 5, stderr: expect.stringContaining('quire diff') });
  expect(await answer('club-poll')).toBe('changed');

  // A pull brings what the other machine pushed, and keeps what was changed here.
  const unsaved = await here.run(['pages', 'pull', 'club', 'club']);
  expect(unsaved).toMatchObject({ code: 5, stderr: expect.stringContaining('club-poll/lib/word.ts') });
  await here.json(['pages', 'pull', 'club', 'club', '--force']);
  expect(read(here, 'club/index.html')).toBe(html('two'));
  expect(read(here, 'club/functions/club-poll/lib/word.ts')).toContain('changed');
  expect((await here.json(['pages', 'push', 'club'])).action).toBe('unchanged');

  // A fresh folder gets everything.
  const fresh = await there.json(['pages', 'pull', 'club', 'fresh']);
  expect(fresh.functions).toEqual([
    { slug: 'club-news', version: 1 },
    { slug: 'club-poll', version: 2 },
  ]);
  for (const name of ['style.css', 'functions/club-news/function.ts', 'functions/club-news/lib/word.ts'])
    expect(read(there, `fresh/${name}`)).toBe(read(here, `club/${name}`));
  expect((await there.run(['diff', 'fresh'])).code).toBe(0);
  expect((await there.json(['pages', 'push', 'fresh'])).action).toBe('unchanged');
});

test('a function goes round with its files, packages and settings, byte for byte', async () => {
  const wasm = 'AGFzbQEAAAABBwFgAn9/AX8DAgEABwcBA2FkZAAACgkBBwAgACABags=';
  const sent = {
    code: "\uFEFFimport text from './notes.txt';\r\nexport default { fetch: () => new Response(text), scheduled() {} };",
    files: {
      'notes.txt': 'no newline at the end, é and \u2028',
      'deep/er/add.wasm': wasm,
      'package.json': '{ "name": "round" }',
      'wrangler.toml': 'name = "round"\n',
      'function.js': 'export const other = 1;',
      'unused.ts': 'export const a = 1;\r\n',
    },
  };
  const schedules = [{ cron: '0 3 * * *', timezone: 'Europe/Berlin' }];
  const about = { displayName: 'Round', description: 'Goes "round"', isPublic: false };
  const settings = { ...about, schedules, aiDailyLimit: 7 };
  await api('POST', '/api/functions', { slug: 'round', ...sent, ...settings, enableDatabase: true });

  const pulled = await here.json(['functions', 'pull', 'round']);
  expect(pulled.files.sort()).toEqual(['function.json', 'function.ts', ...Object.keys(sent.files)].sort());
  expect(JSON.parse(read(here, 'round/function.json'))).toEqual({
    ...{ slug: 'round', ...settings, enableDatabase: true },
  });
  expect((await here.run(['diff', 'round'])).code).toBe(0);
  expect(await here.json(['functions', 'push', 'round'])).toMatchObject({ action: 'unchanged' });

  const changed = read(here, 'round/function.json').replace('round\\"', 'about\\"');
  write(here, 'round/function.json', changed.replace('"aiDailyLimit": 7', '"aiDailyLimit": 0'));
  write(here, 'round/added.md', '# Added');
  rmSync(join(here.folder, 'round/unused.ts'));
  const differs = await here.json(['diff', 'round']).catch((error: Error) => error.message);
  expect(differs).toContain('ended with 1');
  const { changes } = (await here.run(['diff', 'round', '--json'])).json();
  expect(changes.map(({ path, change }: { path: string; change: string }) => `${change} ${path}`)).toEqual([
    'added added.md',
    'changed function.json',
    'removed unused.ts',
  ]);
  expect(await here.json(['functions', 'push', 'round'])).toMatchObject({ action: 'updated', version: 2 });
  const { 'unused.ts': _, ...kept } = sent.files;
  const deployed = await api('GET', '/api/functions/round/code');
  expect([deployed.code, deployed.files]).toEqual([sent.code, { ...kept, 'added.md': '# Added' }]);
  const stored = await api('GET', '/api/functions/round');
  expect([stored.description, stored.aiDailyLimit]).toEqual(['Goes "about"', 0]);

  // What is removed on the server is removed here, if nobody changed it.
  await api('PATCH', '/api/functions/round', { code: sent.code, files: { 'notes.txt': 'new' } });
  await here.json(['functions', 'pull', 'round']);
  expect(existsSync(join(here.folder, 'round/deep'))).toBe(false);
  expect(read(here, 'round/notes.txt')).toBe('new');
  expect(await here.json(['functions', 'push', 'round'])).toMatchObject({ action: 'unchanged' });

  // A single file has no place for all of it.
  await api('PATCH', '/api/functions/round', { code: sent.code, files: sent.files });
  const alone = await here.run(['functions', 'pull', 'round', 'alone.ts']);
  expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('as a folder') });
});

test('diff shows files, settings and lines, and ends as diff does', async () => {
  write(here, 'wall/index.html', html('one'));
  write(here, 'wall/page.json', '{ "slug": "wall", "name": "Wall", "storage_mode": "social_app" }');
  write(here, 'wall/a.css', 'p { color: red }\n');
  write(here, 'wall/picture.png', new Uint8Array([0x89, 0, 1, 2]));
  await here.json(['pages', 'push', 'wall']);
  const same = await here.run(['diff', 'wall']);
  expect(same).toMatchObject({ code: 0, stdout: '', stderr: 'No difference.\n' });

  write(here, 'wall/index.html', html('two'));
  write(here, 'wall/page.json', '{ "name": "The wall", "slug": "wall" }');
  write(here, 'wall/b.css', '');
  write(here, 'wall/picture.png', new Uint8Array([0x89, 0, 1, 3]));
  rmSync(join(here.folder, 'wall/a.css'));
  const { code, stdout } = await here.run(['diff', 'wall']);
  expect(code).toBe(1);
  expect(stdout).toContain('-<h1>one</h1>\n+<h1>two</h1>');
  expect(stdout).toContain('-  "name": "Wall",\n+  "name": "The wall",');
  expect(stdout).not.toContain('storage_mode');
  expect(stdout).toContain('-p { color: red }');
  expect(stdout).toContain('+++ b.css');
  expect(stdout).toContain('Different, and not text: picture.png');
  expect((await here.run(['diff', 'nowhere'])).code).toBe(4);
  write(here, 'unknown/index.html', html('x'));
  expect((await here.run(['diff', 'unknown'])).code).toBe(4);
});

test('dev saves a draft, which push publishes and removes', async () => {
  write(here, 'shop/index.html', html('one'));
  write(here, 'shop/style.css', 'p {}');
  write(here, 'shop/page.json', '{ "slug": "shop" }');
  const dev = here.start(['dev', 'shop']);
  const said = await dev.until(/Open (\S+)\?quire-dev to see[\s\S]*Watching/, 'stderr');
  const [, preview = ''] = /Open (\S+)\?quire-dev/.exec(said) ?? [];
  const show = async (path = '') => (await fetch(preview + path)).text();
  expect(await show()).toContain('<h1>one</h1>');
  // Nobody sees the page itself.
  expect((await fetch(`${server.baseUrl}/p/shop`)).status).toBe(404);
  write(here, 'shop/style.css', 'p { color: red }');
  await dev.until(/saved[\s\S]*saved/);
  expect(await show('style.css')).toBe('p { color: red }');
  const { code, stderr } = await dev.interrupt();
  expect(code).toBe(0);
  expect(stderr).toContain(preview);
  expect(stderr).toContain('Publish them with: quire pages push shop');
  const drafts = async () => (await here.json(['pages', 'drafts', 'list', 'shop'])).drafts;
  expect(await drafts()).toHaveLength(1);

  // The next session goes on with the same draft, and says which functions it does not deploy.
  write(here, 'shop/functions/shop-api/function.json', '{ "slug": "shop-api" }');
  write(here, 'shop/functions/shop-api/function.js', says('shop'));
  const again = here.start(['dev', 'shop']);
  await again.until(/quire functions push shop\/functions\/shop-api[\s\S]*Watching/, 'stderr');
  await again.interrupt();
  expect(await drafts()).toHaveLength(1);
  expect((await call(server, 'POST', '/api/functions/shop-api')).status).toBe(404);

  await here.json(['pages', 'push', 'shop']);
  expect(await (await fetch(`${server.baseUrl}/p/shop`)).text()).toContain('<h1>one</h1>');
  expect(await answer('shop-api')).toBe('shop');
  expect(await drafts()).toEqual([]);
});

test('logs shows all functions of a page, each line with its function', async () => {
  const speak = (word: string) =>
    `export default { fetch() { console.log('${word}'); return new Response('ok'); } };`;
  write(here, 'talk/index.html', html('talk'));
  write(here, 'talk/page.json', '{ "slug": "talk" }');
  for (const slug of ['talk-a', 'talk-bee']) {
    write(here, `talk/functions/${slug}/function.json`, JSON.stringify({ slug }));
    write(here, `talk/functions/${slug}/function.js`, speak(`I am ${slug}`));
  }
  await here.json(['pages', 'push', 'talk']);
  const follow = here.start(['logs', 'talk', '--follow']);
  for (const slug of ['talk-a', 'talk-bee']) await answer(slug);
  await follow.until(/^talk-a {3}.*I am talk-a$/m);
  await follow.until(/^talk-bee .*I am talk-bee$/m);
  expect((await follow.interrupt()).code).toBe(0);
  const { logs } = await here.json(['logs', 'talk']);
  expect(new Set(logs.map((entry: { function: string }) => entry.function))).toEqual(
    new Set(['talk-a', 'talk-bee']),
  );
  expect((await here.run(['logs', 'no-such-page'])).code).toBe(4);
});

test('types writes what env has, and it is not sent', async () => {
  const code = 'export default { fetch: (_, env) => Response.json(Object.keys(env).sort()) };\n';
  write(here, 'typed/index.html', html('typed'));
  const schemas = {
    votes: {
      fields: {
        choice: { type: 'enum', values: ['a', 'b"'], required: true },
        'of whom': { type: 'string' },
      },
    },
  };
  write(here, 'typed/page.json', JSON.stringify({ slug: 'typed', storage_mode: 'social_app', schemas }));
  write(here, 'typed/functions/typed-fn/function.json', '{ "slug": "typed-fn", "enableDatabase": true }');
  write(here, 'typed/functions/typed-fn/function.js', code);
  await here.json(['pages', 'push', 'typed']);
  await api('PUT', '/api/functions/typed-fn/secrets/API_KEY', { value: 'secret value' });

  const file = 'typed/functions/typed-fn/env.d.ts';
  expect(await here.json(['types', 'typed'])).toEqual({ files: [file] });
  const text = read(here, file);
  expect(text).toContain('  API_KEY: string;');
  expect(text).toContain('  DB: D1Database;');
  expect(text).toContain('  transaction<Result>(run: (tx: D1Database) =>');
  for (const { name, type } of BINDINGS) expect(text).toContain(`  ${name}: ${type};`);
  expect(text).toContain('interface PageData {');
  expect(text).toContain('  votes: {\n    choice: "a" | "b\\"";\n    "of whom"?: string;\n  };');
  expect(text).not.toContain('secret value');
  expect((await here.run(['diff', 'typed'])).code).toBe(0);
  expect((await here.json(['pages', 'push', 'typed'])).action).toBe('unchanged');

  // The list in the contract is what functions really have.
  const names = BINDINGS.map(({ name }) => name);
  expect((await answer('typed-fn')).sort()).toEqual([...names, 'API_KEY'].sort());

  write(here, file, '// my own');
  expect((await here.run(['types', 'typed'])).code).toBe(5);
  rmSync(join(here.folder, file));
  writeFileSync(join(here.home, 'outside.ts'), 'export const secret = 1;');
  symlinkSync(join(here.home, 'outside.ts'), join(here.folder, 'typed/functions/typed-fn/lib.ts'));
  expect((await here.run(['pages', 'push', 'typed'])).code).toBe(1);
});
