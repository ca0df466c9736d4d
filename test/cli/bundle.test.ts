import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');

/** A copy of the program that the tests may change. */
let copy: string;
beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'quire-bundle-'));
  for (const name of ['bin', 'cli', 'contract', 'sdk', 'server', 'workers', 'package.json']) {
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  expect(await run('bundle.ts')).toEqual({ code: 0, output: '' });
}, 120_000);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

async function run(script: string, ...args: string[]) {
  const child = Bun.spawn([process.execPath, join(copy, 'bin', script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { output: await child.stdout.text(), code: await child.exited };
}

/** Puts another word into the summary of a command. It has as many letters, so the file keeps its size. */
function edit(from: string, to: string): void {
  const file = join(copy, 'server/commands/index.ts');
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
}

test('quire runs from its bundle until a file in it changes', async () => {
  const file = join(copy, 'server/commands/index.ts');
  const { atime, mtime } = statSync(file);
  edit('run the server', 'run the sleigh');
  utimesSync(file, atime, mtime);
  // The bundle cannot know.
  expect((await run('launch.ts', 'help')).output).toContain('run the server');
  edit('run the sleigh', 'run the sledge');
  expect((await run('launch.ts', 'help')).output).toContain('run the sledge');
}, 60_000);

test('a bundle that another version of Bun made is not used, and a broken one neither', async () => {
  const manifest = join(copy, '.cache/bundle.json');
  expect(await run('bundle.ts')).toEqual({ code: 0, output: '' });
  const text = readFileSync(manifest, 'utf8');
  for (const broken of [text.replace(Bun.revision, 'another'), text.slice(0, 100), 'null', '']) {
    writeFileSync(manifest, broken);
    expect((await run('launch.ts', 'help')).code).toBe(0);
  }
}, 120_000);

test('the exit code of a failed command is passed on', async () => {
  expect((await run('launch.ts', 'nonsense')).code).toBe(2);
}, 60_000);
