import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type DatabaseQuota,
  type Databases,
  NAMESPACE,
  startOnlyDatabases,
} from '../../server/runtime/databases/index.ts';
import { MAX_PENDING_BYTES } from '../../workers/protocol.ts';
import { startS3, type TestS3 } from '../support/engines/s3.ts';
import { freePort, waitUntil } from '../support/server.ts';

/** Copies of databases in a cluster, for backups and exports. */

const OWNER = 1;
const QUOTA: DatabaseQuota = {
  remaining: async () => 100_000_000,
  grant: async (_ownerId, _databaseId, bytes) => bytes,
};
type Node = { databases: Databases; stop(): Promise<void> };
const stopping: Array<() => Promise<unknown>> = [];
let s3: TestS3;
let here: Node;
let there: Node;
beforeAll(async () => {
  s3 = await startS3();
  stopping.push(() => s3.stop());
  [here, there] = await Promise.all([start(s3), start(s3)]);
}, 120_000);
afterAll(async () => {
  for (const stop of stopping.toReversed()) await stop();
});

/** Starts a node of the cluster, or a single machine if there is no bucket. */
async function start(
  bucket?: TestS3,
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-copies-')),
): Promise<Node> {
  const node = await startOnlyDatabases({
    dataFolder,
    sandbox: 'off',
    databaseTempBytes: 64 * 1024 ** 2,
    cluster: bucket && {
      address: `127.0.0.1:${await freePort()}`,
      shards: 1,
      key: {
        hosts: 'a key of all nodes of this test that is long enough',
        fingerprint: 'what it is known by',
      },
      s3: bucket,
    },
    onLine: () => undefined,
  });
  node.databases.useQuota(QUOTA);
  stopping.push(async () => {
    await node.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  });
  return node;
}

async function query({ databases }: Node, databaseId: number, sql: string): Promise<unknown[][]> {
  const body = JSON.stringify({ sql });
  const response = await databases.fetch(OWNER, databaseId, '/query', { method: 'POST', body });
  const answer = (await response.json()) as { error?: string; results: { rows: unknown[][] } };
  if (answer.error) throw new Error(answer.error);
  return answer.results.rows;
}

async function fill(databaseId: number): Promise<void> {
  await query(here, databaseId, 'CREATE TABLE t (a INTEGER PRIMARY KEY, of INTEGER REFERENCES t (a), b)');
  await query(here, databaseId, "INSERT INTO t VALUES (1, NULL, 'it''s'), (2, 3, x'00ff'), (3, 1, 1.5)");
  await query(here, databaseId, 'CREATE VIRTUAL TABLE words USING fts5 (word)');
  await query(here, databaseId, "INSERT INTO words VALUES ('hello world')");
}

async function expectFilled(node: Node, databaseId: number): Promise<void> {
  expect(await query(node, databaseId, 'SELECT a, of, hex(b) FROM t ORDER BY a')).toEqual([
    [1, null, '69742773'],
    [2, 3, '00FF'],
    [3, 1, '312E35'],
  ]);
  expect(await query(node, databaseId, "SELECT word FROM words WHERE words MATCH 'hello'")).toEqual([
    ['hello world'],
  ]);
}

test('a copy made by another node works on a single machine', async () => {
  await fill(1);
  const copies = there.databases.beginCopies();
  const folder = await copies.take(OWNER, 1);
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-copies-'));
  cpSync(folder, join(dataFolder, 'databases', String(OWNER), NAMESPACE), { recursive: true });
  await expectFilled(await start(undefined, dataFolder), 1);
  await copies.end();
}, 120_000);

test('a database that is removed while copies are made is copied first', async () => {
  await fill(2);
  const copies = here.databases.beginCopies();
  await here.databases.remove(OWNER, 2);
  const folder = await copies.take(OWNER, 2);
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-copies-'));
  cpSync(folder, join(dataFolder, 'databases', String(OWNER), NAMESPACE), { recursive: true });
  await expectFilled(await start(undefined, dataFolder), 2);
  await copies.end();
}, 120_000);

test('a copy shows one moment, even while others write', async () => {
  await query(here, 3, 'CREATE TABLE t (a)');
  let isDone = false;
  const writing = (async () => {
    for (let i = 0; !isDone; i++) {
      const body = JSON.stringify([
        { sql: `INSERT INTO t VALUES (${i})` },
        { sql: `INSERT INTO t VALUES (${i})` },
      ]);
      await here.databases.fetch(OWNER, 3, '/query', { method: 'POST', body });
    }
  })();
  for (let i = 0; i < 3; i++) {
    const script = await new Response(await there.databases.export(OWNER, 3)).text();
    expect((script.match(/^INSERT/gm) ?? []).length % 2).toBe(0);
  }
  isDone = true;
  await writing;
}, 120_000);

test('a database cannot grow while its quota is unknown, and everything else works', async () => {
  await query(here, 4, 'CREATE TABLE t (a)');
  await query(here, 4, 'INSERT INTO t VALUES (1)');
  const unavailable = async () => {
    throw new Error('PostgreSQL is unavailable');
  };
  here.databases.useQuota({ ...QUOTA, grant: unavailable });
  const growing = query(here, 4, 'INSERT INTO t VALUES (zeroblob(100000))');
  await expect(growing).rejects.toThrow('cannot grow right now');
  await query(here, 4, 'UPDATE t SET a = 2');
  expect(await query(there, 4, 'SELECT a FROM t')).toEqual([[2]]);
  here.databases.useQuota(QUOTA);
  await query(here, 4, 'INSERT INTO t VALUES (zeroblob(100000))');
}, 120_000);

/** A write at a node that takes long, because its quota is granted late. Resolves when it has begun. */
async function beginSlowWrite(at: Node, databaseId: number, milliseconds: number) {
  await query(at, databaseId, 'CREATE TABLE t (a)');
  const begun = Promise.withResolvers<void>();
  const grant = async (...asked: Parameters<typeof QUOTA.grant>) => {
    begun.resolve();
    await Bun.sleep(milliseconds);
    return QUOTA.grant(...asked);
  };
  at.databases.useQuota({ ...QUOTA, grant });
  const written = query(there, databaseId, 'INSERT INTO t VALUES (zeroblob(100000))');
  await begun.promise;
  return { written };
}

test('a write that takes long is not taken for lost while its database is busy with it', async () => {
  const { written } = await beginSlowWrite(here, 5, 9_000);
  await written;
  here.databases.useQuota(QUOTA);
  expect(await query(there, 5, 'SELECT count(*) FROM t')).toEqual([[1]]);
}, 120_000);

test('a node that stops lets a write finish that takes long', async () => {
  const leaving = await start(s3);
  const { written } = await beginSlowWrite(leaving, 6, 5_000);
  await Promise.all([leaving.stop(), written]);
  expect(await query(there, 6, 'SELECT count(*) FROM t')).toEqual([[1]]);
}, 120_000);

test('limits how many bytes of one owner wait at a shared host', async () => {
  await query(here, 13, 'CREATE TABLE t (a)');
  const { folder, name, owner, key } = await here.databases.open(OWNER, 13);
  const own = { 'x-quire-database': name, 'x-quire-owner': owner, 'x-quire-key': key };
  const send = async (body: string | ReadableStream, headers: Record<string, string> = own) => {
    const init = { method: 'POST', body, headers, unix: join(folder, 'http') } as RequestInit;
    return (await fetch('http://database/query', init)).status;
  };
  const write = (bytes: number) => '{"sql":"INSERT INTO t VALUES (1)"}'.padEnd(bytes);
  const server = async (path: string, body: string) =>
    (await here.databases.fetch(OWNER, 13, path, { method: 'POST', body })).json();

  expect(await send(write(MAX_PENDING_BYTES + 1))).toBe(413);
  expect(await send(new ReadableStream({ pull: (to) => to.enqueue(Buffer.from(' ')) }))).toBe(411);
  // A locked database accepts no writes, so the longest allowed request waits.
  const { token } = (await server('/lock', '')) as { token: string };
  const longest = send(write(MAX_PENDING_BYTES));
  const read = '{"sql":"SELECT 1"}';
  await waitUntil(async () => (await send(read)) === 429);
  expect(await send(read, { ...own, 'x-quire-owner': 'another' })).toBe(200);
  await server('/unlock', JSON.stringify({ token }));
  expect(await longest).toBe(200);
  expect(await send(read)).toBe(200);
}, 120_000);

test('counts what open transactions have in memory among the bytes of their owner', async () => {
  for (const id of [14, 15]) await query(here, id, 'CREATE TABLE t (a)');
  const send = async (id: number, path: string, body: string, as?: string) => {
    const { folder, name, owner, key } = await here.databases.open(OWNER, id);
    const headers = { 'x-quire-database': name, 'x-quire-owner': as ?? owner, 'x-quire-key': key };
    const init = { method: 'POST', headers, body, unix: join(folder, 'http') } as RequestInit;
    const response = await fetch(`http://database${path}`, init);
    return { status: response.status, text: await response.text() };
  };
  const server = async (path: string, body: string) =>
    (await here.databases.fetch(OWNER, 14, path, { method: 'POST', body })).json();
  const left = 10_000;
  const ends = 'rollback\n';
  const transaction = (length: number, as?: string) =>
    send(15, '/transaction', `${'/query {"sql":"SELECT 1"}'.padEnd(length - ends.length - 1)}\n${ends}`, as);

  const { token } = (await server('/lock', '')) as { token: string };
  const statement = '{"sql":"INSERT INTO t VALUES (1)"}'.padEnd(MAX_PENDING_BYTES - left);
  const waiting = send(14, '/query', statement);
  const tooLarge = '{"sql":"SELECT 1"}'.padEnd(left + 1);
  await waitUntil(async () => (await send(14, '/query', tooLarge)).status === 429);
  for (let time = 0; time < 2; time++) {
    expect((await transaction(left)).text).toMatch(
      /^\{"success":true\}\n\{"success":true.*1.*\n\{"success":true\}\n$/,
    );
    expect((await transaction(left + 1)).text).toContain(
      'was undone. Your databases have too many requests at once',
    );
  }
  expect((await transaction(left + 1, 'another')).text).not.toContain('undone');
  await server('/unlock', JSON.stringify({ token }));
  expect((await waiting).status).toBe(200);
  expect((await transaction(left + 1)).text).not.toContain('undone');
}, 120_000);

test('the key of a cell opens only its own database at a shared host, and only for D1 requests', async () => {
  await query(here, 11, 'CREATE TABLE t (a)');
  const { folder, name, key } = await here.databases.open(OWNER, 11);
  const stranger = await here.databases.open(OWNER, 12);
  expect(stranger.folder).toBe(folder);
  const ask = async (path: string, headers: Record<string, string>) => {
    const body = JSON.stringify({ sql: 'SELECT * FROM t' });
    const init = { method: 'POST', body, headers, unix: join(folder, 'http') } as RequestInit;
    return (await fetch(`http://database${path}`, init)).status;
  };
  const own = { 'x-quire-database': name, 'x-quire-key': key };
  expect(await ask('/query', own)).toBe(200);
  expect(await ask('/query', { ...own, 'x-quire-key': stranger.key })).toBe(403);
  expect(await ask('/query', { 'x-quire-database': name })).toBe(403);
  expect(await ask('/lock', own)).toBe(403);
  expect(await ask('/import-lines', own)).toBe(403);
  expect(await ask('/drain', { 'x-quire-key': key })).toBe(403);
});
