import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startS3, type TestS3 } from '../../../test/support/engines/s3.ts';
import { compress } from '../../lib/formats/gzip.ts';
import { s3Blobs } from '../../platform/blobs/index.ts';
import { MIGRATION_NAMES, startStorage } from '../../platform/storage/index.ts';
import { fingerprint } from './archive/manifest.ts';
import { type ArchiveEntry, entry, pack } from './archive/pack.ts';
import { summing, sumUp } from './database-sums.ts';
import { compareRestored, type Restored, restoreArchive } from './index.ts';

const SECRET = 'a key of at least thirty-two characters';
const MANIFEST = {
  format: 1,
  quire: '0.1.0',
  engine: 'sqlite',
  migration: MIGRATION_NAMES.at(-1),
  createdAt: '2026-01-01T00:00:00.000Z',
  baseUrl: 'http://localhost:3000',
  secret: { kept: 'setting', fingerprint: fingerprint(Buffer.from(SECRET)) },
};
const TRASH = [1, 2].map((n) => JSON.stringify({ key: `k/${n}`, delete_after: n })).join('\n');
const TOTALS = { rows: { blob_trash: 2 }, sequences: {}, blobs: 2, databases: 0, missing: [] };

async function* entries(): AsyncGenerator<ArchiveEntry> {
  yield entry('manifest.json', JSON.stringify(MANIFEST));
  yield entry('tables/blob_trash/000001.ndjson', TRASH);
  yield entry('blobs/images/a', 'one');
  yield entry('blobs/images/b', 'two');
  yield entry('totals.json', JSON.stringify(TOTALS));
}

let s3: TestS3;
let folder: string;
let restored: Restored;
beforeEach(async () => {
  s3 = await startS3();
  folder = mkdtempSync(join(tmpdir(), 'quire-compare-'));
  const bytes = Buffer.concat(await Array.fromAsync(compress(pack(entries(), 0))));
  const stream = new Blob([bytes as never]).stream() as ReadableStream<Uint8Array>;
  restored = await restoreArchive(stream, { dataFolder: folder, s3, secret: SECRET });
});
afterEach(async () => {
  await s3.stop();
  rmSync(folder, { recursive: true });
});

const disagreeing = async () =>
  (await compareRestored(restored, { dataFolder: folder, s3 }))
    .filter(({ agrees }) => !agrees)
    .map(({ what, before, after }) => [what, before, after]);

test('a complete restore has no differences', async () => {
  expect(await disagreeing()).toEqual([]);
});

test('a missing row is found', async () => {
  const storage = await startStorage({ dataFolder: folder });
  await storage.db.deleteFrom('blob_trash').where('key', '=', 'k/1').execute();
  await storage.stop();
  expect(await disagreeing()).toEqual([['rows of blob_trash', 2, 1]]);
});

test('a missing file is found, and so is one with other bytes', async () => {
  await s3Blobs(s3).put('images/a', Buffer.from('ONE'));
  expect(await disagreeing()).toEqual([['files and pictures', 2, 2]]);
  await s3Blobs(s3).delete('images/a');
  expect(await disagreeing()).toEqual([['files and pictures', 2, 1]]);
});

test('a missing database is found', async () => {
  restored = { ...restored, totals: { ...restored.totals, databases: 1 } };
  expect(await disagreeing()).toEqual([['databases', 1, 0]]);
});

async function* inPieces(statements: string[], size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(statements.map((text) => `${JSON.stringify(text)}\n`).join(''));
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test('the checksum of a database depends only on its content', async () => {
  const statements = [
    'CREATE TABLE "a""b" (v)',
    `INSERT INTO "a""b" (v) VALUES ('é😀\n');`,
    'INSERT INTO "a""b" (v) VALUES (1);',
    'INSERT INTO "c" (v) VALUES (1);',
    "INSERT INTO sqlite_sequence (name, seq) VALUES ('c', 9);",
  ];
  const whole = await sumUp(inPieces(statements, 10_000));
  expect(Object.entries(whole.tables).map(([name, { rows }]) => [name, rows])).toEqual([
    ['a"b', 2],
    ['c', 1],
  ]);
  for (const size of [1, 2, 7]) expect(await sumUp(inPieces(statements, size))).toEqual(whole);
  const other = await sumUp(
    inPieces([...statements.slice(0, -1), statements[4]?.replace('9', '8') ?? ''], 50),
  );
  expect(other.tables).toEqual(whole.tables);
  expect(other.sha256).not.toBe(whole.sha256);
  const row = await sumUp(inPieces(statements.with(2, 'INSERT INTO "a""b" (v) VALUES (2);'), 50));
  expect(row.tables['a"b']?.sha256).not.toBe(whole.tables['a"b']?.sha256);
});

test('an incomplete database has no checksum', async () => {
  const cut = (await Array.fromAsync(inPieces(['CREATE TABLE a (v)'], 10))).slice(0, 1);
  async function* broken() {
    yield* cut;
  }
  let ended = false;
  const passing = Array.fromAsync(
    summing(broken(), () => {
      ended = true;
    }),
  );
  await expect(passing).rejects.toThrow('broke off');
  expect(ended).toBe(false);
});
