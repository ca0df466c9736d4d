import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readReport } from './report.ts';

/** A report written by this version of Bun. */

const TESTS = `import { afterAll, describe, expect, test } from 'bun:test';
describe('outer <x>', () => {
  describe('inner', () => {
    test('differs "here" & there', () => expect([1, 2]).toEqual([1, 3]));
    test('is fine', () => {});
    test.skip('is left out', () => {});
  });
});
test('throws', () => { throw new Error('boom\\nand <why>'); });
test('takes too long', () => new Promise(() => {}), 1);
test.todo('is still to do');
afterAll(() => { throw new Error('hook'); });
`;

let folder: string;
let xml: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-report-'));
  await Bun.write(join(folder, 'some.test.ts'), TESTS);
  await Bun.write(
    join(folder, 'other.test.ts'),
    "import { test } from 'bun:test'; test('is fine', () => {});",
  );
  await Bun.write(join(folder, 'broken.test.ts'), "throw new Error('no test is here');");
  const command = ['test', '--no-install', '--no-env-file', '--reporter=junit', '--reporter-outfile=r.xml'];
  await Bun.spawn([process.execPath, ...command], { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] })
    .exited;
  xml = await Bun.file(join(folder, 'r.xml')).text();
});
afterAll(() => rm(folder, { recursive: true }));

test('counts tests by file, without a file that cannot be loaded', () => {
  const counts = [...readReport(xml)].map(([file, { passed, failed, skipped }]) => [
    file,
    { passed, failed, skipped },
  ]);
  expect(Object.fromEntries(counts)).toEqual({
    'some.test.ts': { passed: 1, failed: 4, skipped: 2 },
    'other.test.ts': { passed: 1, failed: 0, skipped: 0 },
  });
});

test('a failure has its full name and its error with the position', () => {
  const failures = readReport(xml).get('some.test.ts')?.failures ?? [];
  expect(failures.map(({ name }) => name)).toEqual([
    'outer <x> > inner > differs "here" & there',
    'throws',
    'takes too long',
    '(unnamed)',
  ]);
  const [differs, throws, late] = failures.map(({ error }) => error);
  expect(differs).toMatch(/^\+ {3}2,$/m);
  expect(throws).toMatch(/^Error: boom\nand <why>\n +at some\.test\.ts:9:/);
  expect(late).toContain('timed out');
});

test('an empty text is an empty report', () => {
  expect(readReport('').size).toBe(0);
});
