import { Database } from 'bun:sqlite';
import { afterAll, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NAMESPACE } from '../folder.ts';
import { sizeOfDatabase } from './size.ts';

/** What workerd calls the file of the database 7. */
const NAME = 'f08a6a217784f8e75a6b4177c0139f5397cecd5c824190098992bc2bb6696152.sqlite';
const folder = mkdtempSync(join(tmpdir(), 'quire-size-'));
const file = join(folder, NAMESPACE, NAME);
beforeEach(() => {
  rmSync(join(folder, NAMESPACE), { recursive: true, force: true });
  mkdirSync(join(folder, NAMESPACE));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const size = () => sizeOfDatabase(folder, 7);

test('a database that was never opened has no size', async () => {
  expect(await size()).toBe(0);
});

test('a size is what SQLite says, wherever the pages are', async () => {
  const database = new Database(file);
  const expected = () => {
    const { pages } = database.query('SELECT page_count AS pages FROM pragma_page_count').get() as {
      pages: number;
    };
    return pages * 4096;
  };
  const add = (bytes: number) => database.run('INSERT INTO t VALUES (zeroblob(?))', [bytes]);
  database.run('PRAGMA journal_mode = WAL');
  database.run('CREATE TABLE t (b)');
  add(500_000);
  // All rows are in the log.
  expect(expected()).toBeGreaterThan(500_000);
  expect(await size()).toBe(expected());
  database.run('PRAGMA wal_checkpoint(RESTART)');
  expect(await size()).toBe(expected());
  // The log starts over, and is longer than what it has now.
  add(10_000);
  expect(await size()).toBe(expected());
  database.run('BEGIN');
  add(200_000);
  database.run('ROLLBACK');
  expect(await size()).toBe(expected());
  database.run('DELETE FROM t');
  database.run('VACUUM');
  expect(await size()).toBe(expected());
  const last = expected();
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  expect(await size()).toBe(last);
});

test('a link that a host left is not followed', async () => {
  const outside = join(folder, 'outside');
  writeFileSync(outside, Buffer.alloc(1000));
  symlinkSync(outside, file);
  expect(await size()).toBe(0);
});
