import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ImportReport } from '../../../contract/imports/imports.ts';
import { type NpmRegistry, startNpmRegistry } from '../../support/functions/npm-registry.ts';
import { type FunctionServer, startFunctionServer } from '../../support/functions/server.ts';
import { call, register } from '../../support/http/client.ts';
import { type TarItem, tarball } from '../../support/tar.ts';
import { makeZip, type ZipPart } from '../../support/zip.ts';

/** What was made elsewhere moves in: first a report, and with its digest it is published. */

const HTML = '<!doctype html><title>Garden</title><link rel="stylesheet" href="a.css"><p>the garden';
const WORKER = {
  'wrangler.toml': `name = "imported-notes"
main = "src/index.ts"
[vars]
GREETING = "Hello"
[[d1_databases]]
binding = "NOTES"
[triggers]
crons = ["0 3 * * *"]
[assets]
directory = "public"
`,
  'src/index.ts': `import { count } from './count.ts';
export default {
  async fetch(request: Request, env: any) {
    return Response.json({ greeting: env.GREETING, count: await count(env.NOTES) });
  },
  async scheduled() {},
};`,
  'src/count.ts': `export const count = async (db: any) => (await db.prepare('SELECT count(*) AS n FROM notes').first()).n;`,
  'migrations/0002_first.sql':
    "INSERT INTO notes (text) VALUES ('it''s one'); INSERT INTO notes (text) VALUES ('two');",
  'migrations/0001_notes.sql': 'CREATE TABLE notes (text TEXT);',
  'public/index.html': HTML,
  'public/a.css': 'p { color: green }',
};

let server: FunctionServer;
let registry: NpmRegistry;
/** What other sites answer. */
let site: ReturnType<typeof Bun.serve>;
const answers: Record<string, () => Response> = {};
beforeAll(async () => {
  registry = startNpmRegistry();
  server = await startFunctionServer({ settings: { QUIRE_NPM_REGISTRY: registry.url } });
  site = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => answers[new URL(request.url).pathname]?.() ?? new Response('gone', { status: 404 }),
  });
});
afterAll(async () => {
  await server.stop();
  await registry.stop();
  await site.stop(true);
});

const zip = (files: Record<string, string>) =>
  makeZip(Object.entries(files).map(([name, content]): ZipPart => ({ name, content, deflate: true })));

interface Sent {
  token?: string;
  type?: string;
  query?: Record<string, string>;
}

async function send(
  body: Buffer | FormData,
  { token = server.owner.token, type = 'application/zip', query = {} }: Sent = {},
) {
  const address = `http://127.0.0.1:${server.port}/api/imports?${new URLSearchParams(query)}`;
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      host: new URL(server.baseUrl).host,
      authorization: `Bearer ${token}`,
      ...(body instanceof FormData ? {} : { 'content-type': type }),
    },
    body,
  });
  return {
    status: response.status,
    body: (await response.json()) as ImportReport & { error?: string; code?: string },
  };
}

/** Reads the report and publishes it. */
async function publish(body: Buffer, sent: Sent = {}) {
  const { digest } = (await send(body, sent)).body;
  return send(body, { ...sent, query: { ...sent.query, digest: digest ?? '' } });
}

const fromAddress = (url: string, more: Record<string, string> = {}, token = server.owner.token) =>
  call(server, 'POST', '/api/imports/address', { token, body: { url, ...more } });

const get = async (path: string) => (await call(server, 'GET', path, { token: server.owner.token })).body;
const countAll = async () => [(await get('/api/pages')).total, (await get('/api/functions?mine=true')).total];

describe('a site', () => {
  test('is published as its report said, and nothing before', async () => {
    const body = zip({ 'garden/index.html': HTML, 'garden/a.css': 'p {}', 'garden/.env': 'KEY=1' });
    const before = await countAll();
    const shown = await send(body);
    expect(shown.status).toBe(200);
    expect(shown.body).toMatchObject({
      kind: 'site',
      published: null,
      page: { name: 'Garden', files: 1, spa: false },
      left: [{ path: '.env' }],
    });
    expect(await countAll()).toEqual(before);
    const { body: made } = await send(body, {
      query: { digest: shown.body.digest ?? '', slug: 'my-garden' },
    });
    expect(made.published?.page).toMatchObject({ slug: 'my-garden', is_published: true });
    expect((await call(server, 'GET', '/p/my-garden/')).body).toContain('the garden');
    const files = await get(`/api/pages/${made.published?.page?.id}/files`);
    expect(files.files.map(({ path }: { path: string }) => path)).toEqual(['a.css']);
  });

  test('is not published if its files are others than those of the report', async () => {
    const { digest } = (await send(zip({ 'index.html': HTML, 'a.css': 'p {}' }))).body;
    const before = await countAll();
    const changed = await send(zip({ 'index.html': HTML, 'a.css': 'q {}' }), {
      query: { digest: digest ?? '' },
    });
    expect(changed).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    const wrong = await send(zip({ 'index.html': HTML }), { query: { digest: 'x' } });
    expect(wrong.status).toBe(400);
    expect(await countAll()).toEqual(before);
  });

  test('comes as a TAR archive, a form, or one document', async () => {
    const items: TarItem[] = [
      { path: 'repo-main/index.html', content: HTML },
      { path: 'repo-main/a.css', content: 'p {}' },
      { path: 'repo-main/link', type: '2', link: '/etc/passwd' },
    ];
    const tar = await send(tarball(items), { type: 'application/gzip' });
    expect(tar.body).toMatchObject({ kind: 'site', left: [{ path: 'repo-main/link' }] });
    expect(tar.body.left[0]?.why).toContain('link');
    const form = new FormData();
    form.append('file', new Blob([HTML]), 'index.html');
    form.append('css/a.css', new Blob(['p {}']));
    expect((await send(form)).body.taken.map(({ path }) => path)).toEqual(['index.html', 'css/a.css']);
    const one = await publish(Buffer.from(HTML), {
      type: 'text/html',
      query: { name: 'Saved.html', title: 'Mine' },
    });
    expect(one.body.published?.page?.slug).toBe('mine');
    expect(one.body.taken).toEqual([{ path: 'Saved.html', as: 'document', size: HTML.length }]);
  });

  test('keeps who can see it', async () => {
    const json = JSON.stringify({ name: 'Closed', access: { mode: 'private' }, is_unlisted: true });
    const { body } = await publish(zip({ 'index.html': HTML, 'page.json': json }));
    const { page } = await get(`/api/pages/${body.published?.page?.id}`);
    expect(page).toMatchObject({ is_unlisted: true, access: { mode: 'private' }, is_published: true });
  });

  test('that needs a password stays a draft, because the password is not among the files', async () => {
    const json = JSON.stringify({ name: 'Locked', access: { mode: 'password' } });
    const { body } = await publish(zip({ 'index.html': HTML, 'page.json': json }));
    expect(body.left[0]?.path).toBe('page.json: access');
    expect(body.published?.page?.is_published).toBe(false);
  });

  test('two at once are two pages', async () => {
    const body = zip({ 'index.html': '<title>Twins</title>', 'a.txt': 'a' });
    const { digest } = (await send(body)).body;
    const made = await Promise.all([1, 2].map(() => send(body, { query: { digest: digest ?? '' } })));
    expect(made.map(({ status }) => status)).toEqual([200, 200]);
    const slugs = made.map(({ body: { published } }) => published?.page?.slug);
    expect(slugs.sort()).toEqual(['twins', 'twins-2']);
  });
});

describe('what cannot be published', () => {
  test('is refused with a digest, too', async () => {
    const body = zip({ 'notes.md': 'x' });
    expect((await send(body)).body).toMatchObject({ kind: 'nothing', digest: null, taken: [] });
    const tried = await send(body, { query: { digest: 'a'.repeat(64) } });
    expect(tried).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('nothing to publish') },
    });
  });

  test('text without a name is a page only if it is HTML', async () => {
    expect((await send(Buffer.from('{"a":1}'), { type: 'application/json' })).body.kind).toBe('nothing');
    expect((await send(Buffer.from(`\n${HTML}`), { type: 'application/octet-stream' })).body.kind).toBe(
      'site',
    );
  });

  test.each([
    ['nothing', Buffer.alloc(0), 400],
    ['half an archive', zip({ 'index.html': HTML }).subarray(0, 60), 400],
    [
      'an archive whose sizes lie',
      makeZip([{ name: 'index.html', content: 'x'.repeat(1000), deflate: true, size: 10 }]),
      400,
    ],
    [
      'an archive that claims a gigabyte',
      makeZip([{ name: 'index.html', content: 'x', size: 2 ** 30 }]),
      413,
    ],
    ['100,000 entries', makeZip([{ name: 'index.html', content: HTML }], { count: 65_000 }), 413],
    ['a TAR archive that leads out', tarball([{ path: '../up.html', content: HTML }]), 400],
    ['a damaged TAR archive', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]), 400],
    [
      'a TAR archive that unpacks to too much',
      tarball([{ path: 'a.bin', content: Buffer.alloc(410 * 1024 * 1024) }]),
      413,
    ],
  ])('%s', async (_, body, status) => {
    const answer = await send(body as Buffer);
    expect([answer.status, typeof answer.body.error]).toEqual([status, 'string']);
  });

  test('a token without the scope gets 403, and publishes nothing', async () => {
    const scoped = async (...scopes: string[]) =>
      (
        await call(server, 'POST', '/api/auth/tokens', {
          token: server.owner.token,
          body: { name: 'x', scopes },
        })
      ).body.token as string;
    const reader = await scoped('pages:read');
    expect((await send(zip({ 'index.html': HTML }), { token: reader })).status).toBe(403);
    const pagesOnly = await scoped('pages:write', 'pages:read');
    const before = await countAll();
    const tried = await publish(zip(WORKER), { token: pagesOnly });
    expect(tried).toMatchObject({ status: 403, body: { code: 'INSUFFICIENT_SCOPE' } });
    expect(await countAll()).toEqual(before);
  });
});

describe('a Worker', () => {
  test('runs with its database, migrations, variables and schedule, and its files are a page', async () => {
    const { status, body } = await publish(zip(WORKER));
    expect([status, body.error]).toEqual([200, undefined]);
    expect(body.published?.functions.map(({ slug }) => slug)).toEqual(['imported-notes']);
    const imported = await get(`/api/pages/${body.published?.page?.id}`);
    expect(imported.page.functions).toEqual(['imported-notes']);
    expect((await server.call('imported-notes')).body).toEqual({ greeting: 'Hello', count: 2 });
    const { schedules } = await get('/api/functions/imported-notes');
    expect(schedules).toMatchObject([{ cron: '0 3 * * *' }]);
    expect((await server.sql('imported-notes', 'SELECT name FROM d1_migrations')).body.results).toEqual([
      { name: '0001_notes.sql' },
      { name: '0002_first.sql' },
    ]);
    expect(body.published?.page).toMatchObject({ is_published: true });
    // Again: another function, and another page.
    const again = await publish(zip(WORKER));
    expect(again.body.published?.functions[0]?.slug).toBe('imported-notes-2');
  });

  test('that fails leaves nothing behind, and says where', async () => {
    const before = await countAll();
    const broken = { ...WORKER, 'src/count.ts': 'export const count = ;' };
    const failed = await publish(zip(broken));
    expect(failed).toMatchObject({ status: 422, body: { code: 'DEPLOY_FAILED', file: 'count.ts', line: 1 } });
    const bad = { ...WORKER, 'migrations/0003_bad.sql': 'NOT SQL' };
    expect(await publish(zip(bad))).toMatchObject({
      status: 422,
      body: { code: 'DEPLOY_FAILED', file: 'migrations/0003_bad.sql', line: 1 },
    });
    // The function is deployed before migrations that do not fit into the deploy fail.
    const large = { ...bad, 'migrations/0004_large.sql': ' '.repeat(1024 * 1024) };
    expect(await publish(zip(large))).toMatchObject({ status: 400, body: { code: 'INVALID_SQL' } });
    // The function is deployed before its page fails.
    const json = JSON.stringify({ storage_mode: 'nonsense' });
    const page = await publish(zip({ ...WORKER, 'page.json': json }));
    expect(page.status).toBe(400);
    expect(await countAll()).toEqual(before);
  });
});

test('a Val Town project runs', async () => {
  registry.add({
    name: 'greet',
    version: '1.2.0',
    files: { 'index.js': "export const greet = () => 'hi';" },
  });
  const { status, body } = await publish(
    zip({
      'vals/main.http.tsx': `import { greet } from 'https://esm.sh/greet@1.2.0';
export default async function (request: Request): Promise<Response> {
  return Response.json({ said: greet(), key: Deno.env.get('VAL_KEY') ?? null });
}`,
      'vals/daily.cron.ts': '// cron: 0 9 * * 1\nexport default async function () { console.log("ran"); }',
    }),
  );
  expect([status, body.error]).toEqual([200, undefined]);
  expect(body.published?.functions.map(({ slug }) => slug)).toEqual(['vals-main', 'vals-daily']);
  await call(server, 'PUT', '/api/functions/vals-main/secrets/VAL_KEY', {
    token: server.owner.token,
    body: { value: 'k' },
  });
  expect((await server.call('vals-main')).body).toEqual({ said: 'hi', key: 'k' });
  const run = await call(server, 'POST', '/api/functions/vals-daily/schedules/run', {
    token: server.owner.token,
  });
  expect(run.body).toMatchObject({ result: 'ok' });
});

test('a component becomes a page with a script', async () => {
  registry.add(
    {
      name: 'react',
      version: '19.0.0',
      files: {
        'index.js':
          'export const createElement = () => 0; export const useState = () => []; export default {};',
        'jsx-runtime.js': 'export const jsx = () => 0; export const jsxs = jsx;',
      },
    },
    {
      name: 'react-dom',
      version: '19.0.0',
      files: { 'client.js': 'export const createRoot = (at) => ({ render() { at.id = "rendered"; } });' },
    },
  );
  const code =
    "import { useState } from 'react';\nexport default function App() { return <p>the component</p>; }";
  const { status, body } = await publish(Buffer.from(code), {
    type: 'text/plain',
    query: { name: 'Counter.jsx' },
  });
  expect([status, body.error]).toEqual([200, undefined]);
  expect(body.kind).toBe('component');
  const script = await call(server, 'GET', `/p/${body.published?.page?.slug}/app.js`);
  expect(script.body).toContain('the component');
  const before = await countAll();
  const wrong = await publish(Buffer.from('export default () => <p>{</p>;'), {
    query: { name: 'Wrong.jsx' },
  });
  expect(wrong).toMatchObject({ status: 422, body: { code: 'DEPLOY_FAILED' } });
  expect(await countAll()).toEqual(before);
});

describe('an address', () => {
  const at = (path: string) => `http://127.0.0.1:${site.port}${path}`;

  test('of a page or an archive is imported', async () => {
    answers['/page'] = () => new Response(HTML, { headers: { 'content-type': 'text/html; charset=utf-8' } });
    const shown = await fromAddress(at('/page'));
    expect(shown.body).toMatchObject({ kind: 'site', page: { name: 'Garden' } });
    const made = await fromAddress(at('/page'), { digest: shown.body.digest, slug: 'from-afar' });
    expect(made.body.published.page.slug).toBe('from-afar');
    answers['/site.zip'] = () => new Response(zip({ 'x/index.html': HTML, 'x/a.css': 'p {}' }));
    expect((await fromAddress(at('/site.zip'))).body.taken).toHaveLength(2);
    answers['/moved'] = () => new Response(null, { status: 302, headers: { location: '/site.zip' } });
    expect((await fromAddress(at('/moved'))).body.taken).toHaveLength(2);
  });

  test('that changed since the report is not published', async () => {
    let text = '<title>One</title>';
    answers['/changing'] = () => new Response(text, { headers: { 'content-type': 'text/html' } });
    const { digest } = (await fromAddress(at('/changing'))).body;
    text = '<title>Two</title>';
    expect((await fromAddress(at('/changing'), { digest })).status).toBe(409);
  });

  test('that is not public is refused, also behind a redirect', async () => {
    const metadata = 'http://169.254.169.254/latest/meta-data/';
    answers['/inside'] = () => new Response(null, { status: 302, headers: { location: metadata } });
    answers['/loopback'] = () =>
      new Response(null, { status: 302, headers: { location: `http://127.0.0.2:${site.port}/page` } });
    answers['/file'] = () => new Response(null, { status: 302, headers: { location: 'file:///etc/passwd' } });
    answers['/round'] = () => new Response(null, { status: 302, headers: { location: '/round' } });
    const refused = [
      metadata,
      `http://127.0.0.2:${site.port}/page`,
      'http://[::1]/',
      'file:///etc/passwd',
      'nonsense',
      'http://user:pass@127.0.0.1/',
    ];
    for (const url of [...refused, ...['/inside', '/loopback', '/file', '/round', '/missing'].map(at)]) {
      const answer = await fromAddress(url);
      expect([url, answer.status, answer.body.code]).toEqual([url, 400, 'BAD_REQUEST']);
      expect(answer.body.error).toStartWith('The address cannot be imported: ');
    }
  });

  test('is not read to its end if it is an error or leads elsewhere', async () => {
    const endless = () =>
      new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
    answers['/wrong'] = () => new Response(endless(), { status: 404 });
    expect((await fromAddress(at('/wrong'))).body.error).toContain('it was answered with status 404');
    answers['/page'] = () => new Response(HTML, { headers: { 'content-type': 'text/html' } });
    answers['/on'] = () => new Response(endless(), { status: 302, headers: { location: '/page' } });
    expect((await fromAddress(at('/on'))).body).toMatchObject({ kind: 'site', page: { name: 'Garden' } });
  });

  test('of an empty page is refused, and addresses are limited', async () => {
    answers['/empty'] = () => new Response('');
    expect((await fromAddress(at('/empty'))).body.error).toContain('it has no content');
    const eager = await register(server, 'eager');
    const statuses: number[] = [];
    for (let count = 0; count <= 60; count++)
      statuses.push((await fromAddress('nonsense', {}, eager.token)).status);
    expect([statuses[59], statuses[60]]).toEqual([400, 429]);
  });
});
