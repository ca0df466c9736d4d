import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '../test/support/postgres.ts';
import { execute, folder, isStopping, root, stopAfter, stopWhenTold } from './testing/command.ts';
import { add, type Failure, failOnce, NOTHING, type Outcome } from './testing/outcome.ts';
import { runTests, testFiles } from './testing/run-tests.ts';
import { excerpt, summarize } from './testing/summary.ts';

/** Runs the suites, two at a time and all of them even after a failure, and ends with `N passed, N failed`. */

const SLOW_TEST_TIMEOUT_MS = 60_000;
/** Suites that run at the same time: much of a test is waiting. CI is judged by its result, not by its speed. */
const LANES = process.env.CI ? 1 : 2;
/** How long the lists at the end get. */
const FAILED_LINES = 40;
const UNSTEADY_LINES = 20;

const types = (place: string): [string, ...string[]] => ['tsc', '-p', place, '--noEmit'];
const ON_SQLITE = { QUIRE_TEST_ENGINE: 'sqlite' };
const SLOW = { env: ON_SQLITE, timeoutMs: SLOW_TEST_TIMEOUT_MS };
/** The quick ones first, then the longest, so that neither lane waits long for the other. */
const SUITES: Record<string, () => Promise<Outcome>> = {
  types: () => check(types('.'), types('sdk'), types('dashboard')),
  lint: () => check(['biome', 'check', '.', '--error-on-warnings']),
  unit: () =>
    runTests(
      ['contract', 'server', 'workers', 'cli', 'sdk', 'dashboard', 'scripts'].filter(
        (path) => testFiles(path).length,
      ),
    ),
  architecture: () => runTests(['test/architecture.test.ts']),
  faults: () => runTests(['test/faults'], { ...SLOW, again: true }),
  browser: () => testInBrowser((file) => !file.startsWith('dashboard')),
  dashboard: () => testInBrowser((file) => file.startsWith('dashboard')),
  contract: () => runTests(['test/contract'], SLOW),
  'api-postgres': () => testOnPostgres(['test/api']),
  'api-sqlite': () => runTests(['test/api'], { env: ON_SQLITE }),
  cluster: () => runTests(['test/cluster'], { ...SLOW, again: true }),
  cli: () => runTests(['test/cli'], SLOW),
};

/** Where a suite that runs as a command of its own leaves its outcome. */
const OUTCOME = '--outcome=';

stopWhenTold();
try {
  process.exitCode = await runSuites(process.argv.slice(2));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function runSuites(args: string[]): Promise<number> {
  const outcomePath = args.find((arg) => arg.startsWith(OUTCOME))?.slice(OUTCOME.length);
  const words = args.filter((arg) => !arg.startsWith(OUTCOME));
  const chosen = Object.entries(SUITES).filter(
    ([name]) => !words.length || words.some((word) => name.includes(word)),
  );
  if (chosen.length === 0) {
    console.log(`No suite is called ${words.join(' or ')}: ${Object.keys(SUITES).join(', ')}`);
    console.log('\n0 passed, 1 failed');
    return 1;
  }
  const outcomes = new Map<string, Outcome>();
  const isAlone = chosen.length === 1;
  const lane = async () => {
    for (let next = chosen.shift(); next && !isStopping(); next = chosen.shift()) {
      const [name, run] = next;
      outcomes.set(name, await (isAlone ? runHere(name, run) : runApart(name)).catch(fail));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (isStopping()) return 1;
  if (outcomePath) await Bun.write(outcomePath, JSON.stringify([...outcomes.values()][0]));
  else conclude(outcomes);
  return add(...outcomes.values()).failed > 0 ? 1 : 0;
}

/** Ends the output with all that one has to know of it. */
function conclude(outcomes: Map<string, Outcome>): void {
  const list = (kind: 'failures' | 'unsteady') =>
    [...outcomes].flatMap(([suite, outcome]) => outcome[kind].map((failure) => ({ suite, ...failure })));
  const show = (title: string, failures: Array<Failure & { suite: string }>, mostLines: number) => {
    if (failures.length) console.log(`\n${title}\n${summarize(failures, mostLines).join('\n')}`);
  };
  show('Unsteady (failed once, then passed):', list('unsteady'), UNSTEADY_LINES);
  show('Failed:', list('failures'), FAILED_LINES);
  const failing = [...outcomes].filter(([, { failed }]) => failed > 0).map(([name]) => name);
  console.log(failing.length ? `\nFailing: ${failing.join(', ')}. One alone: npm test -- ${failing[0]}` : '');
  const { passed, failed } = add(...outcomes.values());
  console.log(`${passed} passed, ${failed} failed`);
}

async function runHere(name: string, run: () => Promise<Outcome>): Promise<Outcome> {
  const startedAt = performance.now();
  const outcome = await run().catch(fail);
  const { passed, failed, skipped } = outcome;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const counts = `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`;
  console.log(`== ${name}: ${failed ? 'FAILED' : 'ok'} in ${seconds} s (${counts})`);
  return outcome;
}

/** Runs one suite as a command of its own, so that its output stays together, and shows that when it is over. */
async function runApart(name: string): Promise<Outcome> {
  const log = join(folder, `${name}.log`);
  const result = Bun.file(join(folder, `${name}.json`));
  const problem = await execute([process.execPath, import.meta.path, name, OUTCOME + result.name], { log });
  const output = await Bun.file(log).text();
  console.log(`\n== ${name}\n${output.trimEnd()}`);
  if (!(await result.exists())) return fail(`The suite ${problem ?? 'said nothing'}.`);
  const outcome: Outcome = await result.json();
  const failures = outcome.failures.map((failure) => ({
    ...failure,
    error: failure.error || excerpt(output, failure.file),
  }));
  return { ...outcome, failures };
}

/** Tools that only say yes or no count together as one test. */
async function check(...commands: [tool: string, ...args: string[]][]): Promise<Outcome> {
  const failures: Failure[] = [];
  for (const [tool, ...args] of commands) {
    const log = join(folder, `${tool}.log`);
    const problem = await execute([`node_modules/.bin/${tool}`, ...args], { log });
    const output = await Bun.file(log).text();
    if (output) console.log(output.trimEnd());
    if (problem) failures.push({ name: `${[tool, ...args].join(' ')} ${problem}`, error: output });
  }
  return failures.length ? { ...NOTHING, failed: 1, failures } : { ...NOTHING, passed: 1 };
}

function testInBrowser(isWanted: (file: string) => boolean): Promise<Outcome> {
  const files = readdirSync(join(root, 'test/browser')).filter(
    (file) => file.endsWith('.test.ts') && isWanted(file),
  );
  return runTests(
    files.map((file) => `test/browser/${file}`),
    { ...SLOW, again: true },
  );
}

async function testOnPostgres(paths: string[]): Promise<Outcome> {
  const starting = startPostgres();
  return stopAfter(
    async () => (await starting).stop(),
    async () => {
      const { url } = await starting;
      return runTests(paths, { env: { QUIRE_TEST_ENGINE: 'postgres', QUIRE_TEST_POSTGRES_URL: url } });
    },
  );
}

function fail(problem: unknown): Outcome {
  const name = problem instanceof Error ? problem.message : String(problem);
  console.log(name);
  return failOnce({ name, error: '' });
}
