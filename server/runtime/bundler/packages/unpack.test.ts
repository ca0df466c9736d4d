import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { integrityOf } from '../../../../test/support/functions/npm-registry.ts';
import { tarball } from '../../../../test/support/tar.ts';
import { unpackPackage } from './unpack.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-unpack-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function unpack(paths: string[], limits: { maxFiles?: number; integrity?: string } = {}) {
  const archive = tarball(paths.map((path) => ({ path: `package/${path}`, content: 'x' })));
  const target = join(folder, String(++count));
  const order = {
    ...{ name: 'some', tarball: archive, integrity: integrityOf(archive), specifier: '', folder: target },
    ...{ maxBytes: 1_000_000, maxFiles: 100, ...limits },
  };
  return { target, unpacked: () => unpackPackage(order) };
}

test('folders count as files, before they are made', () => {
  const paths = ['a/b/c.js', 'a/b/d.js', 'a/e/f.js'];
  expect(unpack(paths, { maxFiles: 6 }).unpacked()).toMatchObject({ files: 6 });
  expect(unpack(paths, { maxFiles: 5 }).unpacked).toThrow('has too many files and folders');
  const { target, unpacked } = unpack([`${'a/'.repeat(40)}x.js`], { maxFiles: 40 });
  expect(unpacked).toThrow('has too many files and folders');
  expect(existsSync(target)).toBe(false);
});

test('nothing is written of a package with too many files', () => {
  const paths = Array.from({ length: 101 }, (_, index) => `${index}.js`);
  const { target, unpacked } = unpack(paths);
  expect(unpacked).toThrow('has more than 100 files');
  expect(existsSync(target)).toBe(false);
  const { target: other, unpacked: unpackOther } = unpack(['a/1.js', ...paths.slice(0, 98), 'b/1.js']);
  expect(unpackOther).toThrow('has too many files and folders');
  expect(existsSync(other)).toBe(false);
});

test('nothing is written of a package with another hash', () => {
  const { target, unpacked } = unpack(['a.js'], { integrity: integrityOf(Buffer.from('another')) });
  expect(unpacked()).toBeUndefined();
  expect(existsSync(target)).toBe(false);
});
