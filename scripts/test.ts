import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ownNetwork } from '../test/support/cluster/network.ts';
import { startPostgres } from '../test/support/engines/postgres.ts';
import { execute, folder, isStopping, stopAfter, stopOnSignals } from './testing/command.ts';
import { add, type Failure, failOnce, NOTHING, type Outcome } from './testing/outcome.ts';
import { watchProcessors } from './testing/processors.ts';
import { Progress } from './testing/progress.ts';
import { namePattern } from './testing/promises.ts';
import { recordTimes, runTests, type TestOptions } from './testing/run-tests.ts';
import { readNotes, runOnPostgres } from './testing/statements.ts';
import {
  allSuites,
  CHECKS,
  choose,
  findSuite,
  IN_OWN_NETWORK,
  longProofs,
  ON_POSTGRES,
  ON_SQLITE,
  quickSuites,
  SOAKED,
} from './testing/suites.ts';
import { summarize, tabulate } from './testing/summary.ts';

/**
 * Runs suites, all of them even after a failure, and ends with `N passed, N failed`. There are two lanes: the
 * commands, the API on PostgreSQL and what needs its own network in one, everything else in the other. At the end, the
 * statements of the API on SQLite run on PostgreSQL. In a run of all, a few files that failed run once more, alone: a
 * machine that others use too can stop for seconds. The summary names the files that passed only then.
 *
 *     scripts/test            all but the API on PostgreSQL, and of the long files only what proves a promise
 *     scripts/test word…      the suites or files that have a word in their name
 *     scripts/test --all      all
 *     scripts/test --soak     the faults, with many rounds of each, or the suites or files that have a word in their name
 *     scripts/test --record   all, or those with a word in their name, and how long each file took: the longest run first
 */

/** Processes of a lane: together one more than two cores, because tests wait now and then. */
const WORKERS = 2;
const WORKERS_BESIDE = 1;
/** Ends only tests that hang. */
const TIMEOUT_MS = 120_000;
const SOAK_TIMEOUT_MS = 60 * 60_000;
const PROGRESS_MS = 20_000;
/** With more files that failed, it is not the machine. */
const MOST_AGAIN = 12;
/** The longest list of failures. */
const FAILED_LINES = 60;

const args = process.argv.slice(2);
const isSoak = args.includes('--soak');
const given = args.filter((arg) => !arg.startsWith('--'));
const words = isSoak && given.length === 0 ? SOAKED : given;
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
  const lanes: Lane[] = [];
  let recovered: Failure[] = [];
  const starting = suites.has(ON_POSTGRES) || suites.has(ON_SQLITE) ? startPostgres() : undefined;
  if (isQuick) console.log('Of the long files, only what proves a promise. To run all: npm run test:all');
  await stopAfter(
    async () => (await starting)?.stop(),
    async () => {
      // Servers and commands start faster from a bundle. Without one they run from the source.
      const bundling = execute([process.execPath, 'bin/bundle.ts'], { onOutput: () => undefined });
      const [postgres] = await Promise.all([starting, bundling]);
      await Promise.all([runHere(lanes), runBeside(lanes, collect, postgres?.url)]);
      if (args.includes('--all')) recovered = await runAgain(lanes);
      for (const { suite, outcomes } of lanes)
        for (const [file, outcome] of outcomes) collect(suite ?? findSuite(file), outcome);
      if (postgres && !isStopping()) collect(ON_POSTGRES, await runNoted(postgres.url));
    },
  );
  return isStopping() ? 1 : conclude(outcomes, recovered);
}

type Collect = (suite: string, outcome: Outcome) => void;

/** Files that ran with the same options, and the outcome of each. */
interface Lane {
  /** If it is not the suite of each file. */
  suite: string | undefined;
  options: TestOptions;
  outcomes: Map<string, Outcome>;
}

async function runHere(lanes: Lane[]): Promise<void> {
  const files = others.filter((file) => !IN_OWN_NETWORK.includes(file));
  const lane = await runFiles(files, options('sqlite', workersHere(), { QUIRE_TEST_STATEMENTS: notes }));
  lanes.push(lane);
  if (args.includes('--record')) await recordTimes(lane.outcomes);
}

function workersHere(): number {
  if (isSoak) return 1;
  // Without most of the long files there are fewer browsers and engines, so one more process fits.
  return isQuick ? WORKERS + 1 : WORKERS;
}

async function runFiles(files: string[], options: TestOptions, suite?: string): Promise<Lane> {
  const outcomes = files.length > 0 ? await runTests(files, options) : new Map<string, Outcome>();
  return { suite, options, outcomes };
}

/** Runs a few files that failed once more, one at a time. Returns the failures that did not happen again. */
async function runAgain(lanes: Lane[]): Promise<Failure[]> {
  const failed = lanes.map(({ outcomes }) => [...outcomes].filter(([, { failed }]) => failed > 0));
  if (failed.flat().length > MOST_AGAIN) return [];
  const recovered: Failure[] = [];
  for (const [at, lane] of lanes.entries()) {
    const first = new Map(failed[at]);
    const again = await runFiles([...first.keys()], { ...lane.options, workers: 1 });
    for (const [file, outcome] of again.outcomes) {
      lane.outcomes.set(file, outcome);
      if (outcome.failed === 0) recovered.push(...(first.get(file)?.failures ?? []));
    }
  }
  return recovered;
}

async function runBeside(lanes: Lane[], collect: Collect, postgresUrl = ''): Promise<void> {
  for (const suite of Object.keys(CHECKS)) if (suites.has(suite)) collect(suite, await check(suite));
  if (isQuick && !isStopping()) lanes.push(await runPromised());
  const apart = others.filter((file) => IN_OWN_NETWORK.includes(file));
  lanes.push(await runFiles(apart, { ...options('sqlite', 1), within: ownNetwork() }));
  if (onPostgres.length === 0 || isStopping()) return;
  const workers = suites.size === 1 ? WORKERS : WORKERS_BESIDE;
  const onServer = options('postgres', workers, { QUIRE_TEST_POSTGRES_URL: postgresUrl });
  lanes.push(await runFiles(onPostgres, onServer, ON_POSTGRES));
}

/** Runs the tests in long files that prove a promise. */
function runPromised(): Promise<Lane> {
  const proofs = longProofs();
  const files = [...new Set(proofs.map(({ file }) => file))];
  const only = namePattern(proofs.map(({ title }) => title));
  return runFiles(files, { ...options('sqlite', WORKERS_BESIDE), only });
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
function conclude(outcomes: Map<string, Outcome>, recovered: Failure[]): number {
  const failures = [...outcomes].flatMap(([suite, outcome]) =>
    outcome.failures.map((failure) => ({ suite, ...failure })),
  );
  const list = (title: string, failures: Failure[]) =>
    failures.length && console.log(`\n${title}:\n${summarize(failures, FAILED_LINES).join('\n')}`);
  console.log(`\n${tabulate(outcomes).join('\n')}`);
  list('Failed beside other tests, and passed alone', recovered);
  list('Failed', failures);
  const { passed, failed } = add(...outcomes.values());
  console.log(
    `\nIt took ${progress.time()} minutes. The processors were busy for ${busyPercent()} % of them.`,
  );
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}
