import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { benchmarkNames, loadBenchmark, README, renderDocument } from './benchmarks.ts';
import { ARCHITECTURES, atLeast, checkValues, type Figure } from './figure.ts';
import { fillDocument, renderBenchmark } from './render.ts';
import { type AllResults, formatResults, readResults, resultsFile } from './results.ts';

const FIGURES: Figure[] = [
  { name: 'Requests/s', digits: 0, rows: { nginx: undefined, Quire: atLeast(1_000) } },
];
const RESULTS: AllResults = {
  'x86-64': {},
  aarch64: {
    pages: {
      date: '2026-11-16',
      machine: '2 cores',
      note: 'nginx 1.22.',
      values: { 'Requests/s': { nginx: 5_000.4, Quire: 900 } },
    },
  },
};

test('a table has a column for each architecture, with its date, and says whether the goal is met', () => {
  const lines = renderBenchmark('pages', FIGURES, RESULTS).replaceAll(/ +/g, ' ').split('\n');
  expect(lines[0]).toBe('| Requests/s | x86-64 | aarch64, 16 November 2026 | goal |');
  expect(lines[2]).toBe('| nginx | – | 5,000 | |');
  expect(lines[3]).toBe('| Quire | – | 900, **missed** | at least 1,000 |');
  expect(lines.slice(-2)).toEqual([
    '- x86-64: not run yet.',
    '- aarch64, 16 November 2026: 2 cores. nginx 1.22.',
  ]);
});

test('the text around the tables stays', () => {
  const document = 'Before\n<!-- begin pages -->\nold\n<!-- end pages -->\nAfter\n';
  const filled = fillDocument(document, { pages: 'new' });
  expect(filled).toBe('Before\n<!-- begin pages -->\n\nnew\n\n<!-- end pages -->\nAfter\n');
  expect(fillDocument(filled, { pages: 'new' })).toBe(filled);
  expect(() => fillDocument(document, { records: 'new' })).toThrow('<!-- begin records -->');
});

test('README.md has the figures of bench/results, as npm run bench -- --tables writes them', async () => {
  const document = readFileSync(README, 'utf8');
  expect(await renderDocument(document, readResults())).toBe(document);
});

test('bench/results has only figures that a benchmark declares', async () => {
  const results = readResults();
  const names = benchmarkNames();
  for (const architecture of ARCHITECTURES) {
    for (const [name, { values }] of Object.entries(results[architecture])) {
      expect(names).toContain(name);
      checkValues((await loadBenchmark(name)).figures, values);
    }
  }
});

test.each(ARCHITECTURES)(
  'a run leaves results/%s.json formatted, with the other benchmarks as they are',
  (name) => {
    expect(formatResults(readResults()[name])).toBe(readFileSync(resultsFile(name), 'utf8'));
  },
);
