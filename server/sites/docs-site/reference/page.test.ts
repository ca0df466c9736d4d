import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ERROR_STATUS } from '../../../../contract/errors.ts';
import { queryNumber } from '../../../../contract/fields.ts';
import { type Route, route } from '../../../platform/http/index.ts';
import { openApiDocument } from './openapi.ts';
import { groupPage, listGroups, referencePage } from './page.ts';

const BASE_URL = 'https://quire.example';
const handle = () => null;

/** The list of all operations, and the pages of all groups. */
async function renderAll(...routes: Route[]): Promise<Map<string, string>> {
  const document = openApiDocument(routes, { version: '1.2.3', baseUrl: BASE_URL });
  const pages = new Map([['/docs/api', (await referencePage(document, [])).text]]);
  for (const group of listGroups(document))
    pages.set(`/docs/api/${group.name}`, (await groupPage(group, [])).text);
  return pages;
}

async function render(...routes: Route[]): Promise<string> {
  return [...(await renderAll(...routes)).values()].join('\n');
}

/** The text that a reader sees: no tags, no entities, no indentation, no empty lines. */
async function read(...routes: Route[]): Promise<string> {
  const body = (await render(...routes)).replace(/<head>.*?<\/head>/gs, '');
  const text = body.replace(/<\/(p|th|td|h3)>/g, '\n').replace(/<[^>]+>/g, '');
  return unescapeHtml(text)
    .replace(/ +/g, ' ')
    .replace(/\s*\n\s*/g, '\n');
}

function unescapeHtml(text: string): string {
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return text.replace(/&([#\w]+);/g, (whole, name: string) => entities[name] ?? whole);
}

const createNote = route({
  method: 'POST',
  path: '/api/notes',
  access: { kind: 'management', scope: 'notes:write' },
  summary: 'Create a note',
  status: 201,
  body: z.strictObject({
    title: z.string().min(1).max(80).describe('Shown in lists.'),
    colour: z.enum(['red', 'blue']).default('red'),
    author: z.object({ email: z.email() }),
    tags: z
      .array(z.object({ label: z.string() }))
      .max(5)
      .optional(),
    weight: z.int().min(1).max(9).optional(),
    parent: z.int().nullable().optional(),
    remark: z.string().default(''),
  }),
  response: z.object({ note: z.object({ id: z.int(), at: z.iso.datetime(), gone: z.string().optional() }) }),
  handle,
});
const findNotes = route({
  method: 'GET',
  path: '/api/notes/:id/copies',
  access: { kind: 'visitor or guest' },
  summary: 'Find copies',
  query: z.object({ q: z.string(), limit: queryNumber({ min: 1, max: 50, fallback: 10 }) }),
  handle,
});
const logIn = route({
  method: 'POST',
  path: '/api/auth/token',
  access: { kind: 'account door' },
  summary: 'Log in',
  body: z.strictObject({ username: z.string(), quip: z.literal("it's me") }),
  status: 204,
  handle,
});

test('the top shows the address of the API, how to authenticate, and every error code with its status', async () => {
  const text = await read(createNote, logIn);
  expect(text).toContain(BASE_URL);
  expect(text).toContain('1.2.3');
  expect(text).toContain('Authorization: Bearer $TOKEN');
  const rows = text.split('\n');
  for (const [code, status] of Object.entries(ERROR_STATUS)) {
    const codes = rows[rows.indexOf(String(status)) + 1];
    expect(codes?.split(' ')).toContain(code);
  }
  const html = await render(createNote, logIn);
  expect(html).toContain('href="/api/openapi.json"');
  expect(html).toContain('<a href="/docs/api/auth#post-auth-token"><code>POST /api/auth/token</code></a>');
});

test('operations are grouped under readable titles, and every link in the contents works', async () => {
  const soloData = route({ ...createNote, path: '/api/solo-data/:id' });
  const pages = await renderAll(createNote, findNotes, logIn, soloData);
  expect([...pages.values()].slice(1).map((html) => /<h1>([^<]+)/.exec(html)?.[1])).toEqual([
    'Notes',
    'Authentication',
    'Solo data',
  ]);
  const ids = new Map<string, string[]>();
  for (const [path, html] of pages) {
    ids.set(
      path,
      [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id),
    );
    expect(new Set(ids.get(path)).size).toBe(ids.get(path)?.length ?? 0);
  }
  for (const [path, html] of pages)
    for (const [, to, target = ''] of html.matchAll(/href="([^"#]*)#([^"]+)"/g))
      expect(ids.get(to || path)).toContain(target);
  for (const path of ['/docs/api', '/docs/api/notes'])
    expect(ids.get(path)).toContain('get-notes-by-id-copies');
});

test('body fields show type, whether they are required, limits, choices and nested fields', async () => {
  const text = await read(createNote);
  expect(text).toContain('title\nstring required\nShown in lists.\n1 to 80 characters');
  expect(text).toContain('colour\nstring optional\none of red, blue; default red');
  expect(text).toContain('author\nobject required');
  expect(text).toContain('author.email\nstring (email address) required');
  expect(text).toContain('tags\narray of objects optional\nat most 5 items');
  expect(text).toContain('tags[].label\nstring required');
  expect(text).toContain('weight\ninteger optional\n1 to 9');
  expect(text).toContain('parent\ninteger or null optional');
  expect(text).toContain('remark\nstring optional\nempty by default');
  expect(text).not.toContain('9,007,199');
});

test('a response shows its status and fields, and which fields are optional', async () => {
  const text = await read(createNote);
  expect(text).toContain('Response 201 JSON object');
  expect(text).toContain('note.at\nstring (ISO 8601 date and time)');
  expect(text).toContain('note.gone\nstring can be absent');
  expect(await read(logIn)).toContain('Response 204 no body');
  expect(text).toContain('Fails with 400, 401, 403, 413, 415, 429, 500, 503, 507. See Errors.');
});

test('each alternative of a union has its own rows', async () => {
  const shape = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number().positive() }),
    z.object({ kind: z.literal('square'), side: z.number() }),
  ]);
  const text = await read(route({ ...createNote, body: z.object({ shape }) }));
  expect(text).toContain('When shape.kind is circle\nshape.kind\nstring required\nalways circle');
  expect(text).toContain('shape.radius\nnumber required\nmore than 0');
  expect(text).toContain('When shape.kind is square');
});

test('a recursive schema is shown once', async () => {
  const node = z.object({
    name: z.string(),
    get children() {
      return z.array(node);
    },
  });
  const text = await read(route({ ...createNote, body: z.object({ tree: node, anything: z.json() }) }));
  expect(text).toContain('tree.children\narray of objects required');
  expect(text).not.toContain('tree.children[].children');
});

test('access is described in plain words', async () => {
  const withAccess = (access: Route['access']) => read(route({ ...createNote, access }));
  expect(await withAccess({ kind: 'public' })).toContain('Needs no credentials.');
  expect(await withAccess({ kind: 'management', scope: 'notes:write' })).toContain(
    'Needs a bearer token with the scope notes:write.',
  );
  expect(await withAccess({ kind: 'account' })).toContain('Needs a login session.');
  expect(await withAccess({ kind: 'visitor' })).toContain(
    'Needs a bearer token, a page session or a login session.',
  );
  expect(await withAccess({ kind: 'visitor or guest' })).toContain(
    'Needs no credentials, but accepts a bearer token, a page session or a login session.',
  );
});

test('the curl example is accepted by the route itself', async () => {
  const text = await read(createNote);
  expect(text).toContain(
    `curl -X POST ${BASE_URL}/api/notes \\\n-H "Authorization: Bearer $TOKEN" \\\n-H 'Content-Type`,
  );
  const sent = /-d '(\{.*?\n\})'/s.exec(text)?.[1] ?? '';
  expect(createNote.body?.safeParse(JSON.parse(sent)).error).toBeUndefined();
  expect(await read(findNotes)).toContain(`curl '${BASE_URL}/api/notes/42/copies?q=hello'\n`);
});

test('the curl example of a login keeps its cookie, and quotes are escaped for the shell', async () => {
  const text = await read(logIn);
  expect(text).toContain('-b cookies.txt -c cookies.txt');
  expect(text).toContain(`"quip": "it'\\''s me"`);
});

test('markup in summaries, descriptions, limits and samples stays text', async () => {
  const evil = '<script>alert(1)</script>';
  const hostile = route({
    ...createNote,
    summary: evil,
    access: { kind: 'management', scope: evil },
    body: z.object({ [evil]: z.enum([evil]).describe(evil), other: z.string().default(evil) }),
  });
  const html = await render(hostile);
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html.toLowerCase()).not.toContain('<script>');
  expect(await read(hostile)).toContain(evil);
});

test('the page allows its own style, and the script and the form of the search', async () => {
  const { text, headers } = await referencePage(
    openApiDocument([createNote], { version: '1', baseUrl: BASE_URL }),
    [],
  );
  const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers['content-security-policy']?.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    `style-src 'self' 'sha256-${hash}'`,
    "img-src 'self' data:",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['x-content-type-options']).toBe('nosniff');
});
