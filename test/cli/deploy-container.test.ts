import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readComposeFile } from '../support/cli/container-files.ts';
import { descendants } from '../support/faults/process.ts';
import { call, publish, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/**
 * A server with the settings of the Compose file for one machine, and with its limits: as another user without
 * capabilities, and with a file system in which only the data and the temporary folder can be written.
 */

const PROJECT = join(import.meta.dir, '../..');
const CODE = `export default { async fetch(request, { DB }) {
  await DB.exec('create table if not exists t (a); insert into t values (1)');
  return Response.json(await DB.prepare('select count(*) as n from t').first());
} };`;
/** The user of the image. */
const USER = '10001';

let folder: string;
let server: TestServer;
let token: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-container-'));
  for (const name of ['data', 'tmp']) mkdirSync(join(folder, name));
  const { environment } = readComposeFile('one-machine.yaml').services.quire ?? {};
  server = await startServer({
    settings: { ...environment },
    dataFolder: join(folder, 'data'),
    within: within(),
  });
  ({ token } = await register(server, 'ada'));
}, 120_000);
afterAll(async () => {
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

function within(): string[] {
  const writable = [
    join(folder, 'data'),
    // The image has a compiled program. Here, the source is compiled first.
    join(PROJECT, '.cache'),
  ].flatMap((path) => ['--bind', path, path]);
  const tmp = join(folder, 'tmp');
  return [
    ...['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', ...writable],
    ...['--tmpfs', tmp, '--remount-ro', '/dev', '--setenv', 'TMPDIR', tmp],
    ...['--unshare-user', '--uid', USER, '--gid', USER, '--cap-drop', 'ALL', '--die-with-parent', '--'],
  ];
}

test('nothing else can be written', () => {
  const write = (path: string) =>
    Bun.spawnSync([...within(), 'sh', '-c', `echo > ${join(path, 'written')}`], { stderr: 'ignore' }).success;
  expect([write(PROJECT), write('/'), write(folder)]).toEqual([false, false, false]);
  expect(write(join(folder, 'tmp'))).toBe(true);
});

test('it serves pages, and functions with databases in sandboxes', async () => {
  const { slug } = await publish(server, token);
  expect((await call(server, 'GET', `/p/${slug}`)).status).toBe(200);
  const made = await call(server, 'POST', '/api/functions', {
    ...{ token, body: { slug: 'counter', code: CODE, enableDatabase: true } },
  });
  expect([made.status, made.body]).toEqual([201, made.body]);
  expect((await call(server, 'POST', '/api/functions/counter', { body: {} })).body).toEqual({ n: 1 });
  expect(server.output()).toContain('bwrap (no network, no files, own user)');
}, 60_000);

test('it passes the health check of the image', () => {
  const dockerfile = readFileSync(join(PROJECT, 'deploy/Dockerfile'), 'utf8');
  const [, command = ''] = /^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const check = (port: number) =>
    Bun.spawnSync(JSON.parse(command) as string[], {
      env: { PATH: process.env.PATH ?? '', PORT: String(port) },
      stderr: 'ignore',
    }).exitCode;
  expect(check(server.port)).toBe(0);
  expect(check(1)).not.toBe(0);
});

test('it stops when the container does', async () => {
  // Docker sends the signal to the first process inside, and bubblewrap does not pass it on.
  const [inside] = descendants(server.pid);
  process.kill(inside ?? 0, 'SIGTERM');
  expect(await server.exited).toBe(0);
}, 60_000);
