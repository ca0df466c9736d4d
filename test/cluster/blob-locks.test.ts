import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Blobs, diskBlobs, KeptBlobs } from '../../server/platform/blobs/index.ts';
import { type Storage, startStorage } from '../../server/platform/storage/index.ts';
import { startDatabase } from '../support/engines/process-postgres.ts';

/** A backup on one node needs files that another node could delete. */

const BYTES = Buffer.from('bytes');
let folder: string;
let database: { url: string; stop(): Promise<void> };
let nodes: Array<{ storage: Storage; kept: KeptBlobs }>;
let blobs: Blobs;
let warnings: unknown[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-locks-'));
  database = await startDatabase();
  blobs = diskBlobs(join(folder, 'blobs'));
  warnings = [];
  nodes = [];
  for (let count = 0; count < 3; count++) {
    const storage = await startStorage({ dataFolder: folder, databaseUrl: database.url });
    const log = { warn: (fields: unknown) => void warnings.push(fields) };
    nodes.push({ storage, kept: new KeptBlobs({ storage, blobs, log, now: Date.now }) });
  }
}, 120_000);
afterAll(async () => {
  for (const { kept, storage } of nodes ?? []) {
    await kept.stop();
    await storage.stop();
  }
  await database?.stop();
  rmSync(folder, { recursive: true });
});

const node = (index: number) => nodes[index] ?? expect.unreachable();
const sweepAll = () => Promise.all(nodes.map(({ kept }) => kept.sweep()));
const inTrash = async () =>
  (await node(0).storage.db.selectFrom('blob_trash').select('key').orderBy('key').execute()).map(
    ({ key }) => key,
  );
const letGo = (keys: string[]) => {
  const { storage, kept } = node(1);
  return storage.db.transaction().execute((tx) => kept.release(tx, keys));
};

test('a file released on one node is kept while another node holds a lock, and deleted afterwards', async () => {
  await node(1).kept.keep('a/1', BYTES, async () => undefined);
  const release = await node(0).kept.lock();
  const releaseSecond = await node(2).kept.lock();
  await letGo(['a/1']);
  await sweepAll();
  expect((await blobs.get('a/1'))?.length).toBe(5);
  await release();
  await sweepAll();
  expect((await blobs.get('a/1'))?.length).toBe(5);
  await releaseSecond();
  await node(1).kept.sweep();
  await sweepAll();
  expect(await blobs.get('a/1')).toBeUndefined();
  expect(await inTrash()).toEqual([]);
});

test('sweeps on all nodes at the same time delete what is due, and nothing else', async () => {
  const keys = Array.from({ length: 600 }, (_, i) => `many/${i}`);
  for (const key of ['stays/1', 'stays/2']) await node(0).kept.keep(key, BYTES, async () => undefined);
  await Promise.all(keys.slice(0, 20).map((key) => blobs.put(key, BYTES)));
  await letGo(keys);
  while ((await inTrash()).length > 0) await sweepAll();
  for (const key of keys.slice(0, 20)) expect(await blobs.get(key)).toBeUndefined();
  for (const key of ['stays/1', 'stays/2']) expect((await blobs.get(key))?.length).toBe(5);
  expect(warnings).toEqual([]);
});

test('a lock ends with its connection, and releasing it then fails', async () => {
  const release = await node(0).kept.lock();
  await node(1).kept.keep('b/1', BYTES, async () => undefined);
  await letGo(['b/1']);
  await node(2).kept.sweep();
  expect((await blobs.get('b/1'))?.length).toBe(5);
  const killer = new Bun.SQL(database.url);
  await killer`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`;
  await killer.close();
  await expect(release()).rejects.toThrow();
  while ((await inTrash()).length > 0) await sweepAll();
  expect(await blobs.get('b/1')).toBeUndefined();
  const again = await node(0).kept.lock();
  await again();
});
