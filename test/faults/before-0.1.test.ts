import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../support/environment.ts';
import { call } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** A data folder and a backup with 32 migrations, from before they became one, still open. */

const ROOT = join(import.meta.dir, '../..');
const MADE = join(import.meta.dir, 'before-0.1');

const folder = mkdtempSync(join(tmpdir(), 'quire-before-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string[], env: Record<string, string> = {}): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { env: { ...environment, ...env } });
  expect([exitCode, stderr.toString()]).toEqual([0, expect.any(String)]);
}

async function expectAll(server: TestServer): Promise<void> {
  const body = { username: 'ada', password: 'a long password' };
  const { status, body: tokens } = await call(server, 'POST', '/api/auth/token', { body });
  expect(status).toBe(200);
  const token = tokens.accessToken;
  expect((await call(server, 'GET', '/p/notes')).body).toContain('From before');
  const { body: list } = await call(server, 'GET', '/api/pages/1/team-data/notes', { token });
  expect(list.records).toMatchObject([{ data: { title: 'Kept', a: 1 } }]);
  // It was called once before.
  expect((await call(server, 'POST', '/api/functions/count')).body).toEqual({ calls: 2 });
  const renamed = await call(server, 'PATCH', '/api/pages/1', { token, body: { slug: 'renamed' } });
  expect(renamed.status).toBe(200);
}

test('a data folder opens, and notes the one migration', async () => {
  const dataFolder = join(folder, 'data');
  mkdirSync(dataFolder);
  run(['tar', '-xzf', join(MADE, 'data.tar.gz'), '-C', dataFolder]);
  const server = await startServer({ dataFolder });
  await expectAll(server);
  await server.stop();
  const db = new Database(join(dataFolder, 'quire.db'), { readonly: true });
  const names = db.query<{ name: string }, []>('select name from kysely_migration order by name').all();
  db.close();
  expect(names.map(({ name }) => name).slice(0, 2)).toEqual(['0001-tables', '0034-record-texts']);
});

test('a backup is restored', async () => {
  const dataFolder = join(folder, 'restored');
  const restore = [process.execPath, join(ROOT, 'bin/launch.ts'), 'restore', join(MADE, 'backup.tar.gz')];
  run(restore, { QUIRE_DATA: dataFolder });
  const server = await startServer({ dataFolder });
  await expectAll(server);
  await server.stop();
});
