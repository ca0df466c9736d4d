import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type TarItem, tar, tarball } from '../../../test/support/tar.ts';
import { unpack } from './unpack.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-unpack-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
/** Unpacks an archive with this content into a new folder, and returns the folder. */
async function unpackBytes(bytes: Uint8Array): Promise<string> {
  const into = join(folder, `into-${count++}`);
  writeFileSync(`${into}.tar.gz`, bytes);
  await unpack(`${into}.tar.gz`, 'quire', into);
  return into;
}

const file = { path: 'quire/program', content: 'x' };

test('unpacks files of any size, and folders', async () => {
  const sizes = [0, 1, 511, 512, 513, 300_000];
  const items: TarItem[] = sizes.map((size) => ({ path: `quire/${size}`, content: 'x'.repeat(size) }));
  const into = await unpackBytes(
    tarball([{ path: 'quire/', type: '5' }, ...items, { path: 'quire/a/b/', type: '5' }]),
  );
  for (const size of sizes) expect(readFileSync(join(into, `quire/${size}`), 'utf8')).toHaveLength(size);
  expect(statSync(join(into, 'quire/a/b')).isDirectory()).toBe(true);
  expect(statSync(join(into, 'quire/1')).mode & 0o777).toBe(0o644 & ~process.umask());
});

describe('refuses an archive with', () => {
  test.each<[string, TarItem[], string]>([
    ['a path out of the folder', [file, { path: 'quire/../../out', content: 'x' }], 'is outside of'],
    ['the folder above', [{ path: 'quire/..', type: '5' }], 'is outside of'],
    ['an absolute path', [{ path: '/quire/out', content: 'x' }], 'is outside of'],
    ['another folder', [{ path: 'current/quire', content: 'x' }], 'is outside of'],
    ['a control character in a path', [{ path: 'quire/a\nb', content: 'x' }], 'is outside of'],
    ['a link', [{ path: 'quire/lib', type: '2', link: '/etc' }], 'neither a file nor a folder'],
    ['a hard link', [{ path: 'quire/lib', type: '1', link: '/etc/passwd' }], 'neither a file nor a folder'],
    ['a device', [{ path: 'quire/null', type: '3' }], 'neither a file nor a folder'],
    ['the same path twice', [file, file], 'EEXIST'],
    ['a file that is longer than the archive', [{ ...file, size: 5_000 }], 'ends too early'],
    ['a size that no disk has', [{ ...file, size: 8 ** 11 - 1 }], 'too large'],
    ['nothing', [], 'is empty'],
  ])('%s', async (_, items, message) => {
    await expect(unpackBytes(tarball(items))).rejects.toThrow(message);
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });

  test('too many entries', async () => {
    const entry = tar([{ path: 'quire/a', type: '5' }]).subarray(0, 512);
    const many = (total: number) => gzipSync(Buffer.concat([...Array(total).fill(entry), tar([file])]));
    expect(existsSync(await unpackBytes(many(4_999)))).toBe(true);
    await expect(unpackBytes(many(5_000))).rejects.toThrow('too large');
  });

  test('bytes that are missing, changed or something else', async () => {
    const whole = tarball([{ ...file, content: crypto.getRandomValues(new Uint8Array(60_000)) }]);
    await expect(unpackBytes(whole.subarray(0, 30_000))).rejects.toThrow('is broken');
    await expect(unpackBytes(whole.subarray(0, -4))).rejects.toThrow('is broken');
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(40_000) ^ 1, 40_000);
    await expect(unpackBytes(changed)).rejects.toThrow('is broken');
    await expect(unpackBytes(Buffer.from('not an archive'))).rejects.toThrow('is broken');
  });
});
