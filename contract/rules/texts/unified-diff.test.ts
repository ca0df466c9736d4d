import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { unifiedDiff } from './unified-diff.ts';

const diff = (before: string, after: string) => unifiedDiff(before, after);

test('shows three lines around a change, and changes that are close together', async () => {
  const lines = Array.from({ length: 20 }, (_, n) => `${n + 1}`);
  const text = (changed: string[]) => `${changed.join('\n')}\n`;
  expect(await diff(text(lines), text(lines))).toEqual([]);
  expect(await diff(text(lines), text(lines.with(9, 'ten')))).toEqual([
    '@@ -7,7 +7,7 @@',
    ...[' 7', ' 8', ' 9', '-10', '+ten', ' 11', ' 12', ' 13'],
  ]);
  const twice = await diff(text(lines), text(lines.with(0, 'one').toSpliced(8, 1)));
  expect(twice.filter((line) => line.startsWith('@@'))).toEqual(['@@ -1,4 +1,4 @@', '@@ -6,7 +6,6 @@']);
  expect(await diff('', 'a\nb')).toEqual(['@@ -0,0 +1,2 @@', '+a', '+b\n\\ No newline at end of file']);
  expect(await diff('\n\na\n', '\na\n')).toEqual(['@@ -1,3 +1,2 @@', '-', ' ', ' a']);
  expect(await diff('a\n', '')).toEqual(['@@ -1,1 +0,0 @@', '-a']);
});

test('turns any text into any other when git applies it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-diff-'));
  const text = fc
    .array(fc.constantFrom('a', 'b', '', '-- c', '@@', ' é'), { maxLength: 25 })
    .map((lines) => lines.join('\n'));
  try {
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const lines = await diff(before, after);
        expect(lines.length === 0).toBe(before === after);
        if (lines.length === 0) return;
        const file = join(folder, 'text');
        writeFileSync(file, before);
        const patch = ['--- text', '+++ text', ...lines, ''].join('\n');
        const child = Bun.spawn(['git', 'apply', '--unsafe-paths', '--whitespace=nowarn', '-p0', '-'], {
          cwd: folder,
          stdin: Buffer.from(patch),
          stderr: 'pipe',
        });
        expect([await child.exited, await child.stderr.text()]).toEqual([0, '']);
        expect(await Bun.file(file).text()).toBe(after);
      }),
      { numRuns: 60 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([20_000, 30_000])(
  'is quick for two texts of %d lines that have nothing in common',
  async (length) => {
    const long = (letter: string) => Array.from({ length }, (_, n) => `${letter}${n}`).join('\n');
    expect(await diff(long('a'), long('b'))).toHaveLength(2 * length + 1);
  },
  20_000,
);
