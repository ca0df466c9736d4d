import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { loadModule, type ModulePath } from './modules.ts';

test('a module that could not be loaded is loaded again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-modules-'));
  const file = join(folder, 'late.ts');
  const path = relative(join(import.meta.dir, '../..'), file) as ModulePath;
  await expect(loadModule(path)).rejects.toThrow();
  writeFileSync(file, 'export const word: string = "late";');
  expect(await loadModule(path)).toContain('late');
  rmSync(folder, { recursive: true });
});

// workerd reads the modules of its extensions as Latin-1, so other characters would arrive as two or three wrong ones.
test.each(['workers/services/services.ts', 'workers/client/database.ts'] as const)(
  'the texts of %s are ASCII',
  async (path) => {
    const characters = (await loadModule(path)).replaceAll(/^\s*\/\/.*$/gm, '').match(/[^\0-\x7f]/g);
    expect(characters).toBeNull();
  },
);
