import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execute, folder } from './command.ts';
import { addUnreported, type Outcome } from './outcome.ts';
import { readReport } from './report.ts';
import { root } from './root.ts';
import { type Times, updateTimes } from './times.ts';

/** How long each file took when they were last recorded, so that the longest start first. */
const TIMINGS = join(root, 'scripts/testing/timings.json');

export interface TestOptions {
  /** Processes that run files at the same time. */
  workers: number;
  /** Ends only tests that hang: a busy machine may take long. */
  timeoutMs: number;
  env: Record<string, string>;
  /** Only the tests whose names match this pattern. */
  only?: string;
  /** A command prefix that runs them elsewhere. */
  within?: string[];
  onOutput(line: string): void;
}

let runs = 0;

/** Runs test files and returns the outcome of each. */
export async function runTests(files: string[], options: TestOptions): Promise<Map<string, Outcome>> {
  const run = join(folder, `run-${++runs}`);
  const [report, timings] = [`${run}.xml`, `${run}.json`];
  await copyFile(TIMINGS, timings);
  const problem = await execute(
    [
      ...(options.within ?? []),
      ...[process.execPath, 'test', '--no-install', '--no-env-file', `--timeout=${options.timeoutMs}`],
      // One process runs many files, so that the service is loaded only once.
      ...[`--parallel=${options.workers}`, '--no-isolate', `--timings=${timings}`, '--update-timings'],
      ...['--reporter=junit', `--reporter-outfile=${report}`],
      ...(options.only ? [`--test-name-pattern=${options.only}`] : []),
      ...files.map((file) => `./${file}`),
    ],
    options,
  );
  const file = Bun.file(report);
  const outcomes = readReport((await file.exists()) ? await file.text() : '');
  return addTimes(addUnreported(outcomes, files, problem), timings);
}

async function addTimes(outcomes: Map<string, Outcome>, timings: string): Promise<Map<string, Outcome>> {
  const { files } = (await Bun.file(timings).json()) as { files: Record<string, number> };
  return new Map(
    [...outcomes].map(([file, outcome]) => [file, { ...outcome, milliseconds: files[file] ?? 0 }]),
  );
}

/** Records how long files took. Those that did not run keep what was recorded before. */
export async function recordTimes(outcomes: Map<string, Outcome>): Promise<void> {
  const { files } = (await Bun.file(TIMINGS).json()) as { files: Times };
  const current = Object.entries(files).filter(([file]) => existsSync(join(root, file)));
  const times = updateTimes(Object.fromEntries(current), outcomes);
  await Bun.write(TIMINGS, `${JSON.stringify({ version: 1, files: times }, null, 2)}\n`);
}
