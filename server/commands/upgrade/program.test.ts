import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from './program.ts';

const NOBODY = 65_534;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-program-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a folder in the data belongs to the owner of the data, and a link there changes nothing', () => {
  const [data, other] = [join(folder, 'data'), join(folder, 'other')];
  for (const path of [data, other]) mkdirSync(path);
  if (process.getuid?.() === 0) chownSync(data, NOBODY, NOBODY);
  for (let times = 0; times < 2; times++) makeFolder(join(data, 'upgrades'), data);
  expect(statSync(join(data, 'upgrades'))).toMatchObject({ uid: statSync(data).uid });
  symlinkSync(other, join(data, 'linked'));
  expect(() => makeFolder(join(data, 'linked'), data)).toThrow('is a link');
  expect(statSync(other).uid).toBe(process.getuid?.() ?? 0);
});
