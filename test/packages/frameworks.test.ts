import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { startDatabase } from '../support/engines/process-postgres.ts';
import { register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** The examples with frameworks: each is pushed as its folder is, and called as people would call it. */

const FOLDER = join(import.meta.dir, '../../examples/frameworks');
const TEST_MS = 240_000;
const npm = (args: string[], options: { cwd?: string; env?: Record<string, string | undefined> } = {}) =>
  Bun.spawnSync(['npm', ...args, '--loglevel=error'], { ...options, timeout: TEST_MS });

/** Whether the registry has the packages of an example, in the versions that it names. */
function isAvailable(name: string): boolean {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(FOLDER, name, 'package.json'), 'utf8'),
  );
  const packages = Object.entries({ ...dependencies, ...devDependencies });
  return packages.every(([each, range]) => npm(['view', `${each}@${range}`, 'version']).success);
}
const NAMES = ['better-auth', 'drizzle', 'express', 'hono', 'pg', 'prisma'] as const;
const missing = NAMES.filter((name) => !isAvailable(name));
const testExample = (name: (typeof NAMES)[number], does: string, run: () => Promise<void>) =>
  test.skipIf(missing.includes(name))(`${name}: ${does}`, run, TEST_MS);

let server: TestServer;
let shell: Shell;
let postgres: Awaited<ReturnType<typeof startDatabase>>;
beforeAll(async () => {
  postgres = await startDatabase();
  server = await startServer({
    settings: {
      QUIRE_LOG_LEVEL: 'silent',
      QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
      QUIRE_EGRESS_ALLOW: '127.0.0.1/32',
      QUIRE_NPM_REGISTRY: npm(['config', 'get', 'registry']).stdout.toString().trim(),
    },
  });
  const { token } = await register(server, 'ada');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: token });
});
afterAll(async () => {
  await shell.stop();
  await Promise.all([server.stop(), postgres.stop()]);
});

/** Pushes a copy of an example, and returns how to call it. */
async function push(name: string, prepare: (folder: string) => void = () => undefined) {
  const folder = join(shell.folder, name);
  cpSync(join(FOLDER, name), folder, { recursive: true });
  prepare(folder);
  const { slug, workerUrl } = await shell.json(['functions', 'push', folder]);
  const { host } = new URL(workerUrl);
  return {
    setSecret: (key: string, value: string) =>
      shell.run(['functions', 'secrets', 'set', slug, key], { stdin: value }),
    async call(method: string, path: string, body?: unknown) {
      const response = await fetch(server.baseUrl + path, {
        method,
        headers: { host, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: /^[[{]/.test(text) ? JSON.parse(text) : text };
    },
  };
}

test('every example has a test', () => {
  expect(readdirSync(FOLDER).sort()).toEqual([...NAMES]);
});

describe('an example', () => {
  testExample('express', 'stores tasks, and refuses one without a title', async () => {
    const { call } = await push('express');
    const task = { id: 1, title: 'Water the plants', done: false };
    expect(await call('POST', '/tasks', { title: task.title })).toEqual({ status: 201, body: task });
    expect((await call('PUT', '/tasks/1', { done: true })).status).toBe(204);
    expect((await call('PUT', '/tasks/2', { done: true })).status).toBe(404);
    expect((await call('GET', '/tasks')).body).toEqual([{ ...task, done: true }]);
    expect(await call('POST', '/tasks', {})).toEqual({
      status: 400,
      body: { error: 'A task needs a title.' },
    });
  });

  testExample('hono', 'renders a page, and checks its input', async () => {
    const { call } = await push('hono');
    expect((await call('GET', '/')).body).toContain('<option value="km">km</option>');
    expect((await call('GET', '/convert?amount=2&from=ft')).body).toMatchObject({ ft: 2, in: 24, m: 0.6096 });
    expect((await call('GET', '/convert?amount=-2')).status).toBe(400);
  });

  testExample('drizzle', 'stores albums with their songs', async () => {
    const { call } = await push('drizzle');
    const songs = [
      { title: 'Carey', seconds: 182 },
      { title: 'River', seconds: 244 },
    ];
    expect((await call('POST', '/', { add: { title: 'Blue', year: 1971, songs } })).body.data).toEqual({
      albums: [{ title: 'Blue', year: 1971, songs: [{ title: 'Carey' }, { title: 'River' }] }],
      lengths: [{ album: 'Blue', minutes: 7.1 }],
    });
    // The album is not stored without its songs.
    expect((await call('POST', '/', { add: { title: 'Empty', year: 1970, songs: [] } })).status).toBe(500);
    expect((await call('POST', '/', {})).body.data.albums.length).toBe(1);
  });

  testExample('prisma', 'stores books with their author', async () => {
    const { call } = await push('prisma', (cwd) => {
      // The command wants to download an engine from elsewhere, which it does not need to generate a client.
      const env = { ...shell.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' };
      expect(npm(['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd, env }).exitCode).toBe(0);
      expect(npm(['run', 'generate'], { cwd, env }).exitCode).toBe(0);
    });
    for (const [title, year] of [
      ['Notes', 1843],
      ['Letters', 1850],
    ])
      await call('POST', '/', { add: { title, year, author: 'Ada' } });
    expect((await call('POST', '/', { since: 1844 })).body.data).toEqual([
      { id: 1, name: 'Ada', books: [{ id: 2, title: 'Letters', year: 1850 }] },
    ]);
  });

  testExample('pg', 'counts in PostgreSQL, and says what is missing before', async () => {
    const { call, setSecret } = await push('pg');
    expect((await call('POST', '/', { city: 'Oslo' })).status).toBe(503);
    await setSecret('DATABASE_URL', postgres.url);
    await call('POST', '/', { city: 'Oslo' });
    await call('POST', '/', { city: 'Rome' });
    expect((await call('POST', '/', { city: 'Oslo' })).body.data).toEqual([
      { city: 'Oslo', visits: 2 },
      { city: 'Rome', visits: 1 },
    ]);
  });

  testExample('better-auth', 'signs people up, in and out', async () => {
    const { call, setSecret } = await push('better-auth');
    expect((await call('POST', '/me', {})).status).toBe(503);
    await setSecret('BETTER_AUTH_SECRET', 'a long text that is only for this test');
    const person = { email: 'ada@example.com', password: 'correct horse' };
    expect((await call('POST', '/api/auth/sign-up/email', { ...person, name: 'Ada' })).status).toBe(200);
    const wrong = await call('POST', '/api/auth/sign-in/email', { ...person, password: 'wrong horse' });
    expect([wrong.status, wrong.body.token]).toEqual([401, undefined]);
    const { token } = (await call('POST', '/api/auth/sign-in/email', person)).body;
    expect((await call('POST', '/me', { token })).body).toMatchObject({ user: 'Ada' });
    expect((await call('POST', '/me', { token: `${token}x` })).status).toBe(401);
    expect((await call('POST', '/me', {})).status).toBe(401);
    await call('POST', '/api/auth/sign-out', { token });
    expect((await call('POST', '/me', { token })).status).toBe(401);
  });
});
