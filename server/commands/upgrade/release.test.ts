import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkSum, readRelease } from './release.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-release-'));
afterAll(() => rmSync(folder, { recursive: true }));

const own = `linux-${process.arch}.tar.gz`;
const other = `linux-${process.arch === 'x64' ? 'arm64' : 'x64'}.tar.gz`;

test.each([
  ['quire.tar.gz', 'is not the name of an archive'],
  [`quire-2.0-${own}`, 'is not the name of an archive'],
  [`quire-2.0.0-${own}.part`, 'is not the name of an archive'],
  [`quire-2.0.0-${other}`, 'and this one is'],
  [`quire-1.2.3-${own}`, 'is already installed'],
  [`quire-1.2.2-${own}`, 'is older than'],
  [`quire-1.2.3-beta.1-${own}`, 'is older than'],
])('refuses %s for version 1.2.3', async (name, message) => {
  writeFileSync(join(folder, name), '');
  await expect(readRelease(join(folder, name), '1.2.3')).rejects.toThrow(message);
});

test.each(['1.2.4', '1.10.0', '2.0.0-beta.1'])('accepts version %s after 1.2.3', async (version) => {
  const path = join(folder, `quire-${version}-${own}`);
  writeFileSync(path, '');
  const name = `quire-${version}-linux-${process.arch}`;
  expect(await readRelease(path, '1.2.3')).toEqual({ path, version, name });
});

test('refuses a URL, and a file that does not exist', async () => {
  await expect(readRelease(`https://example.com/quire-2.0.0-${own}`, '1.2.3')).rejects.toThrow(
    'must be a file',
  );
  await expect(readRelease(join(folder, 'nowhere'), '1.2.3')).rejects.toThrow('does not exist');
});

test('compares the archive with its checksum, if there is one', async () => {
  const release = { path: join(folder, 'archive'), version: '2.0.0', name: 'quire' };
  writeFileSync(release.path, 'content');
  expect(await checkSum(release)).toBe(false);
  const sum = new Bun.CryptoHasher('sha256').update('content').digest('hex');
  writeFileSync(`${release.path}.sha256`, `${sum}  archive\n`);
  expect(await checkSum(release)).toBe(true);
  for (const wrong of ['', sum.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))]) {
    writeFileSync(`${release.path}.sha256`, `${wrong}  archive\n`);
    await expect(checkSum(release)).rejects.toThrow('does not match its checksum');
  }
});
