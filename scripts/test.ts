import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ownNetwork } from '../test/support/cluster-network.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { execute, folder, isStopping, stopAfter, stopOnSignals } from './testing/command.ts';
import { add, type Failure, failOnce, NOTHING, type Outcome } from './testing/outcome.ts';
import { watchProcessors } from './testing/processors.ts';
import { Progress } from './testing/progress.ts';
import { recordTimes, runTests, type TestOptions } from './testing/run-tests.ts';
import { readNotes, runOnPostgres } from './testing/statements.ts';
import {
  allSuites,
  CHECKS,
  choose,
  IN_OWN_NETWORK,
  ON_POSTGRES,
  ON_SQLITE,
  quickSuites,
  suiteOf,
} from './testing/suites.ts';
import { summarize, tabulate } from './testing/summary.ts';

/**
 * Runs suites, all of them even after a failure, and ends with `N passed, N failed`. There are two lanes: the
 * commands, the API on PostgreSQL and what needs its own network in one, everything else in the other. At the end, the
 * statements of the API on SQLite run on PostgreSQL. Nothing is tried twice: a test that fails fails the run.
 *
 *     scripts/test            all but the long files and the API on PostgreSQL
 *     scripts/test word…      the suites or files that have a word in their name
 *     scripts/test --all      all
 *     scripts/test --soak     the faults, with many rounds of each
 *     scripts/test --record   all, and how long each file took, for the order of the next runs
 */

/** Processes of a lane: together one more than two cores, because tests wait now and then. */
const WORKERS = 2;
const WORKERS_BESIDE = 1;
/** Ends only tests that hang. */
const TIMEOUT_MS = 120_000;
const SOAK_TIMEOUT_MS = 60 * 60_000;
const PROGRESS_MS = 20_000;
/** The longest list of failures. */
const FAILED_LINES = 60;

const args = process.argv.slice(2);
const isSoak = args.includes('--soak');
const words = isSoak ? ['faults', 'cluster'] : args.filter((arg) => !arg.startsWith('--'));
const isQuick = words.length === 0 && !args.includes('--all') && !args.includes('--record');
const suites = isQuick ? quickSuites() : choose(allSuites(), words);
const onPostgres = suites.get(ON_POSTGRES) ?? [];
const others = [...suites].flatMap(([suite, files]) => (suite === ON_POSTGRES ? [] : files));
const progress = new Progress((line) => console.log(line), PROGRESS_MS);
/** The statements of the tests on SQLite. */
const notes = join(folder, 'statements.jsonl');
const busyPercent = watchProcessors();

stopOnSignals();
progress.start();
try {
  process.exitCode = await runAll();
} finally {
  progress.stop();
  // A browser that is just ending may still write there.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

async function runAll(): Promise<number> {
  if (suites.size === 0) {
    console.log(`No suite and no file has ${words.join(' or ')} in its name.`);
    console.log(`The suites are: ${[...allSuites().keys()].join(', ')}\n\n0 passed, 1 failed`);
    return 1;
  }
  const outcomes = new Map<string, Outcome>([...suites.keys()].map((name) => [name, NOTHING]));
  const collect = (suite: string, outcome: Outcome) =>
    void outcomes.set(suite, add(outcomes.get(suite) ?? NOTHING, outcome));
  const starting = suites.has(ON_POSTGRES) || suites.has(ON_SQLITE) ? startPostgres() : undefined;
  if (isQuick) console.log('Without the long tests. To run all: npm run test:all');
  await stopAfter(
    async () => (await starting)?.stop(),
    async () => {
      // Servers and commands start faster from a bundle. Without one they run from the source.
      const bundling = execute([process.execPath, 'bin/bundle.ts'], { onOutput: () => undefined });
      const [postgres] = await Promise.all([starting, bundling]);
      await Promise.all([runHere(collect), runBeside(collect, postgres?.url)]);
      if (postgres && !isStopping()) collect(ON_POSTGRES, await runNoted(postgres.url));
    },
  );
  return isStopping() ? 1 : conclude(outcomes);
}

type Collect = (suite: string, outcome: Outcome) => void;

async function runHere(collect: Collect): Promise<void> {
  const outcomes = await runFiles(
    others.filter((file) => !IN_OWN_NETWORK.includes(file)),
    options('sqlite', workersHere(), { QUIRE_TEST_STATEMENTS: notes }),
    collect,
  );
  if (args.includes('--record')) await recordTimes(outcomes);
}

function workersHere(): number {
  if (isSoak) return 1;
  // Almost nothing runs beside them.
  return isQuick ? WORKERS + WORKERS_BESIDE : WORKERS;
}

async function runFiles(files: string[], options: TestOptions, collect: Collect) {
  const outcomes = files.length > 0 ? await runTests(files, options) : new Map<string, Outcome>();
  for (const [file, outcome] of outcomes) collect(suiteOf(file), outcome);
  return outcomes;
}

async function runBeside(collect: Collect, postgresUrl = ''): Promise<void> {
  for (const suite of Object.keys(CHECKS)) if (suites.has(suite)) collect(suite, await check(suite));
  const apart = others.filter((file) => IN_OWN_NETWORK.includes(file));
  await runFiles(apart, { ...options('sqlite', 1), within: ownNetwork() }, collect);
  if (onPostgres.length === 0 || isStopping()) return;
  const workers = suites.size === 1 ? WORKERS : WORKERS_BESIDE;
  const onServer = options('postgres', workers, { QUIRE_TEST_POSTGRES_URL: postgresUrl });
  for (const outcome of (await runTests(onPostgres, onServer)).values()) collect(ON_POSTGRES, outcome);
}

/** Everything that the tests have noted counts together as one test, if PostgreSQL runs it. */
async function runNoted(postgresUrl: string): Promise<Outcome> {
  const file = Bun.file(notes);
  const noted = (await file.exists()) ? readNotes(await file.text()) : [];
  const isWrong = noted.length === 0 && words.length === 0;
  if (isWrong) return failOnce({ name: 'the tests on SQLite noted no statement', error: '' });
  const startedAt = performance.now();
  const failures = await runOnPostgres(postgresUrl, noted);
  const milliseconds = performance.now() - startedAt;
  return { ...NOTHING, passed: failures.length ? 0 : 1, failed: failures.length, milliseconds, failures };
}

function options(engine: string, workers: number, env: Record<string, string> = {}): TestOptions {
  return {
    workers,
    timeoutMs: isSoak ? SOAK_TIMEOUT_MS : TIMEOUT_MS,
    env: { QUIRE_TEST_ENGINE: engine, ...(isSoak && { QUIRE_TEST_SOAK: '1' }), ...env },
    onOutput: progress.lines(engine === 'postgres' ? 'PostgreSQL: ' : ''),
  };
}

/** Commands that only pass or fail count together as one test. */
async function check(suite: string): Promise<Outcome> {
  const startedAt = performance.now();
  const failures: Failure[] = [];
  for (const [tool, ...args] of CHECKS[suite] ?? []) {
    const output: string[] = [];
    const problem = await execute([`node_modules/.bin/${tool}`, ...args], {
      onOutput: (line) => void output.push(line),
    });
    const error = output.join('\n');
    if (!problem) continue;
    console.log(error);
    failures.push({ name: `${[tool, ...args].join(' ')} ${problem}`, error });
  }
  const milliseconds = performance.now() - startedAt;
  if (failures.length) return { ...NOTHING, failed: 1, milliseconds, failures };
  return { ...NOTHING, passed: 1, milliseconds };
}

/** Prints a summary at the end, because often only the end is read. */
function conclude(outcomes: Map<string, Outcome>): number {
  const failures = [...outcomes].flatMap(([suite, outcome]) =>
    outcome.failures.map((failure) => ({ suite, ...failure })),
  );
  console.log(`\n${tabulate(outcomes).join('\n')}`);
  if (failures.length) console.log(`\nFailed:\n${summarize(failures, FAILED_LINES).join('\n')}`);
  const { passed, failed } = add(...outcomes.values());
  console.log(
    `\nIt took ${progress.time()} minutes. The processors were busy for ${busyPercent()} % of them.`,
  );
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}
