import { afterEach, expect, test } from 'bun:test';
import { createLog } from '../../../platform/http/index.ts';
import { Warnings } from './warnings.ts';

const logged: string[] = [];
const log = createLog('warn', { write: (line: string) => void logged.push(line) });
const functionsKnownTo = async () => new Map();
const readFiles = async () => new Map();
const options = {
  log,
  baseUrl: 'http://quire.example',
  readFiles,
  readText: async () => undefined,
  hasOwnHosts: true,
};
let warnings: Warnings;
afterEach(() => warnings.stop());

const codes = async (html: string, userId = 1) =>
  (await warnings.find(html, userId, 1)).map(({ code }) => code);

/** A slow script: the parser compares each name with all others of its scope. */
const SLOW = `<script>let ${Array.from({ length: 90_000 }, (_, at) => `a${at.toString(36)}`).join()}</script>`;

test('a document that takes too long is given up, and others are still checked', async () => {
  warnings = new Warnings({ ...options, functionsKnownTo, readMs: 50 });
  expect(await codes(SLOW)).toEqual(['NOT_CHECKED']);
  expect(logged.join()).toContain('it took too long');
  // A new thread takes a moment to start on a busy machine.
  while ((await codes('<script>(</script>'))[0] !== 'SCRIPT_SYNTAX');
});

test('an address without an ending means a document, which is there or can be added', async () => {
  const about = { hash: 'a', size: 1, updatedAt: 0 };
  warnings = new Warnings({
    ...options,
    functionsKnownTo,
    readFiles: async () => new Map([['about.html', about]]),
  });
  const found = await warnings.find('<a href="about">x</a><a href="team">y</a><a href="news/">z</a>', 1, 7);
  expect(found.map(({ message }) => message)).toEqual([
    'The page has no file team. Add it with PUT /api/pages/7/files/team.html, or use a whole URL.',
    'The page has no file news/. Add it with PUT /api/pages/7/files/news/index.html, or use a whole URL.',
  ]);
});

test('one owner’s documents do not keep the others waiting for all of them', async () => {
  warnings = new Warnings({ ...options, functionsKnownTo });
  const order: number[] = [];
  const save = (userId: number) => codes('<script>(</script>', userId).then(() => order.push(userId));
  await Promise.all([save(1), save(1), save(1), save(1), save(2)]);
  expect(order.indexOf(2)).toBeLessThan(3);
});

test('a failure of the storage is not a failure to save', async () => {
  const failing = () => Promise.reject(new Error('no database'));
  warnings = new Warnings({ ...options, functionsKnownTo: failing });
  expect(await codes('<script>PageFunctions.call("x")</script>')).toEqual(['NOT_CHECKED']);
});
