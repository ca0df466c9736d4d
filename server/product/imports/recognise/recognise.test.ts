import { describe, expect, test } from 'bun:test';
import { MAX_PAGE_FILE_BYTES, MAX_PAGE_FILES } from '../../../../contract/rules/limits.ts';
import type { Plan } from './plan.ts';
import { recognise } from './recognise.ts';

const HTML = '<!doctype html><title>Garden &amp; caf&eacute;</title><p>Hello';

function plan(files: Record<string, string>, name?: string): Plan {
  const sent = Object.entries(files).map(([path, text]) => toFile(path, text));
  return recognise(sent, name);
}

function toFile(path: string, text: string, size = Buffer.byteLength(text)) {
  return { path, size, bytes: () => Buffer.from(text) };
}

const takenIn = ({ taken }: Plan) => taken.map(({ path }) => path).sort();
const leftIn = ({ left }: Plan) => left.map(({ path }) => path).sort();
const findWhy = ({ left }: Plan, path: string) => left.find((each) => each.path === path)?.why;

describe('a site', () => {
  test('is everything beside its index.html, and has the title of the document', () => {
    const found = plan({ 'index.html': HTML, 'css/style.css': 'p {}', _redirects: '/a /b' });
    expect(found.kind).toBe('site');
    expect(found.page?.name).toBe('Garden & café');
    expect(found.page?.files.map(({ path }) => path)).toEqual(['css/style.css', '_redirects']);
    expect(found.left).toEqual([]);
  });

  test.each([
    ['dist', 'dist/'],
    ['build', 'build/'],
    ['out', 'out/'],
    ['_site', '_site/'],
    ['.output/public', '.output/public/'],
    ['.vitepress/dist', '.vitepress/dist/'],
    ['public', 'public/'],
    ['docs', 'docs/'],
    ['deep/inside', 'deep/inside/'],
  ])('is found in %s', (_, folder) => {
    const found = plan({ 'README.md': '# Hello', [`${folder}index.html`]: HTML, [`${folder}a/b.js`]: 'b' });
    expect(takenIn(found)).toEqual([`${folder}a/b.js`, `${folder}index.html`]);
    expect(found.page?.files.map(({ path }) => path)).toEqual(['a/b.js']);
    expect(findWhy(found, 'README.md')).toBe('is not part of what is published');
  });

  test('is found in the one folder of an archive, whose name is used without a title', () => {
    const found = plan({ 'garden-main/index.html': '<p>Hello', 'garden-main/a.txt': 'a' });
    expect(found.page?.name).toBe('garden-main');
    expect(takenIn(found)).toEqual(['a.txt', 'index.html']);
  });

  test('names a source project with the command that builds it, and publishes nothing', () => {
    const project = {
      'package.json': '{"scripts":{"build":"vite build"},"devDependencies":{"vite":"7"}}',
      'index.html': '<script type="module" src="/src/main.tsx"></script>',
      'src/main.tsx': 'x',
      'pnpm-lock.yaml': '',
    };
    const found = plan(project);
    expect(found).toMatchObject({ kind: 'nothing', page: undefined, functions: [], taken: [] });
    expect(findWhy(found, 'src/main.tsx')).toContain('run pnpm run build, and import what that makes');
    // With its build, only that is published.
    const built = plan({ ...project, 'dist/index.html': HTML });
    expect(takenIn(built)).toEqual(['dist/index.html']);
    expect(leftIn(built)).toEqual(['index.html', 'package.json', 'pnpm-lock.yaml', 'src/main.tsx']);
  });

  test('is a single-page app if its project has a router, or its 404.html is its document', () => {
    const router = '{"scripts":{"build":"vite build"},"dependencies":{"vue-router":"4","vite":"7"}}';
    const spa = (files: Record<string, string>) => plan(files).page?.settings.spa;
    expect(spa({ 'package.json': router, 'dist/index.html': HTML })).toBe(true);
    expect(spa({ 'index.html': HTML, '404.html': HTML })).toBe(true);
    expect(spa({ 'index.html': HTML, '404.html': 'Not found' })).toBeUndefined();
    // A file 200.html does the same, and page.json decides.
    expect(spa({ 'index.html': HTML, '404.html': HTML, '200.html': HTML })).toBeUndefined();
    expect(spa({ 'index.html': HTML, '404.html': HTML, 'page.json': '{"spa":false}' })).toBe(false);
  });

  test('leaves what is not for everyone, and says why', () => {
    const found = plan({
      'index.html': HTML,
      '.env': 'KEY=1',
      '.git/config': 'x',
      '.git/objects/ab/cd': 'x',
      'node_modules/a/index.js': 'x',
      '__MACOSX/._index.html': 'x',
      'tls/server.pem': 'x',
      'config.js': `const key = 'sk_live_${'a'.repeat(24)}'`,
      'server.js': 'createServer().listen(3000)',
      'data.sqlite': 'x',
      'api/pages/x': 'x',
      '~session': 'x',
      'a\\b.txt': 'x',
      '../up.txt': 'x',
      '/etc/passwd': 'x',
    });
    expect(takenIn(found)).toEqual(['index.html']);
    expect(Object.fromEntries(found.left.map(({ path, why }) => [path, why]))).toEqual({
      '.env': expect.stringContaining('start with a dot'),
      '.git/': expect.stringContaining('start with a dot'),
      'node_modules/': expect.stringContaining('node_modules'),
      '__MACOSX/': expect.stringContaining('other programs'),
      'tls/server.pem': 'is a file for private keys',
      'config.js': 'contains a secret key of Stripe',
      'server.js': expect.stringContaining('is a server'),
      'data.sqlite': 'is a database',
      'api/pages/x': expect.stringContaining('which the service uses itself'),
      '~session': expect.stringContaining('which the service uses itself'),
      'a\\b.txt': expect.stringContaining('backslash'),
      '../up.txt': 'must not contain . or .. as a segment',
      '/etc/passwd': 'must be relative to the page',
    });
    expect(found.left.find(({ path }) => path === '.git/')?.files).toBe(2);
  });

  test('leaves a document with a secret, and so everything', () => {
    const found = plan({ 'index.html': `<p>${'AKIA'}${'A'.repeat(16)}`, 'a.txt': 'a' });
    expect(found.kind).toBe('nothing');
    expect(findWhy(found, 'index.html')).toBe('contains a key of AWS');
    expect(takenIn(found)).toEqual([]);
    expect(leftIn(found)).toEqual(['a.txt', 'index.html']);
  });

  test('takes one of two paths that differ only in case, and one of two that are the same', () => {
    const twice = [
      toFile('index.html', HTML),
      toFile('A.txt', '1'),
      toFile('a.txt', '2'),
      toFile('A.txt', '3'),
    ];
    const found = recognise(twice);
    expect(takenIn(found)).toEqual(['A.txt', 'index.html']);
    expect(findWhy(found, 'a.txt')).toBe('differs from A.txt only in upper and lower case');
    expect(findWhy(found, 'A.txt')).toBe('is there twice');
  });

  test('takes as many files, and as many bytes, as a page can have', () => {
    const many = Array.from({ length: MAX_PAGE_FILES + 3 }, (_, at) => toFile(`f/${at}.bin`, 'x'));
    const found = recognise([toFile('index.html', HTML), ...many]);
    expect(found.page?.files).toHaveLength(MAX_PAGE_FILES);
    expect(found.left.map(({ why }) => why)).toEqual(
      Array(3).fill('is one too many: a page can have at most 2,000 files'),
    );
    const large = [
      toFile('index.html', HTML),
      toFile('fits.bin', 'x', MAX_PAGE_FILE_BYTES),
      toFile('large.bin', 'x', MAX_PAGE_FILE_BYTES + 1),
    ];
    expect(takenIn(recognise(large))).toEqual(['fits.bin', 'index.html']);
    const full = Array.from({ length: 9 }, (_, at) => toFile(`${at}.bin`, 'x', MAX_PAGE_FILE_BYTES));
    expect(recognise([toFile('index.html', HTML), ...full]).page?.files).toHaveLength(8);
  });

  test('is private if page.json names people, who would get mail in the name of the importer', () => {
    const access = {
      mode: 'people',
      people: ['ada', 'b@x.test', 'c', 'd', 'e', 'f'],
      expires_at: '2999-01-01T00:00:00Z',
    };
    const found = plan({ 'index.html': HTML, 'page.json': JSON.stringify({ access }) });
    expect(found.page).toMatchObject({
      isPublished: true,
      settings: { access: { mode: 'private', expires_at: access.expires_at } },
    });
    expect(found.page?.settings.access).not.toHaveProperty('people');
    expect(findWhy(found, 'page.json: access')).toBe(
      'lets others see the page (ada, b@x.test, c, d, e, …): it is private until you add them',
    );
  });

  test('keeps who can see it, as page.json says, and does not publish a page whose page.json is not valid', () => {
    const json = {
      name: 'Mine',
      slug: 'mine',
      is_unlisted: true,
      access: { mode: 'team', expires_at: null },
    };
    const found = plan({
      'index.html': HTML,
      'page.json': JSON.stringify(json),
      'agent-spec.md': 'Say hello.',
    });
    expect(found.page).toMatchObject({
      name: 'Mine',
      isPublished: true,
      spec: 'Say hello.',
      settings: { slug: 'mine', is_unlisted: true, access: json.access },
    });
    expect(takenIn(found)).toEqual(['agent-spec.md', 'index.html', 'page.json']);
    const wrong = plan({ 'index.html': HTML, 'page.json': '{"access":1}' });
    expect(wrong.page?.isPublished).toBe(false);
    expect(leftIn(wrong)).toEqual(['page.json']);
  });

  test('has the function of its page.json', () => {
    const json = { name: 'Poll', function: { slug: 'poll', enableDatabase: true, aiDailyLimit: 9_999 } };
    const found = plan({
      'index.html': HTML,
      'page.json': JSON.stringify(json),
      'function.ts': "import './function/a.ts'",
      'function/a.ts': 'export {}',
      'data/votes.ndjson': '{}',
    });
    expect(found.functions).toHaveLength(1);
    const [{ body } = {} as Plan['functions'][number]] = found.functions;
    expect(body).toMatchObject({ slug: 'poll', files: { 'function/a.ts': 'export {}' } });
    // Somebody else’s project does not decide what its functions may spend.
    expect(body.aiDailyLimit).toBeUndefined();
    expect(findWhy(found, 'page.json: aiDailyLimit')).toContain('spend your credits');
    expect(leftIn(found)).toEqual(['data/votes.ndjson', 'page.json: aiDailyLimit']);
  });
});

describe('one document', () => {
  test('is a page, whatever its name', () => {
    const found = plan({ 'My artifact.html': HTML });
    expect(found).toMatchObject({ kind: 'saved page', page: { name: 'Garden & café', html: HTML } });
  });

  test('that was saved with its files keeps their paths', () => {
    const found = plan({ 'News.htm': HTML, 'News_files/a.png': 'x', 'News_files/b.css': 'x' });
    expect(found.page?.files.map(({ path }) => path)).toEqual(['News_files/a.png', 'News_files/b.css']);
  });

  test('that comes alone names what it needs and what did not come', () => {
    const html =
      '<img src="a.png"><script src=/app.js></script><link href="https://x.org/a.css"><a href="b">b</a>';
    const found = plan({ 'index.html': html });
    expect(found.left.map(({ path }) => path)).toEqual(['a.png', '/app.js']);
    expect(plan({ 'index.html': html, 'a.png': 'x' }).left).toEqual([]);
  });

  test('is not chosen from several', () => {
    const found = plan({ 'a.html': HTML, 'b.html': HTML });
    expect(found.kind).toBe('nothing');
    expect(findWhy(found, 'a.html')).toContain('a site needs an index.html');
  });

  test.each([
    ['is empty', ''],
    ['is not UTF-8', '\u{FFFD}'],
  ])('that %s is left', (_, text) => {
    const bytes = text === '' ? Buffer.alloc(0) : Buffer.from([0xff, 0xfe, 0x41]);
    const file = { path: 'index.html', size: bytes.length, bytes: () => bytes };
    expect(recognise([file])).toMatchObject({ kind: 'nothing', taken: [], left: [{ path: 'index.html' }] });
  });
});

describe('a component', () => {
  const COMPONENT = `import React, { useState } from 'react';
import { Camera } from 'lucide-react';
export default function App() {
  const [count, setCount] = useState(0);
  return <button className="flex px-4 rounded" onClick={() => setCount(count + 1)}><Camera />{count}</button>;
}`;

  test('becomes a page with its script, React, and the packages that it imports', () => {
    const found = plan({ 'counter.jsx': COMPONENT }, 'counter.jsx');
    expect(found).toMatchObject({
      kind: 'component',
      page: { name: 'counter' },
      taken: [{ as: 'component' }],
    });
    const { code = '', files = {} } = found.page?.component ?? {};
    expect(code).toContain("import Component from './component.jsx'");
    expect(code).toContain('@tailwindcss/browser');
    expect(JSON.parse(files['package.json'] ?? '').dependencies).toMatchObject({ 'lucide-react': 'latest' });
    expect(plan({ 'plain.tsx': 'export default () => <p>Hi</p>' }).page?.component?.code).not.toContain(
      'tailwind',
    );
  });

  test('that imports what only exists where it was made is left', () => {
    const found = plan({ 'a.tsx': `import { Card } from "@/components/ui/card";\n${COMPONENT}` });
    expect(found.kind).toBe('nothing');
    expect(findWhy(found, 'a.tsx')).toContain('imports @/components/ui/card');
  });
});

describe('a Worker', () => {
  const WRANGLER = `name = "My_Notes"
main = "src/index.ts"
[vars]
GREETING = "Hello"
"bad-name" = "x"
[[d1_databases]]
binding = "NOTES"
[[kv_namespaces]]
binding = "CACHE"
[triggers]
crons = ["0 3 * * *"]
[assets]
directory = "./public/"
not_found_handling = "single-page-application"
`;
  const FILES = {
    'wrangler.toml': WRANGLER,
    'package.json': '{"dependencies":{"zod":"^4"},"scripts":{"build":"x"}}',
    'src/index.ts': "import { z } from 'zod'; import './lib/a.ts'; export default { fetch() {} }",
    'src/lib/a.ts': 'export {}',
    'migrations/0002_b.sql': 'SELECT 2;',
    'migrations/0001_a.sql': 'SELECT 1;',
    'public/index.html': HTML,
    'public/app.js': 'x',
    'test/a.test.ts': 'x',
  };

  test('becomes a function with its database, migrations in order, crons and variables, and a page', () => {
    const found = plan(FILES);
    expect(found.kind).toBe('worker');
    expect(found.functions).toHaveLength(1);
    const [{ body, secrets, migrations } = {} as Plan['functions'][number]] = found.functions;
    expect(body).toMatchObject({
      slug: 'my-notes',
      enableDatabase: true,
      schedules: [{ cron: '0 3 * * *' }],
    });
    expect(Object.keys(body.files ?? {}).sort()).toEqual([
      'lib/a.ts',
      'migrations/0001_a.sql',
      'migrations/0002_b.sql',
      'package.json',
      'wrangler.toml',
    ]);
    expect(secrets).toEqual({ GREETING: 'Hello' });
    expect(migrations.map(({ name }) => name)).toEqual(['0001_a.sql', '0002_b.sql']);
    expect(found.page?.files.map(({ path }) => path)).toEqual(['app.js']);
    expect(found.page?.settings.spa).toBe(true);
    expect(found.left.map(({ path, why }) => `${path} ${why}`)).toEqual([
      'wrangler.toml has what functions do not have: KV: keep the values in the database',
      'wrangler.toml has what functions do not have: the variable bad-name: names are written like API_KEY',
      'wrangler.toml lets the site and the Worker share one address: here, the page calls the function at /api/functions/my-notes',
      'test/a.test.ts is not part of what is published',
    ]);
  });

  test.each([
    ['JSON with comments', 'wrangler.jsonc', '{ // x\n "name": "a1", "main": "index.js" }'],
    ['JSON', 'wrangler.json', '{"name":"a1","main":"./index.js"}'],
  ])('is read from %s', (_, file, text) => {
    const found = plan({ [file]: text, 'index.js': 'export default { fetch() {} }', 'README.md': 'x' });
    expect(found.functions[0]?.body.slug).toBe('a1');
    expect(leftIn(found)).toEqual(['README.md']);
  });

  test.each([
    ['are not TOML', 'name = ['],
    ['are huge', `name = "a"\n# ${'x'.repeat(64 * 1024)}`],
    ['are a number', '5'],
  ])('whose settings %s is left', (_, text) => {
    const found = plan({ 'wrangler.toml': text, 'src/index.ts': 'x' });
    expect(found).toMatchObject({ kind: 'nothing', taken: [] });
    expect(leftIn(found)).toEqual(['src/index.ts', 'wrangler.toml']);
  });

  test('without its main module is left, also if that is outside', () => {
    for (const main of ['dist/worker.js', '../../etc/passwd', '/etc/passwd']) {
      const found = plan({ 'wrangler.toml': `main = "${main}"`, 'a.txt': 'x' });
      expect(found.kind).toBe('nothing');
      expect(findWhy(found, 'wrangler.toml')).toContain('which is not among the files');
    }
  });

  test('that is too large is left', () => {
    const found = plan({ 'wrangler.toml': 'main = "a.js"', 'a.js': `//${'x'.repeat(1024 * 1024)}` });
    expect(found.kind).toBe('nothing');
    expect(findWhy(found, 'a.js')).toContain('is too large for a function');
  });
});

describe('a Val Town project', () => {
  test('becomes functions, with packages of npm', () => {
    const found = plan({
      'notes/main.http.tsx': `/** @jsxImportSource https://esm.sh/react@18.2.0 */
import { Hono } from 'https://esm.sh/hono@4.1.0/tiny?deps=x';
import { z } from 'npm:zod@4';
import { help } from './lib/help.ts';
export default async (request: Request) => new Response(Deno.env.get('API_KEY'));`,
      'notes/lib/help.ts': 'export const help = 1;',
      'notes/daily.cron.ts': '// cron: 0 9 * * 1\nexport default () => {};',
      'notes/often.cron.ts': 'export default () => {};',
      'notes/in.email.ts': 'x',
      'notes/once.script.ts': 'x',
      'notes/store.http.ts':
        "import { sqlite } from 'https://esm.town/v/std/sqlite'; export default () => {};",
      'notes/README.md': 'x',
    });
    expect(found.kind).toBe('val town');
    expect(found.functions.map(({ body }) => [body.slug, body.schedules])).toEqual([
      ['notes-main', undefined],
      ['notes-daily', [{ cron: '0 9 * * 1' }]],
      ['notes-often', undefined],
    ]);
    const { files = {}, code } = found.functions[0]?.body ?? { code: '' };
    expect(files['main.http.tsx']).toContain("from 'npm:hono@4.1.0/tiny'");
    expect(files['main.http.tsx']).toContain('@jsxImportSource npm:react@18.2.0 */');
    expect(files['lib/help.ts']).toBe('export const help = 1;');
    expect(code).toContain("import * as val from './main.http.tsx'");
    expect(Object.fromEntries(found.left.map(({ path, why }) => [path, why]))).toEqual({
      API_KEY: expect.stringContaining('set it as a secret of notes-main'),
      'often.cron.ts': expect.stringContaining('does not say when it runs'),
      'in.email.ts': expect.stringContaining('e-mail'),
      'once.script.ts': expect.stringContaining('runs once'),
      'store.http.ts': expect.stringContaining('env.DB'),
      'README.md': 'is not part of what is published',
    });
  });
});

test('paths without an end are left, and named by their start', () => {
  const deep = Array.from({ length: 200 }, (_, at) => toFile(`${at}${'/a'.repeat(30_000)}`, 'x'));
  const found = recognise([toFile('index.html', HTML), ...deep]);
  expect(found.left).toHaveLength(200);
  expect(found.left[0]?.why).toBe('must have at most 1,000 bytes');
  expect(found.left[0]?.path.length).toBeLessThan(400);
});

test('at most 20 vals become functions', () => {
  const vals = Array.from({ length: 22 }, (_, at) => [`v${at}.http.ts`, 'export default () => {};']);
  const found = plan(Object.fromEntries(vals));
  expect(found.functions).toHaveLength(20);
  expect(leftIn(found)).toEqual(['v20.http.ts', 'v21.http.ts']);
});

test('a module with a handler is a function, and other files alone are nothing', () => {
  const found = plan({ 'hello.ts': 'export default { fetch: () => new Response() }' }, 'hello.ts');
  expect(found.functions[0]?.body.slug).toBe('hello');
  for (const name of ['a.pdf', 'a.md', 'a.svg', 'a.ts']) {
    const nothing = plan({ [name]: 'x' });
    expect(nothing).toMatchObject({ kind: 'nothing', taken: [], left: [{ path: name }] });
  }
});

test.each([
  ['tags', 'index.html', '<script <title <img '.repeat(200_000)],
  ['one tag', 'index.html', `<script ${'src='.repeat(1_000_000)}`],
  ['spaces in a val', 'a.http.ts', `export default () => {}; import${' '.repeat(1_000_000)}`],
  ['imports in a val', 'a.http.ts', 'import"./a.http.ts";'.repeat(50_000)],
  ['a component', 'a.jsx', `export default () => <p/>;${'className="'.repeat(90_000)}`],
  ['crons', 'a.cron.ts', 'cron 1,1,1,1 '.repeat(80_000)],
])('hostile text does not take long: %s', (_, name, text) => {
  const build = '{"scripts":{"build":"x"}}';
  expect(plan({ [name]: text }).taken.length).toBeLessThan(2);
  expect(plan({ [name]: text, 'package.json': build }).taken.length).toBeLessThan(3);
});

test('every file is either taken or left', () => {
  const files = [
    'index.html',
    'a.txt',
    '.x',
    'b/.y/z',
    'c.pem',
    'd/e/f.js',
    'node_modules/q',
    'wrangler.bak',
  ];
  const found = plan(Object.fromEntries(files.map((path) => [path, 'x'])));
  const counted = found.left.reduce((sum, { files: count = 1 }) => sum + count, found.taken.length);
  expect(counted).toBe(files.length);
});
