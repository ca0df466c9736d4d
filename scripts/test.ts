import { existsSync, openSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../test/support/postgres.ts';

/** Runs the suites, two at a time and all of them even after a failure, and ends with `N passed, N failed`. */

const SUITE_TIMEOUT_MS = 25 * 60_000;
const TEST_TIMEOUT_MS = 30_000;
const SLOW_TEST_TIMEOUT_MS = 60_000;
const KILL_AFTER_MS = 5_000;
/** Suites that run at the same time: much of a test is waiting. CI is judged by its result, not by its speed. */
const LANES = process.env.CI ? 1 : 2;

/** What bun takes for a test file. */
const TEST_FILES = new Bun.Glob('**/*{.test,_test,.spec,_spec}.{ts,tsx,js,jsx,mts,mjs,cts,cjs}');

type Outcome = { passed: number; failed: number; skipped?: number };
type TestOptions = { timeoutMs?: number; env?: Record<string, string> };

const types = (place: string): [string, ...string[]] => ['tsc', '-p', place, '--noEmit'];
const ON_SQLITE = { QUIRE_TEST_ENGINE: 'sqlite' };
/** The quick ones first, then the longest, so that neither lane waits long for the other. */
const SUITES: Record<string, () => Promise<Outcome>> = {
  types: () => check(types('.'), types('sdk'), types('dashboard')),
  lint: () => check(['biome', 'check', '.', '--error-on-warnings']),
  unit: () => test(['src', 'sdk', 'dashboard', 'scripts'].filter(hasTests)),
  architecture: () => test(['test/architecture.test.ts']),
  faults: () => test(['test/faults'], { env: ON_SQLITE, timeoutMs: SLOW_TEST_TIMEOUT_MS }),
  cluster: () => test(['test/cluster'], { env: ON_SQLITE, timeoutMs: SLOW_TEST_TIMEOUT_MS }),
  browser: () => testInBrowser((file) => !file.startsWith('dashboard')),
  dashboard: () => testInBrowser((file) => file.startsWith('dashboard')),
  'api-postgres': () => testOnPostgres(['test/api']),
  'api-sqlite': () => test(['test/api'], { env: ON_SQLITE }),
  cli: () => test(['test/cli'], { env: ON_SQLITE, timeoutMs: SLOW_TEST_TIMEOUT_MS }),
};

const root = join(import.meta.dir, '..');
const folder = await mkdtemp(join(tmpdir(), 'quire-tests-'));
/** What is under way, and must be ended before we end. */
const running = new Set<() => Promise<unknown>>();
let isStopping = false;

stopWhenTold();
try {
  process.exitCode = await runSuites(process.argv.slice(2));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function runSuites(words: string[]): Promise<number> {
  const names = Object.keys(SUITES).join(', ');
  const chosen = Object.entries(SUITES).filter(
    ([name]) => !words.length || words.some((word) => name.includes(word)),
  );
  const total = { passed: 0, failed: 0 };
  const failing: string[] = [];
  if (chosen.length === 0) total.failed += fail(`No suite is called ${words.join(' or ')}: ${names}`).failed;
  const isAlone = chosen.length === 1;
  const lane = async () => {
    for (let next = chosen.shift(); next && !isStopping; next = chosen.shift()) {
      const [name, run] = next;
      const { passed, failed } = await (isAlone ? runHere(name, run) : runApart(name)).catch(fail);
      total.passed += passed;
      total.failed += failed;
      if (failed) failing.push(name);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  if (isStopping) return 1;
  console.log(failing.length ? `\nFailing: ${failing.join(', ')}. One alone: npm test -- ${failing[0]}` : '');
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed > 0 ? 1 : 0;
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
  const problem = await execute([process.execPath, import.meta.path, name], { log });
  const output = await Bun.file(log).text();
  // Without its last lines, which are those of all suites together.
  console.log(`\n== ${name}\n${output.replace(/\n+(Failing: .*\n)?.* passed, .* failed\n$/, '')}`);
  const counts = /^== .*\((\d+) passed, (\d+) failed(?:, (\d+) skipped)?\)$/m.exec(output);
  if (!counts) return fail(`The suite ${problem ?? 'said nothing'}.`);
  const [passed = 0, failed = 0, skipped = 0] = counts.slice(1).map((count) => Number(count ?? 0));
  return { passed, failed, skipped };
}

/** Tools that only say yes or no count together as one test. */
async function check(...commands: [tool: string, ...args: string[]][]): Promise<Outcome> {
  let problem: string | undefined;
  for (const [tool, ...args] of commands) {
    const result = await execute([`node_modules/.bin/${tool}`, ...args]);
    if (result) problem = `${tool} ${result}`;
  }
  return problem ? fail(problem) : { passed: 1, failed: 0 };
}

async function test(paths: string[], options: TestOptions = {}): Promise<Outcome> {
  if (paths.length === 0) return fail('There are no tests.');
  const report = join(folder, 'report.xml');
  const problem = await execute(
    [
      ...[process.execPath, 'test', '--no-install', '--no-env-file'],
      `--timeout=${options.timeoutMs ?? TEST_TIMEOUT_MS}`,
      ...['--reporter=junit', `--reporter-outfile=${report}`],
      ...paths.map((path) => `./${path}`),
    ],
    options,
  );
  // A bun that crashed, or that a test made exit, writes no report.
  const outcome = (await Bun.file(report).exists()) ? readReport(await Bun.file(report).text()) : undefined;
  if (!outcome) return fail(`bun test left no report: it ${problem ?? 'was ended by a test'}`);
  if (outcome.passed + outcome.failed === 0) return fail('No test ran.');
  // A file that cannot be loaded shows in the exit code only, not in the report.
  if (problem && outcome.failed === 0) return { ...outcome, failed: fail(`bun test ${problem}`).failed };
  return outcome;
}

function testInBrowser(isWanted: (file: string) => boolean): Promise<Outcome> {
  const files = readdirSync(join(root, 'test/browser')).filter(
    (file) => file.endsWith('.test.ts') && isWanted(file),
  );
  return test(
    files.map((file) => `test/browser/${file}`),
    { env: ON_SQLITE, timeoutMs: SLOW_TEST_TIMEOUT_MS },
  );
}

async function testOnPostgres(paths: string[]): Promise<Outcome> {
  const starting = startPostgres();
  const stop = async () => (await starting).stop();
  running.add(stop);
  try {
    const { url } = await starting;
    return await test(paths, { env: { QUIRE_TEST_ENGINE: 'postgres', QUIRE_TEST_POSTGRES_URL: url } });
  } finally {
    running.delete(stop);
    await stop();
  }
}

/** Reads the totals in the root element of bun's JUnit report; its `tests` include the skipped and to-do ones. */
function readReport(xml: string): Outcome | undefined {
  const totals = /<testsuites [^>]*>/.exec(xml)?.[0];
  if (!totals) return undefined;
  const count = (attribute: string) => Number(new RegExp(` ${attribute}="(\\d+)"`).exec(totals)?.[1] ?? 0);
  const failed = count('failures') + count('errors');
  const skipped = count('skipped');
  return { passed: count('tests') - failed - skipped, failed, skipped };
}

function fail(problem: unknown): Outcome {
  console.log(problem instanceof Error ? problem.message : String(problem));
  return { passed: 0, failed: 1 };
}

/** Runs a command to its end, with its output let through or kept, and says what was wrong, if anything was. */
async function execute(
  command: string[],
  { env, log }: { env?: Record<string, string>; log?: string } = {},
): Promise<string | undefined> {
  if (isStopping) return 'was interrupted';
  const output = log ? openSync(log, 'w') : 'inherit';
  const child = Bun.spawn([...leash(), ...command], {
    cwd: root,
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', output, output],
    detached: true,
  });
  // A polite signal first, so that the child can close the browsers and servers it started in groups of their own.
  const stop = async () => {
    signalGroup(child.pid, 'SIGTERM');
    await Promise.race([child.exited, Bun.sleep(KILL_AFTER_MS)]);
    signalGroup(child.pid, 'SIGKILL');
    await child.exited;
  };
  running.add(stop);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    void stop();
  }, SUITE_TIMEOUT_MS);
  const exitCode = await child.exited;
  clearTimeout(timer);
  running.delete(stop);
  // What a crashed child left behind in its group.
  signalGroup(child.pid, 'SIGKILL');
  if (timedOut) return `took longer than ${SUITE_TIMEOUT_MS / 60_000} minutes and was stopped`;
  if (child.signalCode) return `was ended by ${child.signalCode}`;
  return exitCode === 0 ? undefined : `ended with code ${exitCode}`;
}

function signalGroup(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-id, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Ends the child when we are killed. Not bun's --no-orphans: what the tests start would inherit that. */
function leash(): string[] {
  return Bun.which('setpriv') ? ['setpriv', '--pdeathsig=TERM', '--'] : [];
}

/** The environment without the settings of a Quire that the developer may be running. */
function cleanEnvironment(): Record<string, string | undefined> {
  const isSetting = /^(QUIRE_(?!TEST_)|S3_|(PORT|DATABASE_URL|REDIS_URL)$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting.test(name)));
}

function hasTests(path: string): boolean {
  return existsSync(join(root, path)) && !TEST_FILES.scanSync(join(root, path)).next().done;
}

/** On Ctrl-C and the like, or when npm was killed above us: end what runs, clean up, then end. */
function stopWhenTold(): void {
  const stop = async (exitCode: number) => {
    if (isStopping) return;
    isStopping = true;
    await Promise.allSettled([...running].map((end) => end()));
    await rm(folder, { recursive: true, force: true });
    process.exit(exitCode);
  };
  process.on('SIGINT', () => void stop(130));
  process.on('SIGTERM', () => void stop(143));
  process.on('SIGHUP', () => void stop(129));
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && void stop(1), 500).unref();
}
