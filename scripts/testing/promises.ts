import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';

/** A promise of a document, and the test that proves it. */
export interface Proof {
  document: string;
  promise: string;
  file: string;
  /** As it is written in the file: `%s` and `${…}` stand for cases. */
  title: string;
}

/** The rows of `test/promises.md`. */
export function readPromises(): Proof[] {
  const proofs: Proof[] = [];
  let document = '';
  for (const line of readFileSync(join(root, 'test/promises.md'), 'utf8').split('\n')) {
    document = /^## (.+)/.exec(line)?.[1] ?? document;
    const [, promise = '', file = '', title = ''] = line.split(/(?<!\\)\|/).map(readCell);
    if (file.endsWith('.test.ts')) proofs.push({ document, promise, file, title });
  }
  return proofs;
}

function readCell(cell: string): string {
  return cell.trim().replaceAll('\\|', '|');
}

/** Matches the names of these tests, with the names of their groups before them. */
export function namePattern(titles: string[]): string {
  return `(${[...new Set(titles)].map(toPattern).join('|')})$`;
}

function toPattern(title: string): string {
  const parts = title.split(/%\.?\d*[a-zA-Z]|\$\{[^}]*\}|\$\w+(?:\.\w+)*/);
  return parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');
}
