import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGLISH } from '../rules/texts/fill.ts';
import { readProblem } from './problems.ts';

const ROOT = join(import.meta.dir, '../..');

/** Restoring is done in a terminal, which is in English. */
const IN_A_TERMINAL = new Set([
  'server/product/backup/empty-place.ts',
  'server/product/backup/cluster-databases.ts',
  'server/product/backup/restore.ts',
  'server/product/backup/drill/scratch.ts',
]);

const SENTENCE = /new (?:ArchiveError|ClaimError|NoSpaceError)\(\s*(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)/g;
const FOLDERS = ['server/product/backup', 'server/platform/replica'];
const sentences = FOLDERS.flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.ts`).scanSync(ROOT)])
  .filter((path) => !path.endsWith('.test.ts') && !IN_A_TERMINAL.has(path))
  .flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(SENTENCE)].map(([, plain, template]) =>
      (plain ?? template ?? '').replace(/\$\{[^}]*\}(?:`[^`]*`\})?/g, 'something'),
    ),
  )
  // Only the code reads this one. The other is made of parts that have sentences of their own.
  .filter((text) => text !== 'the disk is nearly full' && text !== 'something: something');

test('every sentence about a backup or a replica that the server stores is known', () => {
  expect(sentences.length).toBeGreaterThan(25);
  expect(sentences.filter((text) => readProblem(text) === undefined)).toEqual([]);
});

test.each([
  'The archive should hold 3 rows of pages and holds 2.',
  'pages should have 3 rows and has 2 after the restore.',
  'pages should have 3 rows and has 2.',
  'The replica at s3://copies cannot be written: its disk is full',
  'The replica at s3://copies cannot be written: EACCES: permission denied',
  'The replica at s3://copies belongs to the server on a.example with the data folder /data, and not to this server. Set QUIRE_REPLICA to a place of its own.',
  'The rows of pages cannot be put back: UNIQUE constraint failed',
  'The server stopped before it was complete.',
])('says the same in English again: %s', (message) => {
  const found = readProblem(message);
  expect(found?.text).toBeDefined();
  expect(ENGLISH.say(found?.text ?? '', found?.values)).toBe(message);
});

test('finds what is inside a problem, and leaves what comes from elsewhere', () => {
  expect(readProblem('The replica at /copies cannot be written: its disk is full')?.values).toEqual({
    name: '/copies',
    reason: { text: 'its disk is full', values: {} },
  });
  expect(readProblem('EACCES: permission denied')).toBeUndefined();
  expect(readProblem('')).toBeUndefined();
});
