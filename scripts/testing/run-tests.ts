import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execute, folder, root } from './command.ts';
import { add, type Failure, failOnce, judge, type Outcome } from './outcome.ts';
import { readReport } from './report.ts';

const TIMEOUT_MS = 30_000;
/** More files than this do not fail by bad luck. */
const MOST_RERUNS = 5;

/** Whose outcome it is when the report names no file that is to blame. */
const NO_FILE = '';

/** What bun takes for a test file. */
const TEST_FILES = new Bun.Glob('**/*{.test,_test,.spec,_spec}.{ts,tsx,js,jsx,mts,mjs,cts,cjs}');

export interface TestOptions {
  timeoutMs?: number;
  env?: Record<string, string>;
  /** A file in which a test failed is run once more, by itself: for tests that hang on browsers and on time. */
  again?: boolean;
}

/** Runs the tests of files and folders. */
export async function runTests(paths: string[], options: TestOptions = {}): Promise<Outcome> {
  if (paths.length === 0) return failOnce({ name: 'There are no tests.', error: '' });
  const first = await runOnce(paths, options);
  const failing = [...first].filter(([file, { failed }]) => file !== NO_FILE && failed > 0);
  if (options.again && failing.length <= MOST_RERUNS) {
    for (const [file, outcome] of failing) {
      console.log(`\n-- Once more, as a test failed: ${file}`);
      const second = (await runOnce([file], options)).get(file);
      if (second) first.set(file, judge(outcome, second));
    }
  }
  return add(...first.values());
}

let runs = 0;

/** The outcome of every file. */
async function runOnce(paths: string[], options: TestOptions): Promise<Map<string, Outcome>> {
  const report = join(folder, `report-${++runs}.xml`);
  const problem = await execute(
    [
      ...[process.execPath, 'test', '--no-install', '--no-env-file'],
      `--timeout=${options.timeoutMs ?? TIMEOUT_MS}`,
      ...['--reporter=junit', `--reporter-outfile=${report}`],
      ...paths.map((path) => `./${path}`),
    ],
    options,
  );
  const blame = (...failures: Failure[]) => [NO_FILE, add(...failures.map(failOnce))] as const;
  // A bun that crashed, or that a test made exit, writes no report.
  if (!existsSync(report)) {
    return new Map([
      blame({ name: `bun test left no report: it ${problem ?? 'was ended by a test'}`, error: '' }),
    ]);
  }
  const outcomes = readReport(await Bun.file(report).text());
  // A file that cannot be loaded is not in the report.
  const missing = paths.flatMap(testFiles).filter((file) => !outcomes.has(file));
  if (missing.length)
    return outcomes.set(...blame(...missing.map((file) => ({ name: 'no test ran', file, error: '' }))));
  const { failed } = add(...outcomes.values());
  if (problem && failed === 0) outcomes.set(...blame({ name: `bun test ${problem}`, error: '' }));
  return outcomes;
}

/** The test files that a path stands for. */
export function testFiles(path: string): string[] {
  const place = join(root, path);
  if (!existsSync(place)) return [];
  if (TEST_FILES.match(path)) return [path];
  return [...TEST_FILES.scanSync(place)].map((file) => join(path, file));
}
