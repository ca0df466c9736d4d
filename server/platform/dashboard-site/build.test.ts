import { expect, test } from 'bun:test';
import { buildDashboard } from './build.ts';

/** What must load before the first screen works. The editor loads after it. */
const MAX_START_BYTES = 120_000;

test('the dashboard is small before its editor loads, and the editor is a separate file', async () => {
  const { script, stylesheet, files } = await buildDashboard();
  const sizeOf = (name: string) => files.get(name)?.variants.gzip.bytes.length ?? Number.NaN;
  expect(sizeOf(script) + sizeOf(stylesheet)).toBeLessThan(MAX_START_BYTES);

  const text = (name: string) => new TextDecoder().decode(files.get(name)?.variants.plain.bytes);
  const isEditor = (name: string) => text(name).includes('cm-editor');
  expect([...files.keys()].filter((name) => name.endsWith('.js')).filter(isEditor)).toHaveLength(1);
  expect(isEditor(script)).toBe(false);
  // Nothing that the script needs immediately is in a second file.
  expect(text(script)).not.toMatch(/(^|;)import["'{]/);
});
