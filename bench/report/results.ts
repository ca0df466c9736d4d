import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture, Report } from './figure.ts';

/** The figures of one architecture, in `bench/results/<architecture>.json`. */
export type Results = Record<string, Run>;

/** The last run of a benchmark on an architecture. */
export interface Run extends Report {
  /** The day, as 2026-11-16, or where figures come from that nobody has measured with these benchmarks. */
  date: string;
  machine: string;
}

export type AllResults = Record<Architecture, Results>;

const FOLDER = join(import.meta.dir, '../results');

/** The architecture that this process runs on. */
export function ownArchitecture(): Architecture {
  if (process.arch === 'x64') return 'x86-64';
  if (process.arch === 'arm64') return 'aarch64';
  throw new Error(`There are no benchmarks for ${process.arch}.`);
}

export function readResults(): AllResults {
  return { 'x86-64': readOne('x86-64'), aarch64: readOne('aarch64') };
}

export function writeResults(architecture: Architecture, results: Results): void {
  writeFileSync(resultsFile(architecture), formatResults(results));
}

/** As the formatter of the project writes it: numbers that belong together on one line. */
export function formatResults(results: Results): string {
  const sorted = Object.fromEntries(Object.entries(results).sort(([a], [b]) => (a < b ? -1 : 1)));
  const oneLine = (numbers: string) => JSON.stringify(JSON.parse(numbers)).replaceAll(',', ', ');
  return `${JSON.stringify(sorted, null, 2).replaceAll(/\[[-\d.,\s]+\]/g, oneLine)}\n`;
}

function readOne(architecture: Architecture): Results {
  const file = resultsFile(architecture);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {};
}

export const resultsFile = (architecture: Architecture) => join(FOLDER, `${architecture}.json`);
