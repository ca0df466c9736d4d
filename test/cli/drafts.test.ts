import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Drafts from the command line: saved beside a page, looked at, and published. */

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

function write(folder: string, files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    const path = join(shell.folder, folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

const makeHtml = (heading: string) => `<!doctype html><title>Site</title><h1>${heading}</h1>`;
const api = async (path: string, method = 'GET', body?: unknown) =>
  (await call(server, method, path, { token: ada.token, ...(body !== undefined && { body }) })).body;
const fetchText = async (url: string) => (await fetch(url)).text();
const drafts = (...args: string[]) => shell.run(['pages', 'drafts', ...args]);

/** Pushes a folder with this slug, and returns the id of its page. */
async function push(slug: string, files: Record<string, string>): Promise<number> {
  write(slug, { 'page.json': JSON.stringify({ slug }), ...files });
  return (await shell.json(['pages', 'push', slug])).page.id;
}

test('what looks like a secret stops a draft until it is allowed', async () => {
  await push('vault', { 'index.html': makeHtml('Vault') });
  write('vault', { 'site.pem': 'x', '.env': 'A=1' });
  const stopped = await drafts('save', 'vault');
  expect([stopped.code, stopped.stderr]).toEqual([
    1,
    expect.stringContaining('site.pem is a file for private keys.'),
  ]);
  expect((await drafts('list', 'vault')).stdout).toContain('This page has no drafts.');
  const saved = await drafts('save', 'vault', '--allow-secrets');
  expect([saved.code, saved.stderr]).toEqual([
    0,
    expect.stringContaining('Not sent: .env (starts with a dot)'),
  ]);
});

test('saves a folder as a draft, shows its preview, and publishes it', async () => {
  const id = await push('garden', { 'index.html': makeHtml('Now'), 'a.txt': 'old', 'b.txt': 'stays' });
  expect((await drafts('list', 'garden')).stdout).toContain('This page has no drafts.');
  write('garden', { 'index.html': makeHtml('Soon'), 'a.txt': 'new', 'sub/c.txt': 'more' });
  const saved = await drafts('save', 'garden', '--note', 'A new heading');
  expect(saved.code).toBe(0);
  const [, draft = '', preview = ''] = /draft (\d+), based on version \d+\s+(\S+)/.exec(saved.stdout) ?? [];
  expect(saved.stderr).toContain(`quire pages drafts publish garden ${draft}`);

  // Visitors see nothing of it; the preview has the document and the files.
  expect(await fetchText(`${server.baseUrl}/p/garden`)).toContain('<h1>Now</h1>');
  expect(await fetchText(preview)).toContain('<h1>Soon</h1>');
  const detail = await api(`/api/pages/${id}/drafts/${draft}`);
  expect(detail.files.map(({ path }: { path: string }) => path).sort()).toEqual([
    'a.txt',
    'b.txt',
    'sub/c.txt',
  ]);

  rmSync(join(shell.folder, 'garden/b.txt'));
  write('garden', { 'index.html': makeHtml('Very soon') });
  const again = await shell.json(['pages', 'drafts', 'save', 'garden', '--draft', draft]);
  expect(again.draft).toMatchObject({ id: Number(draft), note: 'A new heading' });
  const listed = await shell.json(['pages', 'drafts', 'list', 'garden']);
  expect(listed.drafts).toHaveLength(1);
  expect((await drafts('list', String(id))).stdout).toMatch(/A new heading .* ada .*http/);

  const published = await drafts('publish', 'garden', draft);
  expect(published.stdout).toMatch(/^published {2}http\S+\/p\/garden \(version \d+\)\n$/);
  expect(await fetchText(`${server.baseUrl}/p/garden`)).toContain('<h1>Very soon</h1>');
  expect((await fetch(`${server.baseUrl}/p/garden/b.txt`)).status).toBe(404);
  expect((await drafts('list', 'garden')).stdout).toContain('This page has no drafts.');

  // The folder is at the version that was published, so that the next push is not a conflict.
  write('garden', { 'index.html': makeHtml('Later') });
  const pushed = await shell.run(['pages', 'push', 'garden']);
  expect([pushed.code, pushed.stderr]).toEqual([0, expect.not.stringContaining('--force')]);
  expect(await fetchText(`${server.baseUrl}/p/garden`)).toContain('<h1>Later</h1>');
});

test('a page that has changed meanwhile is a conflict, unless it is forced', async () => {
  const id = await push('shop', { 'index.html': makeHtml('One') });
  write('shop', { 'index.html': makeHtml('Two') });
  const { draft } = await shell.json(['pages', 'drafts', 'save', 'shop']);
  await api(`/api/pages/${id}`, 'PATCH', { html_content: makeHtml('Other') });
  const refused = await drafts('publish', 'shop', String(draft.id));
  expect([refused.code, refused.stdout]).toEqual([5, '']);
  expect(refused.stderr).toContain('add --force');
  expect(await fetchText(`${server.baseUrl}/p/shop`)).toContain('<h1>Other</h1>');
  const forced = await drafts('publish', String(id), String(draft.id), '--force', '--note', 'Two');
  expect(forced.code).toBe(0);
  expect(await fetchText(`${server.baseUrl}/p/shop`)).toContain('<h1>Two</h1>');
  const { versions } = await api(`/api/pages/${id}/versions`);
  expect(versions[0]).toMatchObject({ note: 'Two', current: true });
});

test('a single file becomes a draft of a page that is named, with the files of the page', async () => {
  const id = await push('blog', { 'index.html': makeHtml('Blog'), 'a.txt': 'kept' });
  write('.', { 'other.html': makeHtml('Other') });
  const alone = await drafts('save', 'other.html');
  expect([alone.code, alone.stderr]).toEqual([
    4,
    expect.stringContaining('Name the page with its slug or id'),
  ]);
  const { draft } = await shell.json(['pages', 'drafts', 'save', 'other.html', 'blog']);
  const detail = await api(`/api/pages/${id}/drafts/${draft.id}`);
  expect([detail.html_content, detail.files.length]).toEqual([makeHtml('Other'), 1]);

  const unsure = await drafts('delete', 'blog', String(draft.id));
  expect([unsure.code, unsure.stderr]).toEqual([2, expect.stringContaining('--yes')]);
  expect((await drafts('delete', 'blog', String(draft.id), '--yes')).stdout).toContain('Deleted the draft');
  expect((await drafts('publish', 'blog', String(draft.id))).code).toBe(4);
  expect((await drafts('publish', 'blog', 'x')).code).toBe(2);
  expect((await drafts('save', 'other.html', 'blog', '--draft', '-1')).code).toBe(2);
  expect((await drafts('list', 'no-such-page')).code).toBe(4);
});
