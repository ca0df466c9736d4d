import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeMachine } from './support/machine.ts';

/** What a benchmark file exports: it measures, and returns what is to be printed. */
export type Benchmark = (bench: Bench) => Promise<string>;

export interface Bench {
  /** A temporary folder that goes when the benchmark ends. */
  folder: string;
  /** What was started is stopped when the benchmark ends, also when it fails or is interrupted. */
  atEnd(stop: () => Promise<unknown>): void;
}

/** Runs the benchmarks beside this file, or those named as arguments, and prints their tables. */
async function run(wanted: string[]): Promise<void> {
  const known = [...new Bun.Glob('*.ts').scanSync(import.meta.dir)]
    .map((file) => file.replace(/\.ts$/, ''))
    .filter((name) => name !== 'run')
    .sort();
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`No benchmark is called ${unknown.join(' or ')}. There are: ${known.join(', ')}`);
  }
  console.log(await describeMachine());
  for (const name of wanted.length > 0 ? wanted : known) {
    console.log(`\n## ${name}\n`);
    console.log(await runOne(name));
  }
}

async function runOne(name: string): Promise<string> {
  const { default: measure }: { default: Benchmark } = await import(`./${name}.ts`);
  await using stack = new AsyncDisposableStack();
  // Once: a second Ctrl-C must not interrupt the cleanup.
  const interrupt = () => {
    if (!stack.disposed) void stack.disposeAsync().finally(() => process.exit(1));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, interrupt);
    stack.defer(() => void process.off(signal, interrupt));
  }
  const folder = mkdtempSync(join(tmpdir(), 'quire-bench-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  return await measure({ folder, atEnd: (stop) => stack.defer(async () => void (await stop())) });
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
