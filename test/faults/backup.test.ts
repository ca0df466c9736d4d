import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../support/environment.ts';
import { type FunctionServer, handler, startFunctionServer } from '../support/functions/server.ts';
import { PASSWORD } from '../support/http/call.ts';
import { call, login, publish } from '../support/http/client.ts';
import { startServer, untilPrinted, waitUntil } from '../support/server.ts';

/** `quire backup` and `quire restore`, run as an operator runs them. */

const ROOT = join(import.meta.dir, '../..');
const FUNCTION = handler(`
  const { results } = await env.DB.prepare('select count(*) as count from t').all();
  return Response.json({ secret: env.KEY, count: results[0].count });`);

let folder: string;
let server: FunctionServer;
let slug: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-backups-'));
  server = await startFunctionServer({ dataFolder: join(folder, 'data') });
  slug = await server.deploy(FUNCTION, { enableDatabase: true });
  const { token } = server.owner;
  await call(server, 'PUT', `/api/functions/${slug}/secrets/KEY`, { token, body: { value: 's3cret' } });
  await server.sql(slug, 'create table t (v)');
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Runs a command with the server's settings. */
async function quire(words: string[], settings: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, join(ROOT, 'bin/launch.ts'), ...words], {
    cwd: folder,
    env: { ...environment, PORT: String(server.port), QUIRE_DATA: server.dataFolder, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

const inFolder = (pattern: string) => [...new Bun.Glob(pattern).scanSync({ cwd: folder, dot: true })];

async function upload(pageId: number, bytes: Uint8Array): Promise<string> {
  const form = new FormData();
  form.set('file', new File([bytes as never], 'file.bin'));
  const response = await fetch(`http://127.0.0.1:${server.port}/api/pages/${pageId}/team-files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.owner.token}` },
    body: form,
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

/** Writes something of every kind until it is stopped, and remembers what was acknowledged. */
function startWriting(team: { id: number }) {
  const { token } = server.owner;
  const done = { pages: [] as number[], records: [] as string[], files: [] as string[], rows: 0 };
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      done.pages.push((await publish(server, token, { name: `Page ${done.pages.length}` })).id);
      const data = { n: done.records.length };
      const record = await call(server, 'POST', `/api/pages/${team.id}/team-data/notes`, {
        token,
        body: { data },
      });
      done.records.push(record.body.id);
      done.files.push(await upload(team.id, randomBytes(20_000)));
      expect((await server.sql(slug, 'insert into t values (1)')).status).toBe(200);
      done.rows++;
    }
  })();
  return {
    /** What has been acknowledged so far. */
    sofar: () => structuredClone(done),
    rounds: () => done.rows,
    async stop() {
      isOver = true;
      await writing;
    },
  };
}

test('a backup taken during writes contains everything acknowledged before it', async () => {
  const { token } = server.owner;
  const team = await publish(server, token, { name: 'Team', storage_mode: 'team_app' });
  const preview = await call(server, 'POST', `/api/pages/${team.id}/generate-preview-image`, {
    token,
    body: {},
  });
  const writer = startWriting(team);
  await waitUntil(async () => writer.rounds() >= 5);
  const acknowledged = writer.sofar();
  const made = await quire(['backup', 'busy.tar.gz', '--json']);
  await writer.stop();
  expect({ ...made, out: '' }).toEqual({ code: 0, out: '', err: '' });
  const archive = join(folder, 'busy.tar.gz');
  expect(statSync(archive).mode & 0o777).toBe(0o600);
  expect(JSON.parse(made.out)).toMatchObject({ file: archive, users: 1, databases: 1, missing: [] });

  const dataFolder = join(folder, 'restored');
  const restored = await quire(['restore', archive], { QUIRE_DATA: dataFolder });
  expect({ ...restored, out: '' }).toEqual({
    code: 0,
    out: '',
    err: `Restoring ${archive} into SQLite, data folder ${dataFolder}\n`,
  });
  expect(restored.out).toMatch(
    /^Restored into .*: 1 user, \d+ pages, \d+ records, 2 functions, 1 database, \d+ blobs\.\n$/,
  );
  const copy = await startServer({ dataFolder, settings: { QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' } });
  try {
    await login(copy, 'owner');
    for (const id of acknowledged.pages)
      expect((await call(copy, 'GET', `/api/pages/${id}`, { token })).status).toBe(200);
    for (const id of acknowledged.records)
      expect((await call(copy, 'GET', `/api/pages/${team.id}/team-data/notes/${id}`, { token })).status).toBe(
        200,
      );
    const { files } = (await call(copy, 'GET', `/api/pages/${team.id}/team-files`, { token })).body;
    expect(files.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(acknowledged.files));
    // Also files uploaded during the backup: every row has its bytes.
    for (const { id } of files) {
      const file = await call(copy, 'GET', `/api/pages/${team.id}/team-files/${id}`, { token });
      expect([file.status, file.headers.get('content-length')]).toEqual([200, '20000']);
    }
    expect((await call(copy, 'GET', new URL(preview.body.imageUrl).pathname)).status).toBe(200);
    const answer = await call(copy, 'POST', `/api/functions/${slug}`);
    expect(answer.body.secret).toBe('s3cret');
    expect(answer.body.count).toBeGreaterThanOrEqual(acknowledged.rows);
  } finally {
    await copy.stop();
  }
});

test('a restore that is stopped leaves an empty folder', async () => {
  const dataFolder = join(folder, 'stopped');
  // An archive that never ends.
  const pipe = join(folder, 'endless.tar.gz');
  await Bun.spawn(['mkfifo', pipe]).exited;
  const child = Bun.spawn([process.execPath, join(ROOT, 'bin/launch.ts'), 'restore', pipe], {
    env: { ...environment, QUIRE_DATA: dataFolder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const feed = await open(pipe, 'w');
  await feed.write(readFileSync(join(folder, 'busy.tar.gz')).subarray(0, 20_000));
  await waitUntil(async () => existsSync(join(dataFolder, '.restoring')));
  child.kill('SIGINT');
  expect(await child.exited).toBe(1);
  await feed.close();
  expect(await new Response(child.stderr).text()).toEndWith('\nStopped. Nothing was restored.\n');
  expect(readdirSync(dataFolder)).toEqual([]);
});

test('the backup and restore commands leave nothing behind', () => {
  expect(inFolder('*.unfinished*')).toEqual([]);
  expect(inFolder('data/databases/exports/*')).toEqual([]);
});

test('the backup command finds the server at any address, and needs access to its data', async () => {
  const { mode } = statSync(join(server.dataFolder, 'control'));
  expect(mode & 0o077).toBe(0);
  expect((await quire(['backup', 'any-port.tar.gz'], { PORT: '1' })).code).toBe(0);
});

describe.concurrent('the backup and restore commands', () => {
  test('work without a server, and overwrite nothing', async () => {
    await quire(['restore', 'any-port.tar.gz'], { QUIRE_DATA: join(folder, 'alone') });
    const alone = await quire(['backup', folder], { QUIRE_DATA: join(folder, 'alone') });
    const [name = ''] = inFolder('quire-backup-*Z.tar.gz');
    const from = `Backing up SQLite, data folder ${join(folder, 'alone')} to`;
    expect(alone).toMatchObject({ code: 0, err: `${from} ${join(folder, name)}\n` });
    expect(alone.out).toContain(join(folder, name));
    const [taken, checked, again] = await Promise.all([
      quire(['backup', name]),
      quire(['restore', name, '--check']),
      quire(['restore', name], { QUIRE_DATA: join(folder, 'alone') }),
    ]);
    expect(taken).toMatchObject({ code: 1, err: expect.stringContaining('already exists') });
    expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('is complete') });
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') });
  });

  test('explain what is wrong', async () => {
    const [twice, none, unknown, aFolder, nothing, nowhere] = await Promise.all([
      quire(['backup', 'a', 'b']),
      quire(['restore']),
      quire(['restore', 'x', '--unknown']),
      quire(['restore', folder]),
      quire(['restore', 'nothing.tar.gz']),
      quire(['backup'], { QUIRE_DATA: join(folder, 'nowhere') }),
    ]);
    for (const { code } of [twice, none, unknown]) expect(code).toBe(2);
    expect(aFolder).toMatchObject({ code: 1, err: `${folder} is a folder. Name an archive.\n` });
    expect(nothing).toMatchObject({ code: 4, err: expect.stringContaining('does not exist') });
    expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining('does not exist') });
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
    expect(inFolder('x.tar.gz*')).toEqual([]);
  });
});

test('a backup that fails half way leaves no file', async () => {
  const { token } = server.owner;
  const page = await publish(server, token, { name: 'Broken', storage_mode: 'team_app' });
  const id = await upload(page.id, randomBytes(1000));
  // A file that cannot be read.
  const path = join(server.dataFolder, 'blobs', 'team-files', id.slice(-2), id);
  rmSync(path);
  mkdirSync(path);
  const made = await quire(['backup', 'broken.tar.gz']);
  expect(made).toMatchObject({ code: 1, out: '', err: expect.stringContaining('interrupted') });
  expect(inFolder('broken.tar.gz*')).toEqual([]);
  await untilPrinted(server, 'a backup was broken off');

  // A missing file is reported, and everything else is kept.
  rmSync(path, { recursive: true });
  const next = await quire(['backup', 'lost.tar.gz']);
  expect(next).toMatchObject({ code: 0, out: expect.stringContaining(id) });
  writeFileSync(path, 'found again');
});

test('a server that is killed during a backup leaves nothing to clean up', async () => {
  const { token } = server.owner;
  const page = await publish(server, token, { name: 'Large', storage_mode: 'team_app' });
  for (let i = 0; i < 2; i++) await upload(page.id, randomBytes(10_000_000));
  await quire(['user', 'promote', 'owner']);
  const scopes = ['admin'];
  const body = { username: 'owner', password: PASSWORD, scopes };
  const admin = (await call(server, 'POST', '/api/auth/token', { body })).body.accessToken;
  const response = await fetch(`http://127.0.0.1:${server.port}/api/admin/backup`, {
    headers: { authorization: `Bearer ${admin}` },
  });
  const reader = response.body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await server.kill();
  const rest = async () => {
    while (!(await reader?.read())?.done);
  };
  expect(rest()).rejects.toThrow();

  const { dataFolder, owner } = server;
  server = await startFunctionServer({ dataFolder, owner });
  expect(readdirSync(join(dataFolder, 'databases'))).not.toContain('exports');
  expect(await quire(['backup', 'after.tar.gz', '--quiet'])).toMatchObject({ code: 0, err: '' });
  expect((await server.call(slug)).status).toBe(200);
});
