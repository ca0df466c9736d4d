import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBucket } from '../../server/platform/blobs/index.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { startS3, type TestS3 } from '../support/engines/s3.ts';
import { type Account, call, publish, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** A server with a replica in a bucket, and what becomes of it when its disk is lost. */

const REPLICA = 's3://quire-test/machines/one';
const COUNTER = `export default { async fetch(request, env) {
  await env.DB.exec('CREATE TABLE IF NOT EXISTS hits (at INTEGER)');
  await env.DB.prepare('INSERT INTO hits VALUES (1)').run();
  return Response.json(await env.DB.prepare('SELECT count(*) AS hits FROM hits').first());
} };`;

let folder: string;
let s3: TestS3;
let shell: Shell;
let server: TestServer;
let owner: Account;
let settings: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-replica-'));
  s3 = await startS3();
  const { S3_BUCKET: _, ...access } = s3.settings;
  settings = { ...access, QUIRE_REPLICA: REPLICA };
  shell = openShell(settings);
  server = await startServer({ dataFolder: join(folder, 'data'), settings });
  owner = await register(server, 'replicaowner');
}, 120_000);
afterAll(async () => {
  await server?.kill();
  await shell?.stop();
  await s3?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const send = (method: string, path: string, body?: unknown) =>
  call(server, method, path, { token: owner.token, ...(body !== undefined && { body }) });

const status = (dataFolder = server.dataFolder) =>
  shell.run(['replica', 'status', '--json'], { env: { QUIRE_DATA: dataFolder } });

/** Waits until everything that has happened so far is in the replica. */
async function untilShipped(): Promise<void> {
  const from = Date.now();
  await waitUntil(async () => {
    const metrics = String((await call(server, 'GET', '/metrics')).body);
    const read = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(metrics)?.[1] ?? Number.NaN);
    const age = read('quire_replica_age_seconds');
    const isNew = age >= 0 && Date.now() - age * 1000 > from;
    return (
      isNew &&
      read('quire_replica_waiting\\{kind="files"\\}') +
        read('quire_replica_waiting\\{kind="databases"\\}') ===
        0
    );
  });
}

function dump(dataFolder: string): Record<string, unknown[]> {
  const database = new Database(join(dataFolder, 'quire.db'));
  try {
    const tables = database
      .prepare(
        // The index of words has no rows to read, but tables of its own, which are compared.
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and sql not like 'create virtual%' order by name",
      )
      .values()
      .map(([name]) => String(name));
    return Object.fromEntries(
      tables.map((name) => [
        name,
        database
          .prepare(`select * from "${name}"`)
          .values()
          .map((row) => row.join('|'))
          .sort(),
      ]),
    );
  } finally {
    database.close();
  }
}

const restore = (name: string, ...options: string[]) =>
  shell.run(['restore', '--from', REPLICA, ...options, '--json'], {
    env: { QUIRE_DATA: join(folder, name), TZ: 'America/New_York' },
  });

test('brings a lost machine back with its pages, files, records and databases', async () => {
  const { id } = await publish(server, owner.token, { name: 'Board', storage_mode: 'social_app' });
  const picture = Buffer.from('a file that is not in the database');
  const put = await fetch(`http://127.0.0.1:${server.port}/api/pages/${id}/files/note.txt`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'text/plain' },
    body: picture,
  });
  expect(put.status).toBeLessThan(300);
  expect(
    (await send('POST', '/api/functions', { slug: 'replicacounter', code: COUNTER, enableDatabase: true }))
      .status,
  ).toBe(201);
  expect((await send('POST', '/api/functions/replicacounter')).body).toEqual({ hits: 1 });
  const records = `/api/pages/${id}/social-data/notes`;
  const { body: kept } = await send('POST', records, { data: { text: 'kept' } });
  await untilShipped();
  const before = new Date().toISOString();
  await Bun.sleep(10);
  expect((await send('DELETE', `${records}/${kept.id}`)).status).toBeLessThan(300);
  await untilShipped();
  expect((await call(server, 'GET', '/readyz')).body.degraded).toEqual([]);
  const found = (await status()).json();
  expect(found).toMatchObject({ replica: REPLICA, status: 'following', problem: null });
  expect(found.ageSeconds).toBeLessThan(60);

  expect(await server.stop()).toBe(0);
  const restored = await restore('again');
  expect(restored).toMatchObject({ code: 0 });
  expect(restored.json()).toMatchObject({ files: 1, databases: 1, missing: [] });
  expect(dump(join(folder, 'again'))).toEqual(dump(join(folder, 'data')));
  // Before the deletion.
  // A time is in UTC, wherever the machine is.
  const plain = before.replace('T', ' ').replace('Z', '');
  expect(await restore('before', '--at', plain)).toMatchObject({ code: 0 });
  expect(dump(join(folder, 'before')).records).toHaveLength(1);
  expect(dump(join(folder, 'again')).records).toHaveLength(0);

  server = await startServer({ dataFolder: join(folder, 'again'), settings });
  expect((await send('POST', '/api/functions/replicacounter')).body).toEqual({ hits: 2 });
  const file = await fetch(`http://127.0.0.1:${server.port}/api/pages/${id}/files/note.txt`, {
    headers: { authorization: `Bearer ${owner.token}` },
  });
  expect(Buffer.from(await file.arrayBuffer()).equals(picture)).toBe(true);
  // The restored server goes on with the replica.
  await untilShipped();
}, 240_000);

test('waits for a bucket that is down, says so, and catches up', async () => {
  await s3.kill();
  await publish(server, owner.token, { name: 'Written meanwhile' });
  const report = () => send('GET', '/api/admin/health');
  await waitUntil(
    async () =>
      JSON.parse(await Bun.file(join(server.dataFolder, 'replica-state.json')).text()).status === 'failing',
  );
  expect((await status()).code).toBe(1);
  expect((await send('GET', '/api/pages')).status).toBe(200);
  expect((await report()).status).toBe(403);
  await s3.start();
  await untilShipped();
  expect((await status()).json()).toMatchObject({ status: 'following', problem: null });
}, 240_000);

test('finds a turned bit in the bucket when it is checked or restored, and names the last good time', async () => {
  await untilShipped();
  const bucket = openBucket(s3);
  const keys = await bucket.list('machines/one/generations/', 1000);
  const last = keys.filter((key) => key.includes('/segments/')).at(-1) ?? '';
  const response = await bucket.send('GET', last);
  const bytes = Buffer.concat(await Array.fromAsync(bucket.read(response)));
  const turned = Buffer.from(bytes);
  turned.writeUInt8((bytes.at(-5) ?? 0) ^ 8, bytes.length - 5);
  await bucket.send('PUT', last, { body: turned });
  const refused = await restore('damaged');
  expect(refused.code).toBe(1);
  expect(refused.stderr + refused.stdout).toContain('does not match its checksum');
  expect(refused.stderr + refused.stdout).toContain('The last good time before that is');
  const check = () => shell.run(['restore', '--from', REPLICA, '--check', '--json']);
  const checked = await check();
  expect([checked.code, checked.json().damage]).toEqual([
    1,
    [expect.stringContaining('does not match its checksum')],
  ]);
  await bucket.send('PUT', last, { body: bytes });
  expect((await check()).json()).toMatchObject({ damage: [] });
  expect((await restore('damaged')).code).toBe(0);
}, 120_000);

test('refuses a second server on the same replica, which keeps running', async () => {
  const other = await startServer({ settings });
  try {
    await waitUntil(async () => other.output().includes('belongs to the server on'));
    // The log has it first, and the probe a little later.
    await waitUntil(async () => (await call(other, 'GET', '/readyz')).body.degraded.includes('replica'));
    const { stdout, code } = await status(other.dataFolder);
    expect(code).toBe(1);
    expect(stdout).toContain('belongs to the server on');
  } finally {
    await other.kill();
  }
}, 120_000);
