import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentSpec } from '../../contract/agents/agent-spec.ts';
import type { FunctionDetail, QueryResult } from '../../contract/functions/functions.ts';
import type { PageFile } from '../../contract/pages/files/page-file.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';

/**
 * A server can belong to anyone. Its texts are shown and never interpreted, and it gets only its own token.
 */

const EVIL = '\u001b]52;c;ZXZpbA==\u0007\u001b[31m\u009b31m\u202eEVIL\u2066\u061c';
const SHOWN = '\\x1b]52;c;ZXZpbA==\\x07\\x1b[31m\\u009b31m\\u202eEVIL\\u2066\\u061c';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test is about them
const DRIVING = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u202a-\u202e\u2066-\u2069]/;

let server: Bun.Server<undefined>;
let thief: Bun.Server<undefined>;
let shell: Shell;
let workerUrl = '';
/** The files that the server claims its page has, and what it sends for each. */
let listed: PageFile[] = [];
/** The functions that the server claims its page has, and the files of each. */
let belonging: string[] = [];
let modules: Record<string, string> = {};
const SENT = 'evil';
const stolen: Array<string | null> = [];

function answer(path: string, method: string): Response {
  const entry = { id: 1, kind: 'console', level: EVIL, message: EVIL, status: null, durationMs: null };
  if (path === '/api/auth/me') return Response.json({ user: { id: 1, username: EVIL, credits: 1 } });
  if (path.endsWith('/logs')) return Response.json({ logs: [{ ...entry, timestamp: `2026-01-01T${EVIL}` }] });
  if (path.endsWith('/database')) {
    const meta = { changes: 0, duration: 1, last_row_id: 0, rows_read: 1, rows_written: 0 };
    const result: QueryResult = { success: true, results: [{ [EVIL]: EVIL }], meta };
    return Response.json(result);
  }
  if (path.endsWith('/secrets')) return Response.json({ secrets: [{ name: EVIL }] });
  if (path.endsWith('/code'))
    return Response.json({ code: EVIL, files: modules, version: 1, folderSeal: '' });
  if (path.endsWith('/x/test')) {
    const logs = [{ ...entry, timestamp: `2026-01-01T${EVIL}` }];
    const exception = { message: EVIL, stack: EVIL };
    const headers = { [EVIL]: EVIL };
    const rest = { bodyBase64: null, bodyTruncated: false, durationMs: 1, logsTruncated: false };
    return Response.json({ status: 500, headers, body: EVIL, exception, logs, ...rest });
  }
  if (path === '/api/pages/7') {
    const flags = ['ai', 'image_gen', 'image_search', 'image_recognition', 'spawn'].map((name) => [
      `page_api_${name}_enabled`,
      false,
    ]);
    const page = {
      ...{ id: 7, name: 'x', slug: 'x', description: '', html_content: '<p>x', access: { mode: 'public' } },
      ...{
        is_published: true,
        is_unlisted: false,
        spa: false,
        isolation: {},
        protected: false,
        attack_first: false,
        repair: false,
        topic: 'other',
        is_listed: false,
        views: 0,
        updated_at: EVIL,
      },
      ...{
        preview_image: null,
        picture: null,
        functions: belonging,
        agent_functions: [],
        ...Object.fromEntries(flags),
      },
    };
    return Response.json({
      page,
      conversationId: 1,
      messages: [],
      versionCount: 1,
      storageMode: 'page',
      folderSeal: '',
    });
  }
  if (path === '/api/pages/7/forms/contact') {
    const id = '00000000-0000-4000-8000-000000000000';
    const files = [{ id, field: EVIL, name: `${EVIL}\n2026-01-01 00:00`, size: 1, contentType: EVIL }];
    const fields = { [`${EVIL}\n2026-01-01 00:00`]: EVIL };
    const message = { id, form: 'contact', fields, files, isRead: false, createdAt: EVIL };
    return Response.json({ messages: [message], total: 1, unread: 1, hasMore: false });
  }
  if (path === '/api/pages/7/agent-spec') {
    const spec: AgentSpec = {
      ...{ spec: null, storageMode: null, schemas: [], updatedAt: null, features: [], functions: [] },
      ...{ name: EVIL, description: EVIL, url: EVIL },
      authentication: {
        ...{ scheme: 'bearer', scopes: [], tokenUrl: EVIL, resourceMetadata: EVIL, documentation: EVIL },
      },
    };
    return Response.json(spec);
  }
  if (path === '/api/pages/7/files') return Response.json({ files: listed, totalBytes: 0 });
  if (path.startsWith('/api/pages/7/files/')) return new Response(SENT);
  if (path === '/api/functions/mine' && method === 'GET') {
    const mine: FunctionDetail = {
      ...{ slug: 'mine', displayName: EVIL, description: EVIL, owner: EVIL, workerUrl, isPublic: false },
      ...{ hasDatabase: false, createdAt: EVIL, updatedAt: EVIL },
    };
    return Response.json(mine);
  }
  if (path === '/api/functions/lost')
    return new Response(null, { status: 307, headers: { location: 'http://[::bad' } });
  if (method === 'POST') return new Response(EVIL);
  return Response.json({ error: EVIL, code: EVIL }, { status: 404 });
}

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => answer(new URL(request.url).pathname, request.method),
  });
  thief = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      stolen.push(request.headers.get('authorization'));
      return new Response('thanks');
    },
  });
  shell = openShell({ QUIRE_URL: server.url.origin, QUIRE_TOKEN: 'qr_mine' });
});
afterAll(async () => {
  await shell.stop();
  await Promise.all([server.stop(true), thief.stop(true)]);
});

test.each([
  'whoami',
  'login --token qr_mine',
  'functions logs x',
  'functions sql x VALUES(1)',
  'functions secrets list x',
  'functions call x',
  'functions call x --plain',
  'functions pull x -',
  'pages list',
  'whoami --json',
])('%s shows the text of a server safely on a terminal', async (command) => {
  const { seen } = await shell.onTerminal(command.split(' '), [], { NO_COLOR: '1' });
  expect(seen).toContain('u202eEVIL');
  expect(seen).not.toMatch(DRIVING);
});

test('the text of a server cannot use our colours', async () => {
  for (const args of [
    ['whoami'],
    ['functions', 'logs', 'x'],
    ['functions', 'call', 'x'],
    ['functions', 'sql', 'x', 'SELECT 1'],
    ['forms', 'read', '7', 'contact'],
  ]) {
    const { seen } = await shell.onTerminal(args);
    expect(seen).toContain('\\x1b[31m');
    expect(seen).not.toContain('\u001b[31m');
  }
});

test('the names in a message cannot look like another message', async () => {
  const { stdout } = await shell.run(['forms', 'read', '7', 'contact']);
  expect(stdout).toContain('\\n2026-01-01 00:00');
  expect(stdout).not.toContain('\n2026-01-01 00:00');
  expect(stdout).not.toMatch(DRIVING);
});

test('piped output is unchanged, and so is JSON', async () => {
  expect((await shell.run(['functions', 'call', 'x'])).stdout).toBe(EVIL);
  expect((await shell.run(['functions', 'call', 'x', '--plain'])).stdout).toBe(EVIL);
  expect((await shell.run(['functions', 'call', 'odd'])).stderr).toContain('is not from Quire');
  expect((await shell.run(['functions', 'pull', 'x', '-'])).stdout).toBe(EVIL);
  expect((await shell.json(['whoami'])).username).toBe(EVIL);
  expect((await shell.run(['whoami'])).stdout).toContain(SHOWN);
  expect((await shell.run(['functions', 'list'])).stderr).toBe(`${SHOWN}\n`);
  const lost = await shell.run(['functions', 'call', 'lost', '--get']);
  expect(lost.stderr).toBe(`${server.url.origin} responded with status 307. Is this a Quire server?\n`);
});

test('a token is sent only to the address of its server', async () => {
  for (const url of [
    thief.url.origin,
    `http://f1.functions.localhost:${thief.port}`,
    'https://quire.example.com',
    'file:///etc/passwd',
    'none',
  ]) {
    workerUrl = url;
    const { code, stderr } = await shell.run(['functions', 'call', 'mine', '--get']);
    expect([1, 3]).toContain(code);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  }
  expect(stolen).toEqual([]);
});

test('an impossible token is reported in a sentence, and not shown', async () => {
  for (const token of ['qr_gehéim', 'qr_ge heim', 'qr_ge\u2028heim']) {
    const { code, stderr } = await shell.run(['whoami'], { env: { QUIRE_TOKEN: token } });
    expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, lines: 1 });
    expect(stderr).not.toContain(token);
  }
});

const hashText = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');
const toListed = (path: string, size = SENT.length, hash = hashText(SENT)): PageFile => ({
  ...{ path, size, hash, type: EVIL, updatedAt: EVIL },
});

test.each([
  '../evil.txt',
  '/evil.txt',
  'a/../../evil.txt',
  'a\\..\\evil.txt',
  '.ssh/evil',
  'a//evil.txt',
  'C:/evil.txt',
])('a server cannot name the path %s', async (path) => {
  listed = [toListed('good.txt'), toListed(path)];
  const { code, stderr } = await shell.run(['pages', 'pull', '7', 'pulled']);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('lists a file that cannot be'),
  });
  expect(existsSync(join(shell.folder, 'pulled'))).toBe(false);
  expect((await shell.run(['pages', 'export', '7', 'exported'])).code).toBe(1);
  expect(readdirSync(shell.folder)).toEqual([]);
});

test('an export that breaks off leaves nothing', async () => {
  listed = [toListed('good.txt'), toListed('a.txt', SENT.length, hashText('good'))];
  for (const place of ['exported', 'exported.zip']) {
    const { code, stderr } = await shell.run(['pages', 'export', '7', place]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('a.txt arrived with other contents'),
    });
    expect(readdirSync(shell.folder)).toEqual([]);
  }
});

test('a function is written only into its own folder', async () => {
  const inside = readdirSync(shell.folder);
  listed = [];
  belonging = ['mine'];
  for (const path of [
    '../x.ts',
    '/tmp/x.ts',
    'a/../../x.ts',
    '.quire.json',
    'a\\..\\x.ts',
    'function.ts',
    'function.json',
  ]) {
    modules = { [path]: SENT };
    for (const args of [
      ['pages', 'pull', '7', 'pulled'],
      ['functions', 'pull', 'mine', 'pulled'],
    ]) {
      expect((await shell.run(args)).code).toBe(1);
      expect(existsSync(join(shell.folder, 'pulled'))).toBe(false);
    }
  }
  modules = { 'a.ts': SENT, 'a.ts/b.ts': SENT };
  expect((await shell.run(['functions', 'pull', 'mine', 'pulled'])).code).toBe(1);
  modules = {};
  for (const slug of ['..', '../..', '/tmp', 'a/b']) {
    belonging = [slug];
    expect((await shell.run(['pages', 'pull', '7', 'pulled'])).code).toBe(1);
  }
  belonging = [];
  expect(readdirSync(shell.folder)).toEqual(inside);
});

test('a file that is not what the server listed changes nothing', async () => {
  for (const file of [toListed('a.txt', SENT.length, hashText('good')), toListed('a.txt', 1)]) {
    listed = [file];
    const { code, stderr } = await shell.run(['pages', 'pull', '7', 'pulled']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('a.txt arrived with other contents'),
    });
    expect(readdirSync(join(shell.folder, 'pulled'))).toEqual([]);
  }
});

test('a file of a page does not replace what a folder says about it', async () => {
  listed = ['page.json', 'FUNCTION.JS', 'data/a.ndjson', 'good.txt'].map((path) => toListed(path));
  const { code, stderr } = await shell.run(['pages', 'pull', '7', 'pulled']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Left out page.json') });
  expect(readdirSync(join(shell.folder, 'pulled')).sort()).toEqual([
    '.quire.json',
    'good.txt',
    'index.html',
    'page.json',
  ]);
  expect(readFileSync(join(shell.folder, 'pulled/page.json'), 'utf8')).not.toContain(SENT);
});
