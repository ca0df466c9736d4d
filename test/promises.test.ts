import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPromises } from '../scripts/testing/promises.ts';

const ROOT = join(import.meta.dir, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const proofs = readPromises();
const documents = [...new Set(proofs.map(({ document }) => document))];
const listPromises = (document: string) =>
  proofs.filter((proof) => proof.document === document).map(({ promise }) => promise);

test('there are promises of each document', () => {
  expect(documents).toEqual(['README.md', 'docs/security.md']);
});

test.each(documents)('%s says what is promised', (document) => {
  const text = read(document).replace(/\s+/g, ' ');
  expect(listPromises(document).filter((promise) => !text.includes(promise))).toEqual([]);
});

test('each promise has a test that exists', () => {
  const missing = proofs.filter(({ file, title }) => !existsSync(join(ROOT, file)) || !hasTest(file, title));
  expect(missing).toEqual([]);
});

/** Whether a file has a test with this title. Titles are written in the quotes that need no escapes. */
function hasTest(file: string, title: string): boolean {
  const text = read(file);
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote}`));
}

/** Parts with lists of what is not promised, or that describe people. */
const OTHER_PARTS = /Not guaranteed:|## What is not promised|## Threat model\n/;
/** The tables in which every row is a limit. */
const LIMITS = /^\| What \| Limit/m;

test.each(documents)('every point and limit in %s has a test', (document) => {
  const parts = read(document)
    .split(/\n(?=## )|\n\n(?=[^\s-])/)
    .filter((part) => !OTHER_PARTS.test(part));
  const points = parts.flatMap((part) => part.split(/^(?=- )/m)).filter((point) => point.startsWith('- '));
  const rows = parts.filter((part) => LIMITS.test(part)).flatMap((part) => part.split('\n').slice(2));
  const said = [...points, ...rows.filter((row) => row.startsWith('|'))].map((text) =>
    text.replace(/\s+/g, ' '),
  );
  expect(said.length).toBeGreaterThan(0);
  expect(said.filter((text) => !listPromises(document).some((promise) => text.includes(promise)))).toEqual(
    [],
  );
});
