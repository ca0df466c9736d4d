import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeIntegrity } from '../../../../test/support/functions/npm-registry.ts';
import { tarball } from '../../../../test/support/tar.ts';
import { unpackPackage } from './unpack.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-unpack-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function unpack(paths: string[], limits: { maxFiles?: number; integrity?: string } = {}) {
  const archive = tarball(paths.map((path) => ({ path: `package/${path}`, content: 'x' })));
  const target = join(folder, String(++count));
  writeFileSync(`${target}.tgz`, archive);
  const order = {
    ...{
      name: 'some',
      tarball: `${target}.tgz`,
      integrity: makeIntegrity(archive),
      specifier: '',
      folder: target,
    },
    ...{ maxBytes: 1_000_000, maxFiles: 100, ...limits },
  };
  return { target, unpacked: () => unpackPackage(order) };
}

test('folders count as files, before they are made', async () => {
  const paths = ['a/b/c.js', 'a/b/d.js', 'a/e/f.js'];
  expect(await unpack(paths, { maxFiles: 6 }).unpacked()).toMatchObject({ files: 6 });
  await expect(unpack(paths, { maxFiles: 5 }).unpacked()).rejects.toThrow('has too many files and folders');
  const { target, unpacked } = unpack([`${'a/'.repeat(40)}x.js`], { maxFiles: 40 });
  await expect(unpacked()).rejects.toThrow('has too many files and folders');
  expect(existsSync(target)).toBe(false);
});

test('nothing is written of a package with too many files', async () => {
  const paths = Array.from({ length: 101 }, (_, index) => `${index}.js`);
  const { target, unpacked } = unpack(paths);
  await expect(unpacked()).rejects.toThrow('has more than 100 files');
  expect(existsSync(target)).toBe(false);
  const { target: other, unpacked: unpackOther } = unpack(['a/1.js', ...paths.slice(0, 98), 'b/1.js']);
  await expect(unpackOther()).rejects.toThrow('has too many files and folders');
  expect(existsSync(other)).toBe(false);
});

test('nothing is written of a package with another hash', async () => {
  const { target, unpacked } = unpack(['a.js'], { integrity: makeIntegrity(Buffer.from('another')) });
  expect(await unpacked()).toBeUndefined();
  expect(existsSync(target)).toBe(false);
});

test('WebAssembly becomes a module', async () => {
  const { target, unpacked } = unpack(['a.wasm']);
  await unpacked();
  expect(readFileSync(join(target, 'a.wasm'), 'utf8')).toContain(Buffer.from('x').toString('base64'));
});
