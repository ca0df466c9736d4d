import { expect, test } from 'bun:test';
import { MAX_CODE_BYTES } from '../../../../contract/functions/functions.ts';
import { recognise } from './recognise.ts';
import { MAX_FUNCTIONS } from './val-town.ts';
import { MAX_MIGRATION_BYTES } from './worker.ts';

const toFile = (path: string, text: string) => {
  const bytes = Buffer.from(text);
  return { path, size: bytes.byteLength, bytes: () => bytes };
};
const plan = (files: Record<string, string>) =>
  recognise(Object.entries(files).map(([path, text]) => toFile(path, text)));

/** With a search that starts again at each of them, these take minutes, and nothing can end a search. */
const MANY = 200_000;

test.each([
  ['titles that never end', { 'index.html': '<title'.repeat(MANY / 6) }],
  ['scripts that never end', { 'index.html': '<script '.repeat(MANY / 8) }],
  ['a script with many addresses', { 'index.html': `<script${' src='.repeat(MANY / 5)}` }],
  ['a script with many addresses and an end', { 'index.html': `<script${' src="'.repeat(MANY / 6)}>` }],
  ['exports that never end', { 'a.js': 'export{'.repeat(MANY / 7) }],
  ['an import of nothing', { 'a.http.ts': `import${' '.repeat(MANY)}` }],
  ['an import call of nothing', { 'a.http.ts': `import(${' '.repeat(MANY)}` }],
])('%s are read once', (_, files) => {
  expect(plan({ 'package.json': '{"scripts":{"build":"x"}}', ...files })).toBeDefined();
  expect(plan(files)).toBeDefined();
});

test('a project has at most so many vals, however small its archive is', () => {
  const vals = Object.fromEntries(
    Array.from({ length: MAX_FUNCTIONS + 1 }, (_, at) => [
      `v${at}.http.ts`,
      "import './lib.ts'; export default 1",
    ]),
  );
  const found = plan({ ...vals, 'lib.ts': 'export {}' });
  expect(found.functions).toHaveLength(MAX_FUNCTIONS);
  expect(found.left).toMatchObject([
    { path: `v${MAX_FUNCTIONS}.http.ts`, why: expect.stringMatching(/at most 20/) },
  ]);
});

test('modules are read only until they are too large for a function', () => {
  let reads = 0;
  const counted = (path: string, text: string, size = text.length) => ({
    ...{ path, size },
    bytes() {
      reads++;
      return Buffer.from(text);
    },
  });
  const modules = Array.from({ length: 500 }, (_, at) =>
    counted(`m${at}.ts`, `import './m${at + 1}.ts'`, 50_000),
  );
  const found = recognise([counted('a.http.ts', "import './m0.ts'; export default 1"), ...modules]);
  expect(found.kind).toBe('nothing');
  expect(reads).toBeLessThan(MAX_CODE_BYTES / 50_000 + 2);
});

test('migrations fit up to a limit, and later ones are left with the one that does not', () => {
  const settings = 'main = "a.js"\n[[d1_databases]]\nbinding = "DB"';
  const part = '-'.repeat(MAX_MIGRATION_BYTES / 8 - 1);
  const sql = Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8].map((at) => [`migrations/${at}.sql`, `${part}\n`]));
  const files = { 'wrangler.toml': settings, 'a.js': 'export default {}', ...sql };
  expect(plan(files).functions[0]?.migrations).toHaveLength(8);
  const found = plan({ ...files, 'migrations/3.sql': `${part}\n\n`, 'migrations/9.sql': 'SELECT 1' });
  expect(found.functions[0]?.migrations).toHaveLength(7);
  expect(found.left.map(({ path }) => path)).toEqual(['migrations/8.sql', 'migrations/9.sql']);
});

test('settings of a Worker have at most so many entries', () => {
  const settings = (count: number) => Array.from({ length: count }, (_, at) => `k${at} = 1\n`).join('');
  const planWith = (count: number) =>
    plan({ 'wrangler.toml': `main = "a.js"\n${settings(count)}`, 'a.js': 'export default {}' });
  expect(planWith(1_999).functions).toHaveLength(1);
  expect(planWith(2_000)).toMatchObject({ kind: 'nothing', functions: [] });
});
