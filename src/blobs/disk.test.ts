import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Blobs, diskBlobs } from './index.ts';

let folder: string;
let blobs: Blobs;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-blobs-'));
  blobs = diskBlobs(folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

const bytes = (text: string) => new TextEncoder().encode(text);

test('what was put can be got, replaced and deleted', async () => {
  expect(await blobs.get('a/b.png')).toBeUndefined();
  await blobs.put('a/b.png', bytes('one'));
  await blobs.put('a/b.png', bytes('two'));
  expect(Buffer.from((await blobs.get('a/b.png')) ?? []).toString()).toBe('two');
  await blobs.delete('a/b.png');
  await blobs.delete('a/b.png');
  expect(await blobs.get('a/b.png')).toBeUndefined();
  expect(readdirSync(folder)).toEqual(['a']);
});

test.each(['../x', '/x', 'a/../b', 'a//b', '', '.x', 'a/.b', 'a\0b', 'a b'])('%j is no key', (key) => {
  expect(blobs.put(key, bytes('x'))).rejects.toThrow('not a blob key');
});

test('what a crash broke off is gone after the next start, what was finished is not', async () => {
  await blobs.put('deep/er/x', bytes('kept'));
  writeFileSync(join(folder, '.new-broken-off'), 'half');
  blobs = diskBlobs(folder);
  expect(readdirSync(folder)).toEqual(['deep']);
  expect(Buffer.from((await blobs.get('deep/er/x')) ?? []).toString()).toBe('kept');
});

test('what was put can be read a few bytes at a time', async () => {
  await blobs.put('a', bytes('text'));
  const found = await blobs.open('a');
  expect(found?.size).toBe(4);
  expect(Buffer.concat(await Array.fromAsync(found?.bytes ?? [])).toString()).toBe('text');
  expect(await blobs.open('b')).toBeUndefined();
});
