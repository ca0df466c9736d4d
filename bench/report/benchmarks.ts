import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../support/bench.ts';
import type { Figure, Report } from './figure.ts';
import { fillDocument, renderBenchmark } from './render.ts';
import type { AllResults } from './results.ts';

/** The benchmarks, and the document with their tables. */

/** What a benchmark file exports: the figures that it declares, and how it measures them. */
export interface Benchmark {
  figures: Figure[];
  /** Runs before it, where the network can be reached. */
  prepare?(): Promise<void>;
  /** It changes its network, and gets one of its own with nothing but the loopback interface. */
  hasOwnNetwork?: boolean;
  /** It can take so many minutes, instead of ten. */
  minutes?: number;
  default(bench: Bench): Promise<Report>;
}

export const README = join(import.meta.dir, '../README.md');

/** The files beside `run.ts`. */
export function benchmarkNames(): string[] {
  return [...new Bun.Glob('*.ts').scanSync(join(import.meta.dir, '..'))]
    .map((file) => file.replace(/\.ts$/, ''))
    .filter((name) => name !== 'run')
    .sort();
}

export function loadBenchmark(name: string): Promise<Benchmark> {
  return import(`../${name}.ts`);
}

/** The document with the tables that these results give. */
export async function renderDocument(document: string, results: AllResults): Promise<string> {
  const tables: Record<string, string> = {};
  for (const name of benchmarkNames())
    tables[name] = renderBenchmark(name, (await loadBenchmark(name)).figures, results);
  return fillDocument(document, tables);
}

export async function writeDocument(results: AllResults): Promise<void> {
  writeFileSync(README, await renderDocument(readFileSync(README, 'utf8'), results));
}
