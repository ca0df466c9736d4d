import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { follow, type Step, toPattern } from '../../support/agents/llms.ts';
import { startServerOnEngine } from '../../support/agents/mcp.ts';
import { call, register } from '../../support/http/client.ts';
import { startServer, type TestServer } from '../../support/server.ts';

describe('llms.txt', () => {
  let server: TestServer;
  let text: string;
  beforeAll(async () => {
    server = await startServerOnEngine();
    text = (await call(server, 'GET', '/llms.txt')).body;
  });
  afterAll(() => server.stop());

  test('can be read and cached by anyone', async () => {
    const first = await call(server, 'GET', '/llms.txt');
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(first.headers.get('cache-control')).toContain('public');
    const etag = first.headers.get('etag') ?? '';
    const again = await call(server, 'GET', '/llms.txt', { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    expect(again.body).toBe('');
    const head = await call(server, 'HEAD', '/llms.txt');
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
    const other = await call(server, 'GET', '/llms.txt', { headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });

  test('is short, and names this server and only things that exist', async () => {
    expect(Buffer.byteLength(text)).toBeLessThan(12_000);
    expect(text).toContain(`BASE=${server.baseUrl}\n`);
    expect(text.match(/\{\{(?!PAGE_ID)|<!--/g)).toBeNull();
    const addresses = [...text.matchAll(/https?:\/\/localhost:\d+(\/[\w./-]+)/g)].map(
      ([, path = '']) => path,
    );
    const read = [...new Set(addresses)].filter((path) => !path.startsWith('/p/') && path !== '/mcp');
    expect(read.toSorted()).toEqual([
      '/.well-known/agent-skills/index.json',
      '/api/openapi.json',
      '/docs',
      '/docs/functions.md',
      '/docs/pages.md',
      '/sdk/quire.d.ts',
    ]);
    for (const path of read) expect((await call(server, 'GET', path)).status).toBe(200);
    expect((await call(server, 'POST', '/mcp')).status).toBe(401);
  });

  test('names only globals and methods of the SDK', async () => {
    const types: string = (await call(server, 'GET', '/sdk/quire.d.ts')).body;
    const [data = '', features = ''] = [/## Data[\s\S]*?\n## /, /## Features[\s\S]*?\n## /].map(
      (section) => section.exec(text)?.[0] ?? '',
    );
    const named = [...(data + features).matchAll(/\b([a-z]\w+)\(|`([a-z][A-Za-z]+)`/g)].map(
      ([, called, quoted]) => called ?? quoted ?? '',
    );
    const methods = named.filter((name) => !['storage_mode'].includes(name));
    expect(methods.length).toBeGreaterThan(20);
    expect(methods.filter((name) => !new RegExp(`\\b${name}\\b`).test(types))).toEqual([]);
  });

  test('has steps that print what it says', async () => {
    const steps = await follow(text);
    expect(steps.length).toBe(text.split('```sh').length - 1);
    expect(steps.length).toBeGreaterThan(5);
    for (const { printed, stated } of steps) expect(printed).toMatch(toPattern(stated));
    await expectGuestBook(server, steps);
  });

  test('can be followed by two agents at the same time', async () => {
    const [one, two] = await Promise.all([follow(text), follow(text)]);
    for (const { printed, stated } of [...one, ...two]) expect(printed).toMatch(toPattern(stated));
  });
});

/** Checks that the page exists in its second version, and that its function responds. */
async function expectGuestBook(server: TestServer, steps: Step[]): Promise<void> {
  const slug = /"slug":"(guest-book-\w+)"/.exec(steps.map(({ printed }) => printed).join('\n'))?.[1] ?? '';
  const page = await call(server, 'GET', `/p/${slug}`);
  expect(page.body).toContain('<h1>Our guest book</h1>');
  expect(page.body).toContain('rel="agent-spec"');
  const called = /PageFunctions\.call\('([\w-]+)'/.exec(page.body)?.[1];
  expect((await call(server, 'POST', `/api/functions/${called}`, { body: {} })).body).toEqual({
    success: true,
    data: [
      { name: 'Bo', text: 'Second!' },
      { name: 'Ada', text: 'First!' },
    ],
  });
}

test('says so where registration is closed, and works with a token', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-closed-'));
  const open = await startServer({ dataFolder });
  const { token } = await register(open, 'owner');
  await open.stop();
  const closed = await startServer({ dataFolder, settings: { QUIRE_REGISTRATION: 'closed' } });
  const text: string = (await call(closed, 'GET', '/llms.txt')).body;
  expect(text).toContain('Registration is closed here');
  expect(text).not.toContain('/api/auth/register');
  const steps = await follow(text, { QUIRE_TOKEN: token });
  for (const { printed, stated } of steps) expect(printed).toMatch(toPattern(stated));
  await expectGuestBook(closed, steps);
  await closed.stop();
  rmSync(dataFolder, { recursive: true });
});
