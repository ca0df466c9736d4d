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

test('deleting a blob leaves no file', async () => {
  await blobs.put('a/b.png', bytes('one'));
  await blobs.delete('a/b.png');
  expect(readdirSync(folder)).toEqual(['a']);
});

test('a start after a crash removes unfinished files and keeps finished ones', async () => {
  await blobs.put('deep/er/x', bytes('kept'));
  writeFileSync(join(folder, '.new-broken-off'), 'half');
  blobs = diskBlobs(folder);
  expect(readdirSync(folder)).toEqual(['deep']);
  expect(Buffer.from((await blobs.get('deep/er/x')) ?? []).toString()).toBe('kept');
});
