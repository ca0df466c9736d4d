import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diskUse } from './disk-use.ts';
import { NAMESPACE } from './folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-disk-use-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a database is as large as its file, regardless of its log', () => {
  const ids = Array.from({ length: 8 }, (_, index) => String(index).repeat(64));
  mkdirSync(join(folder, NAMESPACE), { recursive: true });
  for (const id of ids) {
    writeFileSync(join(folder, NAMESPACE, `${id}.sqlite`), Buffer.alloc(8192));
    writeFileSync(join(folder, NAMESPACE, `${id}.sqlite-wal`), Buffer.alloc(100));
  }
  expect(diskUse(folder)).toEqual({
    sizes: new Map(ids.map((id) => [id, 8192])),
    bytes: 8 * 8192,
    withLogs: 8 * 8292,
    longestLog: 100,
    hugeLogs: 0,
  });
});
