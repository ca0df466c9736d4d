import { Database } from 'bun:sqlite';
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogError, readFrames, readIndex } from './log.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let database: Database;
let file: string;
let files = 0;
beforeEach(() => {
  database?.close();
  file = join(folder, `${++files}.sqlite`);
  database = new Database(file);
  database.run('PRAGMA journal_mode = WAL');
  database.run('CREATE TABLE t (a)');
  for (let row = 0; row < 20; row++) database.run('INSERT INTO t VALUES (hex(randomblob(300)))');
});

const open = (suffix: string) => openSync(file + suffix, 'r');
const index = () => readIndex(open('-shm')) ?? expect.unreachable();

test('the index and the frames are what SQLite wrote', () => {
  const found = index();
  const { pages } = database.query('SELECT page_count AS pages FROM pragma_page_count').get() as {
    pages: number;
  };
  expect([found.pageBytes, found.pageCount]).toEqual([4096, pages]);
  expect(readFrames(open('-wal'), found).size).toBe(pages);
});

test('frames after an earlier position are those of the transactions since', () => {
  const before = index();
  expect(readFrames(open('-wal'), before, before).size).toBe(0);
  database.run('UPDATE t SET a = 1 WHERE rowid = 1');
  const after = index();
  expect(after.salts).toBe(before.salts);
  expect(readFrames(open('-wal'), after, before).size).toBe(1);
});

test('a log that has started over has other salts, and is not read with the old ones', () => {
  const before = index();
  database.run('PRAGMA wal_checkpoint(RESTART)');
  database.run('INSERT INTO t VALUES (1)');
  expect(index().salts).not.toBe(before.salts);
  expect(() => readFrames(open('-wal'), before)).toThrow(LogError);
  expect(readFrames(open('-wal'), index()).size).toBeGreaterThan(0);
});

test('a single bit that is wrong, anywhere in the log, is found', () => {
  const found = index();
  const right = readFileSync(`${file}-wal`);
  const frameBytes = 24 + 4096;
  const used = 32 + found.frame * frameBytes;
  const spots = [
    ...Array.from({ length: 32 }, (_, at) => at),
    // Every byte of the header and a few of the page, in three frames.
    ...[0, 1, found.frame - 1].flatMap((frame) => {
      const start = 32 + frame * frameBytes;
      return [
        ...Array.from({ length: 24 }, (_, at) => start + at),
        start + 24,
        start + 2000,
        start + frameBytes - 1,
      ];
    }),
  ].filter((at) => at < used);
  const copy = join(folder, 'turned');
  for (const at of spots) {
    const turned = Buffer.from(right);
    turned[at] = (turned[at] ?? 0) ^ (1 << (at % 8));
    writeFileSync(copy, turned);
    const isSeen = () => {
      try {
        readFrames(openSync(copy, 'r'), found);
        return false;
      } catch (error) {
        return error instanceof LogError;
      }
    };
    expect([at, isSeen()]).toEqual([at, true]);
  }
});

test('a log that is cut off, and an index with a wrong bit, are not used', () => {
  const found = index();
  writeFileSync(join(folder, 'short'), readFileSync(`${file}-wal`).subarray(0, 32 + 5 * 4120 + 100));
  expect(() => readFrames(openSync(join(folder, 'short'), 'r'), found)).toThrow(LogError);
  copyFileSync(`${file}-shm`, join(folder, 'index'));
  const turned = readFileSync(join(folder, 'index'));
  for (let at = 0; at < 96; at++) {
    const bytes = Buffer.from(turned);
    bytes[at] = (bytes[at] ?? 0) ^ 4;
    writeFileSync(join(folder, 'index'), bytes);
    expect(readIndex(openSync(join(folder, 'index'), 'r'))).toBeUndefined();
  }
});
