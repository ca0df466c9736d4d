import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startS3 } from '../../../test/support/engines/s3.ts';
import { type Blobs, diskBlobs, s3Blobs } from './index.ts';

/** What every blob store has in common. */

async function onDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'quire-blobs-'));
  return { blobs: diskBlobs(folder), stop: async () => rmSync(folder, { recursive: true }) };
}

async function inBucket() {
  const s3 = await startS3();
  return { blobs: s3Blobs(s3), stop: s3.stop };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const toText = (found: Uint8Array | undefined) => found && Buffer.from(found).toString();

describe.each([
  ['on disk', onDisk],
  ['in a bucket', inBucket],
])('blobs %s', (_, start) => {
  let blobs: Blobs;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ blobs, stop } = await start());
  });
  afterAll(() => stop());

  test('can be stored, read, replaced and deleted', async () => {
    expect(await blobs.get('a/b.png')).toBeUndefined();
    await blobs.put('a/b.png', bytes('one'));
    await blobs.put('a/b.png', bytes('two'));
    expect(toText(await blobs.get('a/b.png'))).toBe('two');
    await blobs.delete('a/b.png');
    await blobs.delete('a/b.png');
    expect(await blobs.get('a/b.png')).toBeUndefined();
  });

  test.each(['../x', '/x', 'a/../b', 'a//b', '', '.x', 'a/.b', 'a\0b', 'a b'])(
    '%j is not a valid key',
    async (key) => {
      const writes = [blobs.put(key, bytes('x')), blobs.putFile(key, '/dev/null'), blobs.delete(key)];
      const reads = [blobs.get(key), blobs.open(key), blobs.slice(key)];
      for (const outcome of await Promise.allSettled([...writes, ...reads]))
        expect(outcome).toMatchObject({ status: 'rejected', reason: { message: `not a blob key: ${key}` } });
    },
  );

  test('can be read a few bytes at a time', async () => {
    const large = crypto.getRandomValues(new Uint8Array(65_536));
    const whole = Buffer.concat(Array.from({ length: 160 }, () => large));
    await blobs.put('large', whole);
    const found = await blobs.open('large');
    expect(found?.size).toBe(whole.length);
    const pieces = await Array.fromAsync(found?.bytes ?? []);
    expect(pieces.length).toBeGreaterThan(1);
    expect(Buffer.concat(pieces).equals(whole)).toBe(true);
    expect(Buffer.from((await blobs.get('large')) ?? []).equals(whole)).toBe(true);
    expect(await blobs.open('other')).toBeUndefined();
  });

  test('can be stored from a file', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'quire-file-')), 'file');
    await Bun.write(path, 'from a file');
    await blobs.putFile('from/file', path);
    expect(toText(await blobs.get('from/file'))).toBe('from a file');
    rmSync(dirname(path), { recursive: true });
    expect(await blobs.putFile('from/nothing', path).catch(() => 'refused')).toBe('refused');
    expect(await blobs.get('from/nothing')).toBeUndefined();
  });

  test('can be read in part', async () => {
    await blobs.put('part', bytes('0123456789'));
    const read = async (...of: Parameters<Blobs['slice']>) => {
      const found = await blobs.slice(...of);
      return found && new Response(found as ReadableStream).text();
    };
    expect(await read('part')).toBe('0123456789');
    expect(await read('part', { start: 0, end: 1 })).toBe('0');
    expect(await read('part', { start: 3, end: 7 })).toBe('3456');
    expect(await read('part', { start: 9, end: 10 })).toBe('9');
    expect(await read('part', { start: 4, end: 4 })).toBe('');
    expect(await blobs.slice('missing')).toBeUndefined();
    expect(await blobs.slice('missing', { start: 0, end: 1 })).toBeUndefined();
  });

  test('can be empty', async () => {
    await blobs.put('empty', new Uint8Array());
    expect((await blobs.get('empty'))?.length).toBe(0);
    const found = await blobs.open('empty');
    expect(found?.size).toBe(0);
    expect(await Array.fromAsync(found?.bytes ?? [])).toEqual([]);
  });

  test('can be written in parallel', async () => {
    const keys = Array.from({ length: 50 }, (_, i) => `many/${i}`);
    await Promise.all(keys.map((key) => blobs.put(key, bytes(key))));
    expect(await Promise.all(keys.map(async (key) => toText(await blobs.get(key))))).toEqual(keys);
  });
});
