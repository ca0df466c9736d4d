import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchmarkNames, loadBenchmark, writeDocument } from './report/benchmarks.ts';
import type { Report } from './report/figure.ts';
import { renderBenchmark } from './report/render.ts';
import { ownArchitecture, readResults, writeResults } from './report/results.ts';
import { describeMachine } from './support/machine.ts';

/**
 * Runs all benchmarks, or those named as arguments, and prints their tables. It writes the figures to
 * `bench/results/<architecture>.json` and the tables to `bench/README.md`; with `--quick` it writes nothing. `--tables`
 * only writes the tables, after a change of goals or rows.
 */

const PROGRAM = join(import.meta.dir, 'support/run-one.ts');
/** A benchmark that takes longer cannot finish. */
const MINUTES = 10;
/** For stopping what it has started. */
const CLEANUP_MS = 60_000;

/** Before a command. */
const IN_OWN_NETWORK = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--map-root-user']),
  '--net',
  'sh',
  '-c',
  'ip link set lo up && exec "$0" "$@"',
];

interface Options {
  wanted: string[];
  isQuick: boolean;
}

async function runAll({ wanted, isQuick }: Options): Promise<void> {
  const startedAt = performance.now();
  const sharedFolder = mkdtempSync(join(tmpdir(), 'quire-bench-shared-'));
  const failed: string[] = [];
  try {
    for (const name of wanted) {
      console.log(`\n## ${name}\n`);
      const machine = describeMachine();
      const report = await measure(name, sharedFolder, isQuick);
      if (interrupted) throw new Error('Interrupted. The figures of finished benchmarks are written.');
      if (report) await publish(name, report, machine, isQuick);
      else failed.push(name);
    }
  } finally {
    rmSync(sharedFolder, { recursive: true, force: true });
  }
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  console.log(`\n${wanted.length - failed.length} of ${wanted.length} benchmarks in ${minutes} minutes`);
  if (failed.length > 0) throw new Error(`Failed: ${failed.join(', ')}`);
}

let interrupted = false;

/** Runs a benchmark in its own process; undefined if it fails or does not finish. */
async function measure(name: string, folder: string, isQuick: boolean): Promise<Report | undefined> {
  const file = join(folder, `${name}.json`);
  const { prepare, hasOwnNetwork, minutes = MINUTES } = await loadBenchmark(name);
  try {
    await prepare?.();
  } catch (error) {
    console.error(error);
    return undefined;
  }
  const child = Bun.spawn(
    [
      ...(hasOwnNetwork ? IN_OWN_NETWORK : []),
      process.execPath,
      '--no-install',
      '--no-env-file',
      PROGRAM,
      name,
      file,
      folder,
      isQuick ? 'quick' : 'full',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const interrupt = () => {
    interrupted = true;
    child.kill('SIGTERM');
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  const deadline = setTimeout(() => {
    console.error(`${name} did not finish within ${minutes} minutes.`);
    child.kill('SIGTERM');
  }, minutes * 60_000);
  const lastDeadline = setTimeout(() => child.kill('SIGKILL'), minutes * 60_000 + CLEANUP_MS);
  const startedAt = performance.now();
  const exitCode = await child.exited;
  console.error(`${name} took ${Math.round((performance.now() - startedAt) / 1000)} s`);
  clearTimeout(deadline);
  clearTimeout(lastDeadline);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, interrupt);
  if (exitCode === 0) return JSON.parse(readFileSync(file, 'utf8')) as Report;
  console.error(`${name} failed.`);
  return undefined;
}

/** Prints the tables with the new column, and writes them unless the run is quick. */
async function publish(name: string, report: Report, machine: string, isQuick: boolean): Promise<void> {
  const architecture = ownArchitecture();
  const results = readResults();
  const date = isQuick ? 'quick run' : new Date().toISOString().slice(0, 10);
  results[architecture][name] = { date, machine, ...report };
  console.log(renderBenchmark(name, (await loadBenchmark(name)).figures, results));
  if (isQuick) return;
  writeResults(architecture, results[architecture]);
  await writeDocument(results);
}

function readArguments(words: string[]): Options {
  const known = benchmarkNames();
  const names = words.filter((word) => word !== '--quick');
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`No benchmark is called ${unknown.join(' or ')}. There are: ${known.join(', ')}`);
  }
  return { wanted: names.length > 0 ? names : known, isQuick: words.includes('--quick') };
}

try {
  const words = process.argv.slice(2);
  if (words.includes('--tables')) await writeDocument(readResults());
  else await runAll(readArguments(words));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
