import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, NoBrowserError } from './find-chromium.ts';

const folder = mkdtempSync(join(tmpdir(), 'quire-find-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

test('accepts a program', () => {
  const program = write('program', '\x7fELF and so on');
  expect(findChromium(program)).toBe(program);
});

test.each([
  ['a script', () => write('script', '#!/bin/sh\nexec chromium'), /not to a script/],
  ['an empty file', () => write('empty', ''), /is not a program/],
  ['a folder', () => folder, /is not a program/],
  ['a missing file', () => join(folder, 'missing'), /does not exist.*apt-get install/],
  ['the word off', () => 'off', /turned off/],
])('refuses %s', (_, setting, message) => {
  expect(() => findChromium(setting())).toThrow(NoBrowserError);
  expect(() => findChromium(setting())).toThrow(message);
});
