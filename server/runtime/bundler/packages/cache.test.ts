import { afterAll, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PackageCache } from './cache.ts';

const BLOCK = 4096;
const base = mkdtempSync(join(tmpdir(), 'quire-cache-'));
afterAll(() => rmSync(base, { recursive: true }));
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(base, 'of-'));
});

/** A file with these bytes. */
function file(bytes: Buffer): string {
  const path = join(base, 'fetched');
  writeFileSync(path, bytes);
  return path;
}

/** Lets everything that is there have been used long ago. */
const age = () => {
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1, 1);
};

test('keeps ten small packages in ten blocks, and deletes the oldest with the next', async () => {
  const cache = new PackageCache(folder, 10 * BLOCK);
  for (let n = 0; n < 10; n++) await cache.put(`sha512-${n}`, file(Buffer.from('x')));
  expect(readdirSync(folder)).toHaveLength(10);
  age();
  expect(readFileSync((await cache.get('sha512-0')) ?? '', 'utf8')).toBe('x');
  await cache.put('sha512-10', file(Buffer.from('y')));
  expect(readdirSync(folder)).toHaveLength(9);
  expect(await cache.get('sha512-0')).toBeDefined();
  expect(await cache.get('sha512-10')).toBeDefined();
});

test('counts what an earlier server left', async () => {
  const before = new PackageCache(folder, 10 * BLOCK);
  for (let n = 0; n < 10; n++) await before.put(`sha512-${n}`, file(Buffer.alloc(BLOCK)));
  age();
  await new PackageCache(folder, 5 * BLOCK).put('sha512-10', file(Buffer.alloc(1)));
  expect(readdirSync(folder)).toHaveLength(4);
});
