import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Storage, startStorage } from '../storage/index.ts';
import { type Blobs, diskBlobs, KeptBlobs } from './index.ts';

const HOUR_MS = 3600 * 1000;

let folder: string;
let storage: Storage;
let disk: Blobs;
let now: number;
let running: KeptBlobs[];
let warnings: unknown[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-kept-'));
  storage = await startStorage({ dataFolder: folder });
  disk = diskBlobs(join(folder, 'blobs'));
  now = 1_000_000;
  running = [];
  warnings = [];
});
afterEach(async () => {
  for (const kept of running) await kept.stop();
  await storage.stop();
  rmSync(folder, { recursive: true });
});

/** A service with blobs that behave in a given way. */
function start(odd: Partial<Blobs> = {}): KeptBlobs {
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  const kept = new KeptBlobs({ storage, blobs: { ...disk, ...odd }, log, now: () => now });
  running.push(kept);
  return kept;
}

const BYTES = new TextEncoder().encode('bytes');
const onDisk = () => [...new Bun.Glob('**/*').scanSync({ cwd: join(folder, 'blobs'), dot: true })].sort();
const inTrash = async () =>
  (await storage.db.selectFrom('blob_trash').select('key').orderBy('key').execute()).map(({ key }) => key);
const fail = async () => {
  throw new Error('broken');
};

test('bytes stay as long as their row, and are deleted after it', async () => {
  const kept = start();
  expect(await kept.keep('a/1', BYTES, async () => 'row')).toBe('row');
  now += 2 * HOUR_MS;
  await kept.sweep();
  expect(Buffer.from((await kept.get('a/1')) ?? []).toString()).toBe('bytes');
  expect(await inTrash()).toEqual([]);
  await storage.db.transaction().execute((tx) => kept.release(tx, ['a/1']));
  await kept.sweep();
  expect([onDisk(), await inTrash()]).toEqual([[], []]);
});

test('released bytes are deleted soon, without a sweep from outside', async () => {
  const deleted = Promise.withResolvers<string>();
  const kept = start({
    async delete(key) {
      await disk.delete(key);
      deleted.resolve(key);
    },
  });
  await kept.keep('a/1', BYTES, async () => undefined);
  await storage.db.transaction().execute((tx) => kept.release(tx, ['a/1']));
  expect(await deleted.promise).toBe('a/1');
  expect(onDisk()).toEqual([]);
});

test('a row that cannot be written leaves no bytes', async () => {
  const kept = start();
  await expect(kept.keep('a/1', BYTES, fail)).rejects.toThrow('broken');
  expect([onDisk(), await inTrash()]).toEqual([[], []]);
});

test('bytes that cannot be written completely leave neither bytes nor row', async () => {
  let rows = 0;
  const kept = start({
    async put(key, bytes) {
      await disk.put(key, bytes.subarray(1));
      await fail();
    },
  });
  await expect(kept.keep('a/1', BYTES, async () => void rows++)).rejects.toThrow('broken');
  expect([onDisk(), await inTrash(), rows]).toEqual([[], [], 0]);
});

test('a crash between bytes and row leaves bytes that a later start removes, and no sooner', async () => {
  const written = Promise.withResolvers<void>();
  const crashed = start({
    async put(key, bytes) {
      await disk.put(key, bytes);
      written.resolve();
      return new Promise(() => undefined);
    },
  });
  void crashed.keep('a/1', BYTES, fail);
  await written.promise;
  expect([onDisk(), await inTrash()]).toEqual([['a/1'], ['a/1']]);
  now += HOUR_MS - 1;
  await start().sweep();
  expect(onDisk()).toEqual(['a/1']);
  now += 1;
  await start().sweep();
  expect([onDisk(), await inTrash()]).toEqual([[], []]);
});

test('a crash after the row was deleted leaves bytes that the next start removes', async () => {
  const kept = start({ delete: fail });
  await kept.keep('a/1', BYTES, async () => undefined);
  await storage.db.transaction().execute((tx) => kept.release(tx, ['a/1']));
  await kept.sweep();
  expect([onDisk(), await inTrash()]).toEqual([['a/1'], ['a/1']]);
  expect(warnings.length).toBe(1);
  await start().sweep();
  expect([onDisk(), await inTrash()]).toEqual([[], []]);
});

test('a release counts only if its transaction commits', async () => {
  const kept = start();
  await kept.keep('a/1', BYTES, async () => undefined);
  const undone = storage.db.transaction().execute(async (tx) => {
    await kept.release(tx, ['a/1']);
    await fail();
  });
  await expect(undone).rejects.toThrow('broken');
  await kept.sweep();
  expect([onDisk(), await inTrash()]).toEqual([['a/1'], []]);
});

test('bytes that took longer than the sweep waits get no row', async () => {
  const kept = start({
    async put(key, bytes) {
      await disk.put(key, bytes);
      now += HOUR_MS;
    },
  });
  await expect(kept.keep('a/1', BYTES, async () => 'row')).rejects.toThrow('took too long');
  expect([onDisk(), await inTrash()]).toEqual([[], []]);
});

test('bytes that cannot be deleted do not block others', async () => {
  const keys = Array.from({ length: 1_001 }, (_, i) => `a/${String(i).padStart(4, '0')}`);
  const kept = start({ delete: (key) => (key === 'a/0000' ? fail() : disk.delete(key)) });
  await storage.db.transaction().execute((tx) => kept.release(tx, keys));
  await kept.sweep();
  expect(await inTrash()).toEqual(['a/0000']);
});

test('nothing is changed after stop', async () => {
  const kept = start();
  await kept.keep('a/1', BYTES, async () => undefined);
  await storage.db.transaction().execute((tx) => kept.release(tx, ['a/1']));
  await kept.stop();
  await kept.sweep();
  expect([onDisk(), await inTrash()]).toEqual([['a/1'], ['a/1']]);
});

test('released bytes are kept during a lock, and deleted afterwards', async () => {
  const kept = start();
  await kept.keep('a/1', BYTES, async () => undefined);
  const release = await kept.lock();
  await storage.db.transaction().execute((tx) => kept.release(tx, ['a/1']));
  await kept.sweep();
  expect(onDisk()).toEqual(['a/1']);
  await release();
  await kept.sweep();
  expect(onDisk()).toEqual([]);
  expect(await inTrash()).toEqual([]);
});
